import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// A scenario with the rules and the devices as they are now.
@Suite struct CurrentScenarioTests {
    @Test func generatedTokensStayTheSame() throws {
        let text = #"{"seed": 7, "devices": [{"online": false}, {"name": "bob"}]}"#
        let rig = try Rig(text)
        let tokens = rig.gateway.scenario.devices.map(\.token.hex)
        let current = try rig.current()
        #expect(current.contains(#"{"token": "\#(tokens[0])", "online": false}"#), "\(current)")
        #expect(current.contains(#"{"token": "\#(tokens[1])", "name": "bob"}"#), "\(current)")
        // The same text has the same tokens, wherever it is read.
        let again = try #require(Scenario.read(Array(text.utf8)).0)
        #expect(again.devices.map(\.token.hex) == tokens)
        let other = try #require(Scenario.read(Array(text.replacing("7", with: "8").utf8)).0)
        #expect(other.devices.map(\.token.hex).allSatisfy { !tokens.contains($0) })
        #expect(Set(tokens).count == 2 && tokens.allSatisfy { $0.count == 64 })
    }

    private struct Rig: ~Copyable {
        var gateway: Gateway
        let text: [UInt8]
        var now = GatewayRig.now

        init(_ text: String) throws {
            self.text = Array(text.utf8)
            let (read, mistakes) = Scenario.read(self.text)
            let scenario = try #require(read, "\(mistakes)")
            gateway = Gateway(
                scenario.configuration(seed: 1, defaultTeams: GatewayRig.teams), scenario: scenario,
                startedAt: GatewayRig.now)
            now = scenario.start(at: GatewayRig.now)
        }

        mutating func add(_ rule: String) throws {
            let rule = try #require(
                gateway.scenario.rule(from: try JSONText.read(Array(rule.utf8)), defaultName: "").0)
            #expect(gateway.add(rule, at: now) != nil)
        }

        mutating func declare(_ device: String) throws {
            let drawn = gateway.drawDeviceToken()
            let device = try #require(
                gateway.scenario.device(from: try JSONText.read(Array(device.utf8)), drawn: drawn).0)
            #expect(gateway.declare(device, at: now) != nil)
        }

        mutating func change(_ name: String, _ change: String) throws {
            let change = try #require(gateway.scenario.deviceChange(from: try JSONText.read(Array(change.utf8))).0)
            let device = gateway.devices.find(name: name)
            _ = gateway.change(try #require(device), change, at: now)
        }

        /// The text, or the first mistake.
        func current() throws -> String {
            var current = try CurrentScenario(
                gateway.scenario, text, rules: gateway.rulesInForce, in: gateway.configuration.environment, at: now,
                .never)
            var position: Int? = 0
            while let from = position {
                let (devices, next) = gateway.declaredDevices(from: from, count: 2)
                current.take(devices)
                position = next
            }
            let (edits, mistakes) = current.edits(trustedKeyIDs: [], .never)
            guard let edits else { return try #require(mistakes.first?.message) }
            let result = JSONText.applying(edits, to: text)
            #expect(Scenario.read(result).1.isEmpty)
            return String(decoding: result, as: UTF8.self)
        }

        func value(_ key: String) throws -> JSONText.Value? { try JSONText.read(Array(current().utf8))[key] }
    }

    private static func token(_ number: Int) -> String { String(repeating: "\(number)", count: 64) }

    private static let written = """
        { "name": "it", "seed": 7,
          "devices": [
            {"name": "alice", "token": "\(token(1))", "topic": "com.example.app", "$comment": "she"},
            {"name": "bob", "token": "\(token(2))", "online": false, "registered": false},
            {"token": "\(token(3))"}
          ],
          "rules": [
            {"when": {"device": "alice"}, "then": {"reject": "BadTopic"}},
            {"name": "late", "times": 2, "then": {"pass": true, "delay": "1s"}}
          ],
          "timeline": [{"at": "1h", "do": {"device": "bob", "online": true}}] }

        """

    @Test func unchangedPartsStayAsWritten() throws {
        let rig = try Rig(Self.written)
        #expect(try JSONText.read(Array(try rig.current().utf8)).means(try JSONText.read(Array(Self.written.utf8))))
        #expect(try rig.current().hasPrefix(#"{ "name": "it", "seed": 7,"#))
        #expect(try Rig("{}").current() == "{}")
        #expect(try Rig(#"{"rules": [], "devices":[]}"#).current() == #"{"rules": [], "devices":[]}"#)
    }

    @Test func rulesAreThoseInForceInTheirOrder() throws {
        var rig = try Rig(Self.written)
        try rig.add(#"{"times": 3, "then": {"reject": "TooManyRequests"}, "$comment": "page"}"#)
        try rig.add(#"{"name": "\"gone\"", "when": {"topic": "a.b"}, "then": {"close": "reset"}}"#)
        let rules = try #require(try rig.value("rules")?.array)
        // Names of before stay, so that what names a rule means the same.
        #expect(rules.map { $0["name"]?.string } == ["\"gone\"", "rule-1", "rules[0]", "late"])
        let added = #"{"name": "rule-1", "times": 3, "then": {"reject": "TooManyRequests"}, "$comment": "page"}"#
        #expect(rules[1].means(try JSONText.read(Array(added.utf8))))
        #expect(rig.gateway.remove(rule: "late", at: rig.now) && rig.gateway.remove(rule: "rule-1", at: rig.now))
        #expect(try rig.value("rules")?.array?.map { $0["name"]?.string } == ["\"gone\"", "rules[0]"])
        // Another rule may have the name of one of the scenario.
        try rig.add(#"{"name": "late", "then": {"stall": true}, "times": 1}"#)
        #expect(try rig.value("rules")?[0]?["then"]?["stall"]?.bool == true)
    }

    @Test("Rules that can never decide now stay, in their order: the one before them says how often, at last")
    func rulesBehindOneThatDecidesEverything() throws {
        var rig = try Rig(Self.written)
        let names = ["again", "all", "first", "alice", "rules[0]", "late"]
        try rig.add(#"{"name": "alice", "when": {"device": "alice"}, "then": {"pass": true}}"#)
        try rig.add(#"{"name": "first", "times": 1, "then": {"stall": true}}"#)
        try rig.add(#"{"name": "all", "then": {"reject": "Shutdown"}}"#)
        try rig.add(#"{"name": "again", "then": [{"reject": "Shutdown"}, {"pass": true}], "repeat": "cycle"}"#)
        let rules = try #require(try rig.value("rules")?.array)
        #expect(rules.map { $0["name"]?.string } == names)
        #expect(rules.map { $0["times"]?.int64 } == [1_000_000_000, 1_000_000_000, 1, 1_000_000_000, nil, 2])
        // What is played back has the same rules, and is kept as it is.
        let text = try rig.current()
        let played = try Rig(text)
        let inForce = played.gateway.rulesInForce.map(\.name)
        #expect(inForce == names)
        #expect(try played.current() == text)
        // Nothing is counted any more when nothing is behind it.
        for name in ["again", "all", "alice"] { _ = rig.gateway.remove(rule: name, at: rig.now) }
        #expect(try rig.value("rules")?.array?.map { $0["times"]?.int64 } == [1, nil, 2])
    }

    @Test func pingRulesDoNotBlockPushRules() throws {
        var rig = try Rig(Self.written)
        for name in ["one", "other"] {
            try rig.add(#"{"name": "\#(name)", "when": {"on": "ping"}, "then": {"ignore": true}}"#)
        }
        let rules = try #require(try rig.value("rules")?.array)
        #expect(rules.map { $0["name"]?.string } == ["other", "one", "rules[0]", "late"])
        #expect(rules.map { $0["times"]?.int64 } == [1_000_000_000, nil, nil, 2])
    }

    @Test func devicesHaveTheirPresentState() throws {
        var rig = try Rig(Self.written)
        try rig.change("alice", #"{"notifications": false, "power": "saving", "online": false}"#)
        try rig.change("bob", #"{"online": true, "registered": true}"#)
        try rig.declare(
            #"{"name": "carol", "token": "\#(Self.token(4))", "topics": ["a.b", "c.d"], "environment": "production", "rate": {"allowed": 3, "per": "90s"}, "power": "saving"}"#
        )
        let devices = try #require(try rig.value("devices")?.array)
        let expected = """
            [{"name": "alice", "token": "\(Self.token(1))", "topic": "com.example.app", "$comment": "she",
              "online": false, "notifications": false, "power": "saving"},
             {"name": "bob", "token": "\(Self.token(2))"}, {"token": "\(Self.token(3))"},
             {"name": "carol", "token": "\(Self.token(4))", "topics": ["a.b", "c.d"], "environment": "production",
              "rate": {"allowed": 3, "per": "90s"}, "power": "saving"}]
            """
        let wanted = try JSONText.read(Array(expected.utf8))
        #expect(try rig.value("devices")?.means(wanted) == true, "\(devices)")
        try rig.change("alice", #"{"notifications": true, "power": "normal", "online": true}"#)
        #expect(
            try rig.current().contains(
                #"{"name": "alice", "token": "\#(Self.token(1))", "topic": "com.example.app", "$comment": "she"}"#))
    }

    @Test func listsThatWereNotThereAreAdded() throws {
        var rig = try Rig("{\n  \"seed\": 7\n}\n")
        try rig.add(#"{"times": 1, "then": {"reject": "Shutdown"}}"#)
        try rig.declare(#"{"name": "dave", "token": "\#(Self.token(5))"}"#)
        let device = #"{"name": "dave", "token": "\#(Self.token(5))"}"#
        let rule = #"{"name": "rule-1", "times":1,"then":{"reject":"Shutdown"}}"#
        #expect(
            try rig.current()
                == "{\n  \"seed\": 7,\n  \"devices\": [\n    \(device)\n  ],\n  \"rules\": [\n    \(rule)\n  ]\n}\n")
        var empty = try Rig("{}")
        try empty.add(#"{"name": "a", "then": {"reject": "Shutdown"}}"#)
        #expect(
            try empty.current() == "{\n  \"rules\": [\n    {\"name\":\"a\",\"then\":{\"reject\":\"Shutdown\"}}\n  ]\n}")
        var last = try Rig(#"{"rules": []}"#)
        try last.declare(device)
        #expect(try last.value("devices")?.array?.count == 1)
    }

    @Test func devicesThatRegisteredThemselvesAreLeftOut() throws {
        var rig = try Rig("{}")
        let token = try #require(DeviceToken(hex: Self.token(6)))
        _ = rig.gateway.state.devices.register(token, topic: nil, isSandbox: true)
        try rig.declare(#"{"token": "\#(Self.token(7))"}"#)
        #expect(try rig.value("devices")?.array?.map { $0["token"]?.string } == [Self.token(7)])
    }

    static let registrations: [(clock: String, change: String, registered: String?)] = [
        (#""real""#, #"{"registered": false}"#, #"{"unregisteredAt": "2026-11-21T10:00:00.000Z"}"#),
        (
            #"{"manual": "2026-01-01T00:00:00Z"}"#, #"{"registered": false}"#,
            #"{"unregisteredAt": "2026-01-01T00:00:00.000Z"}"#
        ),
        (
            #"{"manual": "2026-01-01T00:00:00Z"}"#,
            #"{"registered": {"unregisteredAt": "2026-01-01T00:30:00Z", "acceptFor": "1h"}}"#,
            #"{"unregisteredAt": "2026-01-01T00:00:00.000Z", "acceptFor": "30m"}"#
        ),
        (
            #"{"manual": "2026-01-01T00:00:00Z"}"#, #"{"registered": {"expiredAt": "2026-05-01T00:00:00Z"}}"#,
            #"{"expiredAt": "2026-05-01T00:00:00.000Z"}"#
        ),
        (#""real""#, #"{"registered": true, "online": false}"#, nil),
    ]

    @Test(
        "A token that is no longer registered is not registered when the kept scenario begins either",
        arguments: registrations.indices)
    func registration(index: Int) throws {
        let row = Self.registrations[index]
        var rig = try Rig(
            #"{"clock": \#(row.clock), "devices": [{"name": "alice", "token": "\#(Self.token(1))"}]}"#)
        if row.clock != "\"real\"" { rig.now = rig.now.advanced(by: 3_600_000) }
        try rig.change("alice", row.change)
        let registered = try #require(try rig.value("devices"))[0]?["registered"]
        guard let expected = row.registered else { #expect(registered == nil); return }
        let told = try #require(registered)
        #expect(told.means(try JSONText.read(Array(expected.utf8))), "\(told)")
    }

    @Test func namingARemovedDeviceIsAMistake() throws {
        var rig = try Rig(Self.written)
        let bob = rig.gateway.devices.find(name: "bob")
        _ = rig.gateway.remove(try #require(bob), at: rig.now)
        #expect(try rig.current() == "timeline[0].do.device is \"bob\", but no device has that name")
    }

    @Test(arguments: [
        #""a\"}\\""#, "12.5e-7", "true", "null", #"{"a":[1,{"b":"}"}]}"#, #"[ "]" , [ ] ]"#, "{}", "-0",
    ])
    func aValueEndsWhereItEnds(text: String) throws {
        let bytes = Array("{ \"x\" : \(text)  , \"y\": 1}".utf8)
        let value = try #require(try JSONText.read(bytes)["x"])
        #expect(String(decoding: bytes[JSONText.range(of: value, in: bytes)], as: UTF8.self) == text)
    }
}
