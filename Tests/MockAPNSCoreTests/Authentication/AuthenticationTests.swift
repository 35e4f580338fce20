import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

@Suite struct AuthenticationTests {
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
        #expect(seen.record.verdict == .rejected(.missingProviderToken))
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
        #expect(seen.record.verdict == (shown == nil ? .valid : .rejected(.invalidProviderToken)))
        if let shown { #expect(seen.explanation.contains(shown), "\(seen.explanation)") }
    }

    @Test("A key that is revoked counts at once")
    func revocation() {
        var rig = GatewayRig()
        #expect(rig.send().status == 200)
        #expect(rig.send().status == 200)
        #expect(rig.gateway.revoke("ABC123DEFG") == true)
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

    @Test("A token that was good is too new once the clock was set back by more than an hour")
    func clockSetBack() {
        var rig = GatewayRig()
        let push = Self.bearer(0)
        #expect(rig.send(push).status == 200)
        rig.now = Timestamp(seconds: 1_795_255_000 - 3600)
        #expect(rig.send(push).status == 200)
        rig.now.milliseconds -= 1
        #expect(rig.send(push).reason == "ExpiredProviderToken")
        rig.now.milliseconds += 1
        #expect(rig.send(push).status == 200)
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

    @Test("The scenario's clock judges the age and the updates of tokens if it is told to")
    func scenarioClock() throws {
        for follows in [false, true] {
            let text = #"{"clock": {"manual": "2026-11-21T09:00:00Z", "providerTokens": \#(follows)}}"#
            let scenario = try #require(Scenario.read(Array(text.utf8)).0)
            #expect(scenario.authentication.followsClock == follows)
            var rig = GatewayRig { $0.authentication.followsClock = scenario.authentication.followsClock }
            // The real time is three hours and more after the clock.
            let clock = Timestamp(seconds: GatewayRig.now.seconds - 4 * 3600)
            func push(_ age: Int64) -> ExamplePush {
                ExamplePush { $0.token = ExamplePush.bearer(issuedAt: "\(clock.seconds - age)") }
            }
            rig.clock = clock
            let seen = rig.send(push(10))
            #expect(seen.status == (follows ? 200 : 403))
            #expect(rig.send(push(10)).status == (follows ? 200 : 403))
            guard follows else { continue }
            #expect(rig.send(ExamplePush()).explanation.contains("ahead of the scenario's clock"))
            rig.clock = clock.advanced(by: 3_590_000)
            #expect(rig.send(push(10)).status == 200)
            rig.clock = clock.advanced(by: 3_590_001)
            #expect(rig.send(push(10)).reason == "ExpiredProviderToken")
            // A third token is too many within twenty minutes on that clock.
            #expect(rig.send(push(-3000)).status == 200)
            #expect(rig.send(push(-3001)).status == 200)
            #expect(rig.send(push(-3002)).reason == "TooManyProviderTokenUpdates")
            rig.clock = clock.advanced(by: 3_590_001 + 20 * 60_000)
            #expect(rig.send(push(-3002)).status == 200)
        }
    }

    @Test("An iat in milliseconds is far ahead, and the explanation says why")
    func milliseconds() {
        var rig = GatewayRig()
        let seen = rig.send(ExamplePush { $0.token = ExamplePush.bearer(issuedAt: "1795255100000") })
        #expect(seen.reason == "ExpiredProviderToken")
        #expect(seen.explanation.contains("1795255100000"))
        #expect(seen.explanation.contains("milliseconds"))
        for (issuedAt, isHinted) in [("100000000000", false), ("100000000001", true), ("1795270000", false)] {
            var other = GatewayRig()
            let seen = other.send(ExamplePush { $0.token = ExamplePush.bearer(issuedAt: issuedAt) })
            #expect(seen.reason == "ExpiredProviderToken" && seen.explanation.contains("milliseconds") == isHinted)
        }
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
        var other = GatewayRig {
            $0.authentication.mode = .decode
            $0.authentication.providerTokenUpdates = nil
        }
        #expect(other.send(push { $0.token = ExamplePush.bearer(keyID: "SHORT") }).reason == "InvalidProviderToken")
        #expect(other.send(push { $0.token = ExamplePush.bearer(teamID: "SHORT") }).reason == "InvalidProviderToken")
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
        #expect(seen.record.verdict == nil)
        #expect(rig.send(ExamplePush { $0.token = "bearer nonsense" }).status == 200)
    }
}
