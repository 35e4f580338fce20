import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite struct ClientCertificateTests {
    private typealias Certificate = ConnectionFacts.ClientCertificate

    private static let universal: TopicList = [
        "com.example.app", "com.example.app.voip", "com.example.app.complication",
    ]

    private static func facts(_ topics: TopicList, _ change: (inout Certificate) -> Void = { _ in }) -> ConnectionFacts
    {
        var facts = ConnectionFacts.example
        var certificate = Certificate(subject: "CN = Apple Push Services", serial: "1F", topics: topics)
        change(&certificate)
        facts.clientCertificate = certificate
        return facts
    }

    private static func push(_ topic: String?, _ type: String? = nil, device: String = "00") -> ExamplePush {
        ExamplePush {
            $0.token = nil
            $0.topic = topic
            $0.path = "/3/device/" + String(repeating: device, count: 32)
            if let type { $0.fields = [("apns-push-type", type)] }
        }
    }

    // MARK: What a certificate says

    @Test("Only so much of a certificate is kept, and it says so", arguments: [1024, 1025, 73_012])
    func bounds(count: Int) throws {
        let long = String(repeating: "é", count: count / 2) + (count.isMultiple(of: 2) ? "" : "x")
        let topics = (0..<3000).map { "com.example.app\($0)" }
        let certificate = Certificate(
            subject: long, serial: long, commonName: "Apple Push Services: x", userID: long,
            .init(topics: topics, voIPBundle: nil, isDevelopment: true, isProduction: true))
        let cut = count > 1024 ? "… (cut from \(count.withCommas) bytes)" : ""
        let kept = String(repeating: "é", count: 512) + cut
        #expect(certificate.serial == kept)
        let names = certificate.topics.names
        #expect(names == Array(topics.prefix(names.count)))
        #expect(names.reduce(0) { $0 + $1.utf8.count + 16 } <= 16_384)
        #expect(certificate.subject == "\(kept) (\(names.count) of 3,000 topics are kept)")
        // A topic that is not kept is refused; none at all permits nothing.
        let nothing = Certificate(
            subject: "s", serial: "1", commonName: "Apple Push Services: x",
            userID: String(repeating: "a", count: 70_000),
            .init(topics: [], voIPBundle: nil, isDevelopment: true, isProduction: true))
        #expect(nothing.topics.count == 0 && nothing.isPush)
        let last = Array(topics[2999].utf8)
        #expect(!certificate.topics.covers(last.span) && !nothing.topics.covers(last.span))
        var facts = ConnectionFacts.example
        facts.clientCertificate = nothing
        var rig = GatewayRig(facts: facts)
        #expect(rig.send(Self.push("com.example.app")).reason == "TopicDisallowed")
    }

    @Test("What is read from a certificate: topics, environments, whether it is for pushes")
    func reading() {
        func read(
            _ name: String?, id: String? = "com.example.app", topics: [String] = [], voIP: String? = nil,
            development: Bool = false, production: Bool = false
        ) -> String {
            let certificate = Certificate(
                subject: "s", serial: "1", commonName: name, userID: id,
                .init(topics: topics, voIPBundle: voIP, isDevelopment: development, isProduction: production))
            return (certificate.topics.names + ["|"] + certificate.environments + [certificate.isPush ? "push" : "no"])
                .joined(separator: " ")
        }
        let universal = ["com.example.app", "com.example.app.voip"]
        for (seen, wanted) in [
            (
                read("Apple Push Services: com.example.app", topics: universal, development: true, production: true),
                "com.example.app com.example.app.voip | sandbox production push"
            ),
            (read("Apple Push Services: com.example.app"), "com.example.app | no"),
            (read("Apple Development IOS Push Services: x"), "com.example.app | sandbox push"),
            (read("Apple Production IOS Push Services: x"), "com.example.app | production push"),
            (read("anything", production: true), "com.example.app | production push"),
            (
                read("VoIP Services: x", voIP: "com.example.app", production: true),
                "com.example.app.voip | production push"
            ),
            (read("VoIP Services: x", voIP: "com.example.app.voip"), "com.example.app.voip | sandbox production push"),
            (
                read("APSP:1", id: "com.apple.mgmt.External.eabeae54-14a8-11e5-b60b-1697f925ec7b"),
                "com.apple.mgmt.External.eabeae54-14a8-11e5-b60b-1697f925ec7b | production push"
            ),
            (read("Apple Development Mac Push Services: x"), "com.example.app | sandbox push"),
            (read("Apple Production Mac Push Services: x"), "com.example.app | production push"),
            (read("VoIP Services: x"), "com.example.app | sandbox production push"),
            (read("WatchKit Services: x"), "com.example.app | sandbox production push"),
            (read("Website Push ID: x"), "com.example.app | production push"),
            (read("Pass Type ID: x"), "com.example.app | production push"),
            // The extensions count more than the name.
            (read("Apple Production IOS Push Services: x", development: true), "com.example.app | sandbox push"),
            (read("VoIP Services: x", production: true), "com.example.app | production push"),
            (
                read("x", topics: universal, voIP: "com.example.app", development: true),
                "com.example.app com.example.app.voip | sandbox push"
            ),
            (read("x", id: nil, development: true), "| sandbox no"),
            (read("example.com"), "com.example.app | no"), (read(nil), "com.example.app | no"),
            (read("VoIP Services: x", id: nil), "| sandbox production no"),
        ] {
            #expect(seen == wanted)
        }
    }

    // MARK: When the connection opens

    @Test("All streams at once for a good certificate; a bad one is told so with GOAWAY, and then the end")
    func opening() {
        for (environment, change, reason) in [
            (.sandbox, { _ in }, nil), (.production, { _ in }, nil),
            (.sandbox, { $0.isForProduction = false }, nil),
            (.production, { $0.isForProduction = false }, "BadCertificateEnvironment"),
            (.sandbox, { $0.isForSandbox = false }, "BadCertificateEnvironment"),
            (.sandbox, { $0.isPush = false }, "BadCertificate"),
            (
                .sandbox,
                {
                    $0.isPush = false
                    $0.isForSandbox = false
                }, "BadCertificate"
            ),
        ] as [(Environment, (inout Certificate) -> Void, String?)] {
            var rig = GatewayRig { $0.environment = environment }
            let opening = rig.gateway.open(Self.facts(Self.universal, change), at: rig.now)
            #expect(opening.id == 2)
            #expect(opening.streamLimit == 1000)
            guard let reason else {
                #expect(opening.actions.isEmpty)
                #expect(rig.send(Self.push("com.example.app"), on: 2).status == 200)
                continue
            }
            let text = Array(#"{"reason":"\#(reason)"}"#.utf8)
            #expect(
                opening.actions == [
                    .goAway(
                        [GoAway(lastStream: 0, errorCode: 0, debugData: text)], then: .close, by: .certificate)
                ])
            // As seen by sideshow/apns2#93.
            if reason == "BadCertificateEnvironment" { #expect(8 + text.count == 46) }
            let seen = rig.send(Self.push("com.example.app"), on: 2)
            #expect(seen.status == nil)
            #expect(seen.record.outcome == .ignored)
            #expect(seen.record.decidedBy == .connection)
            #expect(seen.record.authentication == .certificate)
            rig.connection = 2
            rig.carryOut(opening.actions)
            #expect(rig.gateway.connections[2]?.closedBy == .certificate)
        }
    }

    @Test("environment serverName: the name that the client asks for decides whether the certificate is good")
    func serverName() {
        var rig = GatewayRig { $0.environment = .serverName }
        for (name, isGood) in [("api.push.apple.com", false), ("api.sandbox.push.apple.com", true)] {
            var facts = Self.facts(Self.universal) { $0.isForProduction = false }
            facts.serverName = name
            #expect(rig.gateway.open(facts, at: rig.now).actions.isEmpty == isGood)
        }
    }

    // MARK: Topics

    @Test(
        "A certificate's topics are meant to the letter; only a single one is the default",
        arguments: [
            (["com.example.app"], nil, nil, nil), (["com.example.app"], "com.example.app", nil, nil),
            (["com.example.app.voip"], nil, "voip", nil),
            (["com.example.app"], "com.example.app.voip", "voip", "TopicDisallowed"),
            (["com.example.app"], "com.example.other", nil, "TopicDisallowed"),
            (["com.example.app", "com.example.app.voip"], nil, nil, "MissingTopic"),
            (["com.example.app", "com.example.app.voip"], "com.example.app.voip", "voip", nil),
            (["com.example.app", "com.example.app.voip"], "com.example.app", "alert", nil),
            (["com.example.app"], "<com.example.app>", nil, "TopicDisallowed"),
            (["com.example.app"], "", nil, "BadTopic"),
            ([], nil, nil, "MissingTopic"), ([], "com.example.app", nil, "TopicDisallowed"),
        ] as [([String], String?, String?, String?)])
    func topics(_ topics: [String], _ topic: String?, _ type: String?, _ reason: String?) {
        var rig = GatewayRig(facts: Self.facts(TopicList(topics)))
        let seen = rig.send(Self.push(topic, type))
        #expect(seen.reason == reason)
        guard reason != nil else { return }
        if let topic { #expect(seen.explanation.contains("\"\(topic)\""), "\(seen.explanation)") }
        for name in topics where reason != "BadTopic" {
            #expect(seen.explanation.contains("\"\(name)\""), "\(seen.explanation)")
        }
        if reason == "TopicDisallowed" {
            var other = GatewayRig({ $0.responses.foreignTopic = .badTopic }, facts: Self.facts(TopicList(topics)))
            #expect(other.send(Self.push(topic, type)).reason == "BadTopic")
        }
    }

    @Test("A single topic of a team is not the default, as that of a certificate is")
    func onlyCertificatesHaveADefaultTopic() {
        var rig = GatewayRig { $0.authentication.teams[0].topics = ["com.example.app"] }
        #expect(rig.send(ExamplePush { $0.topic = nil }).reason == "MissingTopic")
    }

    @Test(
        "location and liveactivity need a provider token, even where the certificate has the topic",
        arguments: [
            ("location", ".location-query"), ("liveactivity", ".push-type.liveactivity"),
        ])
    func needsToken(_ type: String, _ suffix: String) {
        let topic = "com.example.app" + suffix
        for topics in [["com.example.app"], ["com.example.app", topic]] {
            var rig = GatewayRig({ $0.responses.foreignTopic = .badTopic }, facts: Self.facts(TopicList(topics)))
            let seen = rig.send(Self.push(topic, type))
            #expect(seen.reason == "TopicDisallowed")
            for part in [topic, type, "provider token"] {
                #expect(seen.explanation.contains(part), "\(seen.explanation)")
            }
            // As in forums/thread/712499.
            let plain = rig.send(Self.push("com.example.app", type))
            #expect(plain.reason == "DeviceTokenNotForTopic")
            #expect(plain.explanation.contains("provider token"))
        }
        var rig = GatewayRig()
        #expect(
            rig.send(
                ExamplePush {
                    $0.topic = topic
                    $0.fields = [("apns-push-type", type)]
                }
            ).status == 200)
    }

    @Test("The certificate wins over a provider token, good or bad, which is not even counted")
    func authorizationIsIgnored() {
        var rig = GatewayRig(facts: Self.facts(["com.example.app"]))
        for key in ["ABC123DEFG", "WRONGKEY01", "WRONGKEY02", "WRONGKEY03"] {
            var push = Self.push(nil)
            push.token = ExamplePush.bearer(keyID: key, issuedAt: "1")
            let seen = rig.send(push)
            #expect(seen.status == 200)
            #expect(seen.record.authentication == .certificate)
            #expect(seen.record.verdict == .valid)
        }
        #expect(rig.gateway.connections[1]?.providerTokens == 0)
        #expect(rig.gateway.connections[1]?.teamID == nil)
    }
}
