import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite struct TopicAndDeviceTests {
    // MARK: Topics

    @Test(
        "A team's topics cover themselves and their suffixes, nothing else",
        arguments: [
            ("com.example.app", nil), ("com.example.app.voip", nil), ("com.example.app.push-type.liveactivity", nil),
            ("com.example.app.voip-ptt", nil), ("com.example.other", nil), ("com.example.app.other", "TopicDisallowed"),
            ("com.example.apps", "TopicDisallowed"), ("com.example", "TopicDisallowed"),
            ("com.example.third", "TopicDisallowed"), ("", "BadTopic"),
        ] as [(String, String?)])
    func topics(_ topic: String, _ reason: String?) {
        var rig = GatewayRig { $0.authentication.teams[0].topics = ["com.example.app", "com.example.other"] }
        let seen = rig.send(ExamplePush { $0.topic = topic })
        #expect(seen.reason == reason)
        if reason == "TopicDisallowed" {
            for part in ["\"\(topic)\"", "DEF123GHIJ", #""com.example.app""#] {
                #expect(seen.explanation.contains(part), "\(seen.explanation)")
            }
        }
    }

    @Test(arguments: [(1, true), (255, true), (256, false)])
    func aBundleIDHas255BytesAtMost(length: Int, isName: Bool) {
        #expect(Topic.isName(String(repeating: "a", count: length)) == isName)
    }

    @Test(arguments: ["", "com example", "com..example", "com.<example>"])
    func malformedTopicsNameNoApp(_ text: String) {
        #expect(!Topic.isName(text))
    }

    @Test("What a topic is by its text alone")
    func texts() {
        func isVoIP(_ text: String) -> Bool { Topic.isVoIP(Array(text.utf8).span) }
        func isMDM(_ text: String) -> Bool { Topic.isMDM(Array(text.utf8).span) }
        func suits(_ type: PushType, _ text: String) -> Bool { Topic.suits(type, Array(text.utf8).span) }
        func form(_ text: String) -> Topic.Form { Topic.form(of: Array(text.utf8).span) }
        func lists(_ topics: TopicList, _ text: String) -> Bool { topics.lists(Array(text.utf8).span) }
        func covers(_ topics: TopicList, _ text: String) -> Bool { topics.covers(Array(text.utf8).span) }
        for (text, wanted) in [
            ("com.example.app.voip", true), ("a.voip", true), (".voip", false), ("voip", false),
            ("com.example.appvoip", false),
            ("com.example.app.voiq", false), ("com.example.app.xoip", false), ("com.example.app.voip.", false),
            ("", false),
        ] {
            #expect(isVoIP(text) == wanted, "\(text)")
        }
        let id = "eabeae54-14a8-11e5-b60b-1697f925ec7b"
        for (text, wanted) in [
            ("com.apple.mgmt.External." + id, true), ("com.apple.mgmt.x", true), ("com.apple.mgmt.Internal.1", true),
            ("com.apple.mgmt.", false), ("com.apple.mgmt", false), ("com.apple", false), ("", false),
            ("xom.apple.mgmt.External." + id, false), ("com.apple.mgm.External." + id, false),
        ] {
            #expect(isMDM(text) == wanted && suits(.mdm, text) == wanted && suits(.alert, text), "\(text)")
        }
        for type in PushType.allCases {
            guard let suffix = type.topicSuffix else { continue }
            #expect(suits(type, "a" + suffix) && suits(type, suffix))
            #expect(!suits(type, "a") && !suits(type, suffix + ".a") && !suits(type, "a" + suffix.dropFirst()))
            #expect(!suits(type, ""))
        }
        let longest = String(repeating: "a", count: 300)
        for (text, wanted) in [
            ("a", Topic.Form.good), ("a.b-c_D9", .good), (longest, .good), (longest + "a", .malformed),
            ("", .malformed),
            (".", .malformed), (".a", .malformed), ("a.", .malformed), ("a..b", .malformed), ("a b", .malformed),
            ("a\u{7F}", .malformed), ("a!", .unusable), ("a~", .unusable), ("<a>", .unusable), ("a!..b", .malformed),
            ("a!.", .malformed), ("\u{1F}a", .malformed), ("z.Z.0.A", .good),
        ] {
            #expect(form(text) == wanted, "\(text)")
        }
        let topics: TopicList = ["com.example.app", "com.example"]
        #expect(topics.count == 2 && topics.only == nil && TopicList(["a"]).only == Array("a".utf8))
        #expect(lists(topics, "com.example") && !lists(topics, "com.example.app.voip"))
        #expect(covers(topics, "com.example.voip") && !covers(topics, "com"))
        #expect(!covers(topics, "com.example.app.voipx") && !covers(topics, ""))
        #expect(TopicList([]).summary == "no topic" && TopicList(["a", "b"]).summary == #""a", "b""#)
        let many = TopicList((1...7).map { "\($0)" })
        #expect(many.summary == #""1", "2", "3", "4", "5" and 2 more"#)
        #expect(TopicList((1...5).map { "\($0)" }).summary == #""1", "2", "3", "4", "5""#)
    }

    @Test("A client certificate needs no token; its topics count, its only one is the default")
    func certificate() {
        var facts = ConnectionFacts.example
        facts.clientCertificate = .init(subject: "CN=x", serial: "1", topics: ["com.example.app"])
        var rig = GatewayRig(facts: facts)
        var seen = rig.send(ExamplePush { $0.token = nil })
        #expect(seen.status == 200)
        #expect(seen.streamLimit == nil)
        #expect(seen.record.authentication == .certificate)
        #expect(seen.record.verdict == .valid)
        #expect(rig.send(ExamplePush { $0.token = ExamplePush.bearer(keyID: "WRONGKEYID") }).status == 200)
        seen = rig.send(ExamplePush { $0.topic = nil })
        #expect(seen.status == 200)
        seen = rig.send(ExamplePush { $0.topic = "com.example.other" })
        #expect(seen.reason == "TopicDisallowed")
        #expect(seen.explanation.contains("com.example.other") && seen.explanation.contains("com.example.app"))

        facts.clientCertificate?.topics = ["com.example.app", "com.example.app.voip"]
        var several = GatewayRig({ $0.responses.foreignTopic = .badTopic }, facts: facts)
        #expect(several.send(ExamplePush { $0.topic = nil }).reason == "MissingTopic")
        #expect(several.send(ExamplePush { $0.topic = "com.example.app.voip" }).status == 200)
        #expect(several.send(ExamplePush { $0.topic = "com.example.other" }).reason == "BadTopic")
    }

    // MARK: Devices

    private static let other = String(repeating: "ab", count: 32)

    @Test("An undeclared token belongs to the first topic that pushes to it, in either case of its digits")
    func registers() {
        var rig = GatewayRig()
        #expect(rig.gateway.devices.count == 0)
        #expect(rig.send(ExamplePush { $0.body = [] }).status == 400)
        #expect(rig.gateway.devices.count == 0, "a push that is refused registers nothing")
        #expect(rig.send().status == 200)
        #expect(
            rig.send(ExamplePush { $0.path = $0.path.map { "/3/device/" + $0.dropFirst(10).uppercased() } }).status
                == 200)
        #expect(rig.gateway.devices.count == 1)
        let seen = rig.send(ExamplePush { $0.topic = "com.example.other" })
        #expect(seen.reason == "DeviceTokenNotForTopic")
        #expect(seen.record.decidedBy == .checks)
        for part in [GatewayRig.deviceToken, "com.example.other", "com.example.app"] {
            #expect(seen.explanation.contains(part), "\(seen.explanation)")
        }
        #expect(rig.send(ExamplePush { $0.topic = "com.example.app.voip" }).reason == "DeviceTokenNotForTopic")
        #expect(
            rig.send(
                ExamplePush {
                    $0.topic = "com.example.other"; $0.path = "/3/device/" + Self.other
                }
            ).status == 200)
        #expect(rig.gateway.devices.count == 2)
    }

    @Test("What is wrong with a device token is said: the first stray character, or how many digits it has")
    func malformedTokens() {
        let digits = String(repeating: "a", count: 63)
        for (token, part) in [
            (digits + "g", #"which contains "g"; it must be 64 to 200 hexadecimal"#),
            ("g" + digits + "h", #"which contains "g""#),
            (digits, "63 digits; it must have 64 to 200 hexadecimal digits"),
        ] {
            var rig = GatewayRig()
            let seen = rig.send(ExamplePush { $0.path = "/3/device/" + token })
            #expect(seen.reason == "BadDeviceToken" && seen.explanation.contains(part), "\(seen.explanation)")
        }
    }

    @Test("Where the suffix is missing, a client certificate is told of only if it could not send the push anyway")
    func suffixHint() {
        var facts = ConnectionFacts.example
        facts.clientCertificate = .init(subject: "CN=x", serial: "1", topics: ["com.example.app"])
        for (certificate, type, isTold) in [
            (facts, "location", true), (facts, "liveactivity", true), (facts, "widgets", false),
            (.example, "location", false),
        ] {
            var rig = GatewayRig(facts: certificate)
            let seen = rig.send(
                ExamplePush {
                    $0.fields = [("apns-push-type", type)]
                    if certificate.clientCertificate != nil { $0.token = nil }
                })
            #expect(seen.reason == "DeviceTokenNotForTopic")
            #expect(seen.explanation.contains("needs a provider token") == isTold, "\(seen.explanation)")
        }
    }

    @Test("unknownDevices: reject")
    func rejectsUnknown() {
        var rig = GatewayRig { $0.unknownDevices = .reject }
        let seen = rig.send()
        #expect(seen.reason == "BadDeviceToken")
        #expect(seen.explanation.contains(GatewayRig.deviceToken))
        #expect(rig.gateway.devices.count == 0)
        rig.declare { _ in }
        #expect(rig.send().status == 200)
    }

    @Test(
        "A device that is gone is 410 with the time since when, and says so in milliseconds",
        arguments: [
            (Device.Registration.unregistered(at: Timestamp(seconds: 1_795_255_100), acceptFor: 0), "Unregistered"),
            (.unregistered(at: Timestamp(seconds: 1_795_255_200), acceptFor: 0), "Unregistered"),
            (.unregistered(at: Timestamp(seconds: 1_795_255_201), acceptFor: 0), nil),
            (.expired(at: Timestamp(seconds: 1_795_255_100)), "ExpiredToken"),
            (.expired(at: Timestamp(seconds: 1_795_255_201)), nil), (.registered, nil),
        ] as [(Device.Registration, String?)])
    func gone(_ registration: Device.Registration, _ reason: String?) {
        var rig = GatewayRig()
        rig.declare { $0.registration = registration }
        let seen = rig.send()
        #expect(seen.reason == reason)
        #expect(seen.status == (reason == nil ? 200 : 410))
        switch registration {
        case .unregistered(let time, _), .expired(let time): #expect(seen.timestamp == (reason == nil ? nil : time))
        case .registered: #expect(seen.timestamp == nil)
        }
        #expect(seen.record.decidedBy == (reason == nil ? .checks : .device))
        if reason != nil { #expect(seen.explanation.contains(GatewayRig.deviceToken)) }
        // Another topic is said before.
        #expect(rig.send(ExamplePush { $0.topic = "com.example.other" }).reason == "DeviceTokenNotForTopic")
    }

    @Test("acceptFor: 200 for so long after the app was removed, and nothing arrives")
    func acceptFor() {
        var rig = GatewayRig()
        rig.declare { $0.registration = .unregistered(at: GatewayRig.now, acceptFor: 1000) }
        let seen = rig.send()
        #expect(seen.status == 200)
        #expect(seen.record.delivery == .discardedUnregistered)
        rig.now.milliseconds += 1000
        #expect(rig.send().reason == "Unregistered")
    }

    @Test("A token of the other environment is a BadDeviceToken")
    func environment() {
        var rig = GatewayRig()
        rig.declare { $0.isSandbox = false }
        let seen = rig.send()
        #expect(seen.reason == "BadDeviceToken")
        #expect(seen.explanation.contains(GatewayRig.deviceToken) && seen.explanation.contains("environment"))
    }

    @Test("A device's rate: TooManyRequests beyond it, and only accepted pushes count")
    func rate() {
        var rig = GatewayRig()
        rig.declare { $0.rate = PushRate(allowed: 2, per: 1000) }
        #expect(rig.send().status == 200)
        #expect(rig.send(ExamplePush { $0.body = [] }).status == 400)
        #expect(rig.send().status == 200)
        let seen = rig.send()
        #expect(seen.reason == "TooManyRequests")
        #expect(seen.record.decidedBy == .device)
        #expect(seen.record.delivery == nil)
        #expect(seen.explanation.contains(GatewayRig.deviceToken))
        rig.now.milliseconds += 1000
        #expect(rig.send().status == 200)
    }
}
