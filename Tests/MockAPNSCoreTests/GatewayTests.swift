import Testing

@testable import MockAPNSCore

@Suite struct GatewayTests {
    // MARK: Provider tokens

    private static func bearer(_ number: Int, team: String = "DEF123GHIJ", key: String = "ABC123DEFG") -> ExamplePush {
        ExamplePush { $0.token = ExamplePush.bearer(keyID: key, teamID: team, issuedAt: "\(1_795_255_000 + number)") }
    }

    @Test("Without a bearer token a push is MissingProviderToken, and says what it had instead")
    func missing() {
        var rig = GatewayRig()
        var seen = rig.send(ExamplePush { $0.token = nil })
        #expect(seen.status == 403)
        #expect(seen.reason == "MissingProviderToken")
        #expect(seen.explanation.contains("no authorization field"))
        #expect(seen.record.verdict == .refused(.missingProviderToken))
        seen = rig.send(ExamplePush { $0.token = "eyJhbGciOiJFUzI1NiJ9.e30.secretsecret" })
        #expect(seen.reason == "MissingProviderToken")
        #expect(seen.explanation.contains(#""eyJhbGciOiJFUzI1NiJ9.e30""#))
        #expect(!seen.explanation.contains("secret"))
    }

    @Test(
        "Whose token it is: team, key, revocation, signature",
        arguments: [
            ("DEF123GHIJ", "ABC123DEFG", true, nil),
            ("DEF123GHIJ", "ABC123DEFG", false, "ABC123DEFG"),
            ("DEF123GHIX", "ABC123DEFG", true, "DEF123GHIX"),
            ("DEF123GHIJ", "ABC123DEFX", true, "ABC123DEFX"),
            ("DEF123GHIJ", "REVOKEDKEY", true, "revoked"),
            ("OTHERTEAM1", "ABC123DEFG", true, "DEF123GHIJ"),
            ("short", "ABC123DEFG", true, "short"),
        ] as [(String, String, Bool, String?)])
    func identity(_ team: String, _ key: String, _ isVerified: Bool, _ shown: String?) {
        var rig = GatewayRig {
            $0.authentication.teams[0].keys.append(.init(keyID: "REVOKEDKEY", isRevoked: true))
            $0.authentication.teams.append(.init(teamID: "OTHERTEAM1", keys: [.init(keyID: "OTHERKEY12")]))
        }
        var push = Self.bearer(0, team: team, key: key)
        if !isVerified { push.proof = .notVerified }
        let seen = rig.send(push)
        #expect(seen.reason == (shown == nil ? nil : "InvalidProviderToken"))
        #expect(seen.record.verdict == (shown == nil ? .valid : .refused(.invalidProviderToken)))
        if let shown { #expect(seen.explanation.contains(shown), "\(seen.explanation)") }
    }

    @Test("A key that is revoked, and a configuration that is replaced, count at once")
    func revocation() {
        var rig = GatewayRig()
        #expect(rig.send().status == 200)
        #expect(rig.send().status == 200)
        var configuration = rig.gateway.configuration
        configuration.authentication.teams[0].keys[0].isRevoked = true
        rig.gateway.configure(configuration)
        let seen = rig.send()
        #expect(seen.reason == "InvalidProviderToken")
        #expect(seen.explanation.contains("ABC123DEFG"))
    }

    @Test(
        "A token is good from an hour before its iat to an hour after",
        arguments: [
            (3600, 0, nil), (3600, 1, "ExpiredProviderToken"), (3601, 0, "ExpiredProviderToken"), (-3600, 0, nil),
            (-3600, -1, "ExpiredProviderToken"), (-3601, 0, "ExpiredProviderToken"), (0, 0, nil),
        ] as [(Int64, Int64, String?)])
    func age(_ seconds: Int64, _ milliseconds: Int64, _ reason: String?) {
        var rig = GatewayRig()
        let issuedAt = GatewayRig.now.seconds - seconds
        rig.now = Timestamp(milliseconds: GatewayRig.now.milliseconds + milliseconds)
        let push = ExamplePush { $0.token = ExamplePush.bearer(issuedAt: "\(issuedAt)") }
        let seen = rig.send(push)
        #expect(seen.reason == reason)
        if reason != nil { #expect(seen.explanation.contains("\(issuedAt)"), "\(seen.explanation)") }
    }

    @Test("A token grows too old on its connection, although it was good before")
    func growsOld() {
        var rig = GatewayRig()
        let push = Self.bearer(0)
        #expect(rig.send(push).status == 200)
        rig.now = Timestamp(seconds: 1_795_255_000 + 3600)
        #expect(rig.send(push).status == 200)
        rig.now.milliseconds += 1
        #expect(rig.send(push).reason == "ExpiredProviderToken")
    }

    @Test("providerTokenLifetime decides what is old")
    func lifetime() {
        var rig = GatewayRig { $0.authentication.providerTokenLifetime = 5000 }
        let push = Self.bearer(0)
        rig.now = Timestamp(seconds: 1_795_255_005)
        #expect(rig.send(push).status == 200)
        rig.now.milliseconds += 1
        let seen = rig.send(push)
        #expect(seen.reason == "ExpiredProviderToken")
        #expect(seen.explanation.contains("5 s"))
    }

    @Test("An iat in milliseconds is far ahead, and the explanation says why")
    func milliseconds() {
        var rig = GatewayRig()
        let seen = rig.send(ExamplePush { $0.token = ExamplePush.bearer(issuedAt: "1795255100000") })
        #expect(seen.reason == "ExpiredProviderToken")
        #expect(seen.explanation.contains("1795255100000"))
        #expect(seen.explanation.contains("milliseconds"))
        for absurd in ["1e300", "-1e300", "9223372036854775807", "-9223372036854775808", "99999999999999999999"] {
            var other = GatewayRig()
            #expect(
                other.send(ExamplePush { $0.token = ExamplePush.bearer(issuedAt: absurd) }).reason
                    == "ExpiredProviderToken")
        }
    }

    @Test("The first good push binds the connection to its team; another team needs another connection")
    func binding() {
        var rig = GatewayRig {
            $0.authentication.teams.append(.init(teamID: "OTHERTEAM1", keys: [.init(keyID: "OTHERKEY12")]))
        }
        let mine = Self.bearer(0)
        let others = Self.bearer(0, team: "OTHERTEAM1", key: "OTHERKEY12")
        let old = ExamplePush {
            $0.token = ExamplePush.bearer(keyID: "OTHERKEY12", teamID: "OTHERTEAM1", issuedAt: "1")
        }
        #expect(rig.send(old).reason == "ExpiredProviderToken")
        #expect(rig.gateway.connections[1]?.teamID == nil, "a token that is no good binds nothing")
        var fresh = rig.gateway.openConnection(.example, at: rig.now)
        #expect(rig.send(mine, on: fresh).status == 200)
        #expect(rig.gateway.connections[fresh]?.teamID == "DEF123GHIJ")
        let seen = rig.send(others, on: fresh)
        #expect(seen.reason == "InvalidProviderToken")
        #expect(seen.explanation.contains("OTHERTEAM1") && seen.explanation.contains("DEF123GHIJ"))
        #expect(rig.send(mine, on: fresh).status == 200)
        fresh = rig.gateway.openConnection(.example, at: rig.now)
        #expect(rig.send(others, on: fresh).status == 200)
    }

    @Test("Another key of the same team may share the connection")
    func secondKey() {
        var rig = GatewayRig()
        #expect(rig.send(Self.bearer(0)).status == 200)
        let seen = rig.send(Self.bearer(0, key: "ABC123DEFH"))
        #expect(seen.status == 200)
        #expect(seen.record.providerToken == 2)
        #expect(rig.send(Self.bearer(0)).record.providerToken == 1)
        #expect(rig.gateway.connections[1]?.providerTokens == 2)
    }

    // MARK: The rate of new tokens

    @Test("Two new tokens in 20 minutes on a connection; the third is too many until the window has passed")
    func updateRate() {
        var rig = GatewayRig()
        let minute: Int64 = 60_000
        #expect(rig.send(Self.bearer(0)).status == 200)
        rig.now.milliseconds += 5 * minute
        #expect(rig.send(Self.bearer(1)).status == 200)
        #expect(rig.send(Self.bearer(0)).status == 200, "a token that is known is not new")
        let third = rig.send(Self.bearer(2))
        #expect(third.status == 429)
        #expect(third.reason == "TooManyProviderTokenUpdates")
        for part in ["1795255002", "ABC123DEFG", "connection 1", "20 min", "2026-11-21T10:20:00.000Z", "2"] {
            #expect(third.explanation.contains(part), "\(third.explanation)")
        }
        #expect(rig.send(Self.bearer(2)).status == 429)
        #expect(rig.send(Self.bearer(3)).status == 429)
        #expect(rig.send(Self.bearer(1)).status == 200)
        rig.now.milliseconds = GatewayRig.now.milliseconds + 20 * minute - 1
        #expect(rig.send(Self.bearer(2)).status == 429)
        rig.now.milliseconds += 1
        #expect(rig.send(Self.bearer(2)).status == 200)
        #expect(rig.send(Self.bearer(3)).status == 429)
        #expect(rig.send(Self.bearer(0)).status == 200, "the first is still not new")
        let other = rig.gateway.openConnection(.example, at: rig.now)
        #expect(rig.send(Self.bearer(3), on: other).status == 200, "another connection counts for itself")
    }

    @Test("The rate is judged before the signature (forums/thread/770438)")
    func rateBeforeSignature() {
        var rig = GatewayRig()
        let reasons = (0..<4).map { number in
            rig.send(
                ExamplePush {
                    $0.token = ExamplePush.bearer(keyID: "WRONGKEY0\(number)")
                    $0.proof = .notVerified
                }
            ).reason
        }
        #expect(
            reasons == [
                "InvalidProviderToken", "InvalidProviderToken", "TooManyProviderTokenUpdates",
                "TooManyProviderTokenUpdates",
            ])
    }

    @Test("The rate by team counts over connections, and each team for itself")
    func rateByTeam() {
        var rig = GatewayRig {
            $0.authentication.teams.append(.init(teamID: "OTHERTEAM1", keys: [.init(keyID: "OTHERKEY12")]))
            $0.authentication.providerTokenUpdates = .init(allowed: 2, per: 1000, scope: .team)
        }
        let connections = (0..<4).map { _ in rig.gateway.openConnection(.example, at: rig.now) }
        #expect(rig.send(Self.bearer(0), on: connections[0]).status == 200)
        #expect(rig.send(Self.bearer(0), on: connections[1]).status == 200)
        #expect(rig.send(Self.bearer(1), on: connections[1]).status == 200)
        let seen = rig.send(Self.bearer(2), on: connections[2])
        #expect(seen.reason == "TooManyProviderTokenUpdates")
        #expect(seen.explanation.contains(#"team "DEF123GHIJ""#))
        #expect(rig.send(Self.bearer(0, team: "OTHERTEAM1", key: "OTHERKEY12"), on: connections[3]).status == 200)
        rig.now.milliseconds += 1000
        #expect(rig.send(Self.bearer(2), on: connections[2]).status == 200)
    }

    @Test("The rate by listener counts all teams together")
    func rateByListener() {
        var rig = GatewayRig {
            $0.authentication.teams.append(.init(teamID: "OTHERTEAM1", keys: [.init(keyID: "OTHERKEY12")]))
            $0.authentication.providerTokenUpdates = .init(allowed: 1, per: 1000, scope: .listener)
        }
        #expect(rig.send(Self.bearer(0)).status == 200)
        let other = rig.gateway.openConnection(.example, at: rig.now)
        #expect(rig.send(Self.bearer(0), on: other).status == 200)
        let third = rig.gateway.openConnection(.example, at: rig.now)
        let push = Self.bearer(0, team: "OTHERTEAM1", key: "OTHERKEY12")
        #expect(rig.send(push, on: third).reason == "TooManyProviderTokenUpdates")
        rig.now.milliseconds += 1000
        #expect(rig.send(push, on: third).status == 200)
    }

    @Test("The rate can be switched off")
    func noRate() {
        var rig = GatewayRig { $0.authentication.providerTokenUpdates = nil }
        for number in 0..<200 { #expect(rig.send(Self.bearer(number)).status == 200) }
        #expect(rig.gateway.connections[1]?.providerTokens == 200)
    }

    // MARK: Modes

    @Test("decode: keys and signatures do not matter, the rest does")
    func decode() {
        var rig = GatewayRig { $0.authentication.mode = .decode }
        func push(_ change: (inout ExamplePush) -> Void) -> ExamplePush {
            var push = ExamplePush { $0.proof = .notVerified }
            change(&push)
            return push
        }
        #expect(
            rig.send(push { $0.token = ExamplePush.bearer(keyID: "MYOWNKEY12", teamID: "MYOWNTEAM1") }).status == 200)
        #expect(rig.send(push { _ in }).explanation.contains("MYOWNTEAM1"))
        var other = GatewayRig { $0.authentication.mode = .decode }
        #expect(other.send(push { $0.token = ExamplePush.bearer(keyID: "SHORT") }).reason == "InvalidProviderToken")
        #expect(other.send(push { $0.token = ExamplePush.bearer(issuedAt: "1") }).reason == "ExpiredProviderToken")
        #expect(other.send(push { $0.token = nil }).reason == "MissingProviderToken")
    }

    @Test("none: nothing is asked for, and all streams are allowed with the first push")
    func noAuthentication() {
        var rig = GatewayRig { $0.authentication.mode = .none }
        let seen = rig.send(ExamplePush { $0.token = nil })
        #expect(seen.status == 200)
        #expect(seen.streamLimit == 1000)
        #expect(seen.record.authentication == .none)
        #expect(seen.record.verdict == .notJudged)
        #expect(rig.send(ExamplePush { $0.token = "bearer nonsense" }).status == 200)
    }

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

    @Test("A token that nobody declared belongs to the first topic that pushes to it, in either case of its digits")
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

    // MARK: Streams and answers

    @Test("The stream limit is raised with the first valid provider token, once")
    func streamLimit() {
        var rig = GatewayRig()
        #expect(rig.gateway.configuration.initialStreamLimit(for: .example) == 1)
        #expect(rig.send(ExamplePush { $0.token = nil }).streamLimit == nil)
        #expect(rig.send(ExamplePush { $0.token = ExamplePush.bearer(issuedAt: "1") }).streamLimit == nil)
        // A valid token raises it also with a push that is refused for something else.
        #expect(rig.send(ExamplePush { $0.body = [] }).streamLimit == 1000)
        for _ in 0..<10 { #expect(rig.send().streamLimit == nil) }
        let other = rig.gateway.openConnection(.example, at: rig.now)
        #expect(rig.send(on: other).streamLimit == 1000)

        var open = GatewayRig { $0.connection.beforeAuthentication = 1000 }
        #expect(open.send().streamLimit == nil)
    }

    @Test("The client's apns-id is echoed to the byte; a bad one and a repeated one are replaced")
    func apnsID() {
        var rig = GatewayRig()
        for id in ["eabeae54-14a8-11e5-b60b-1697f925ec7b", "EABEAE54-14a8-11E5-B60B-1697F925EC7B"] {
            #expect(rig.send(ExamplePush(("apns-id", id))).apnsID == id)
            #expect(rig.send(ExamplePush(("apns-id", id), ("apns-priority", "7"))).apnsID == id)
            let twice = rig.send(ExamplePush(("apns-id", id), ("apns-id", id)))
            #expect(twice.reason == "DuplicateHeaders")
            #expect(twice.apnsID != id)
        }
        let bad = rig.send(ExamplePush(("apns-id", "12345678")))
        #expect(bad.reason == "BadMessageId")
        #expect(bad.apnsID?.count == 36)
        #expect(bad.apnsID == bad.apnsID?.uppercased())
        #expect(rig.send().apnsID != rig.send().apnsID)
    }

    @Test("apns-unique-id is lower case, and there in the sandbox on 200 only")
    func uniqueID() throws {
        var sandbox = GatewayRig()
        let id = try #require(sandbox.send().uniqueID)
        #expect(id == id.lowercased())
        #expect(id.count == 36)
        #expect(sandbox.send(ExamplePush { $0.body = [] }).uniqueID == nil)
        var production = GatewayRig { $0.environment = .production }
        #expect(production.send().uniqueID == nil)
        for (name, isSandbox) in [
            ("api.push.apple.com", false), ("api-manage-broadcast.push.apple.com", false),
            ("api.sandbox.push.apple.com", true), ("localhost", true), (nil, true),
        ] {
            var facts = ConnectionFacts.example
            facts.serverName = name
            var rig = GatewayRig({ $0.environment = .serverName }, facts: facts)
            #expect((rig.send().uniqueID != nil) == isSandbox)
        }
    }

    @Test("The same seed makes the same ids")
    func seed() {
        func ids(_ seed: UInt64) -> [String?] {
            var rig = GatewayRig { $0.seed = seed }
            return (0..<5).flatMap { _ -> [String?] in
                let seen = rig.send()
                return [seen.apnsID, seen.uniqueID]
            }
        }
        #expect(ids(1) == ids(1))
        #expect(ids(1) != ids(2))
        #expect(Set(ids(1)).count == 10)
    }

    // MARK: Switches

    @Test("responses.backgroundPriority10")
    func backgroundPriority10() {
        let push = ExamplePush(("apns-push-type", "background"), ("apns-priority", "10"))
        var accepting = GatewayRig { $0.responses.backgroundPriority10 = .accept }
        #expect(accepting.send(push).record.delivery == .delivered)
        var dropping = GatewayRig { $0.responses.backgroundPriority10 = .drop }
        let seen = dropping.send(push)
        #expect(seen.status == 200)
        #expect(seen.record.delivery == nil)
        #expect(dropping.send().record.delivery == .delivered)
    }

    @Test("responses.invalidJSON")
    func invalidJSON() {
        var rig = GatewayRig { $0.responses.invalidJSON = .payloadEmpty }
        #expect(rig.send().status == 200)
        let seen = rig.send(ExamplePush { $0.body = Array(#"{"aps":}"#.utf8) })
        #expect(seen.reason == "PayloadEmpty")
        #expect(seen.explanation.contains(#"{\"aps\":}"#))
    }

    // MARK: What was not a push

    @Test("What the transport dealt with is recorded, and not answered")
    func faults() {
        for (fault, outcome, status, shown) in [
            (.headerListTooLarge, .responded, 431, "8000"), (.refused, .reset, nil, "REFUSED_STREAM"),
            (.malformed("no :authority"), .reset, nil, "no :authority"), (.cancelled, .cancelled, nil, ""),
            (.ignored, .ignored, nil, "GOAWAY"),
        ] as [(RequestFacts.Fault, Outcome, UInt16?, String)] {
            var rig = GatewayRig()
            let seen = rig.send(ExamplePush { $0.fault = fault })
            #expect(seen.status == nil)
            #expect(seen.streamLimit == nil)
            #expect(seen.record.status == status)
            #expect(seen.record.outcome == outcome)
            #expect(seen.record.decidedBy == .connection)
            #expect(shown.isEmpty ? seen.explanation.isEmpty : seen.explanation.contains(shown))
            #expect(rig.gateway.connections[1]?.requests == 1)
        }
    }

    @Test("Connections: numbers, ends, and a bound on those that are closed")
    func connections() {
        var rig = GatewayRig()
        for id in 2...5000 {
            #expect(rig.gateway.openConnection(.example, at: rig.now) == id)
            if id % 2 == 0 {
                var counters = ConnectionCounters()
                counters.pings = id
                rig.gateway.closeConnection(id, by: .server, counters: counters, at: rig.now)
            }
        }
        #expect(rig.gateway.connections.count == 5000)
        #expect(rig.gateway.connections.openCount == 2500)
        #expect(rig.gateway.connections[2] == nil)
        #expect(rig.gateway.connections[5000]?.counters.pings == 5000)
        #expect(rig.gateway.connections[5000]?.closedBy == .server)
        #expect(rig.gateway.connections.all.map(\.id) == rig.gateway.connections.all.map(\.id).sorted())
        for id in stride(from: 1, to: 5000, by: 2) {
            #expect(rig.send(on: id).record.connection == UInt32(id))
            #expect(rig.gateway.connections[id]?.requests == 1)
        }
    }
}
