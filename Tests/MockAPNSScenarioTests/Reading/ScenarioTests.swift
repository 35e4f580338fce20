import FoundationEssentials
import MockAPNSCore
import Testing

@testable import MockAPNSScenario

@Suite("Reading scenarios")
struct ScenarioTests {
    @Test("An empty scenario is the behaviour without one")
    func empty() throws {
        let scenario = try read("{}")
        #expect("\(scenario)" == "\(Scenario())")
        let teams = [Authentication.Team(teamID: "DEF123GHIJ", keys: [Authentication.Key(keyID: "ABC123DEFG")])]
        let configuration = scenario.configuration(seed: 1, defaultTeams: teams)
        let plain = GatewayConfiguration(seed: 1, authentication: Authentication(teams: teams))
        #expect("\(configuration)" == "\(plain)")
    }

    @Test("The good files are good", arguments: scenarioFiles("good"))
    func good(file: String) throws {
        let bytes = try scenarioBytes(file)
        let (scenario, mistakes) = Scenario.read(bytes)
        #expect(ScenarioMistake.lines(mistakes, file: file, bytes) == [])
        #expect(scenario != nil)
    }

    @Test("The bad files are bad, some by cross-references only", arguments: scenarioFiles("bad"))
    func bad(file: String) throws {
        let (scenario, mistakes) = Scenario.read(try scenarioBytes(file))
        #expect(scenario == nil)
        #expect(!mistakes.isEmpty)
        #expect(mistakes.allSatisfy(\.isCrossReference) == file.contains("cross-"))
    }

    @Test("All mistakes of a file come at once, in its order")
    func several() {
        let text = """
            { "devices": [ { "token": "12", "onlin": true } ],
              "nme": "é", "seed": "x",
              "rules": [ { "then": { "reject": "Nope" }, "times": 0 } ] }
            """
        let (_, mistakes) = Scenario.read(Array(text.utf8))
        let lines = ScenarioMistake.lines(mistakes, file: "f", Array(text.utf8))
        let places = lines.map { $0.split(separator: ":")[1...2].joined(separator: ":") }
        #expect(places == ["1:27", "1:33", "2:3", "2:23", "3:36", "3:55"])
        #expect(mistakes.map(\.pointer).suffix(2) == ["/rules/0/then/reject", "/rules/0/times"])
    }

    @Test("Identity, connection and responses mean what they say")
    func identity() throws {
        let scenario = try read(file: "good/identity.json")
        #expect(scenario.seed == .max)
        #expect(scenario.environment == .serverName)
        #expect(scenario.clock == .manual(Timestamp("2026-01-01T00:00:00Z")))
        let teams = scenario.authentication.teams
        #expect(teams.map(\.teamID) == ["DEF123GHIJ", "SECONDTEAM"])
        #expect(teams[0].topics?.names == ["com.example.app", "com.example.other-app"])
        #expect(teams[0].keys[1].isForSandbox && !teams[0].keys[1].isForProduction)
        #expect(teams[0].keys[1].related == "TOPICKEY02")
        #expect(teams[1].keys[0].isRevoked)
        #expect(scenario.keySources[0] == [.folder, .file("keys/AuthKey_TOPICKEY01.p8"), .folder])
        #expect(scenario.authentication.providerTokenUpdates?.scope == .team)
        #expect(scenario.authentication.clientCertificates.revoked == ["0A1F", "07"])
        #expect(scenario.clientAuthorities == ["ca.pem"])
        #expect(scenario.connection.idle == .init(after: 3_600_000, then: .close(.silent)))
        #expect(scenario.connection.afterRejection == 1)
        #expect(scenario.responses.invalidJSON == .payloadEmpty)
        #expect(scenario.unknownDevices == .reject)
        guard case .key("ABC123DEFG", true) = scenario.timeline[0].actions[0] else {
            Issue.record("no key was revoked")
            return
        }
    }

    @Test("Devices, timeline and what is expected of devices mean what they say")
    func devices() throws {
        let scenario = try read(file: "good/devices.json")
        let devices = scenario.devices
        #expect(devices[0].isSandbox == nil)
        #expect(devices[1].isSandbox == true)
        #expect(
            devices[1].token == DeviceToken(hex: "10fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"))
        #expect(!devices[0].isOnline && devices[1].savesPower && !devices[2].phone.allowsNotifications)
        #expect(devices[1].rate == PushRate(allowed: 3, per: 60_000))
        #expect(devices[2].registration == .unregistered(at: nil, acceptFor: 0))
        let time = try #require(Timestamp("2024-02-29T11:00:00.5Z"))
        #expect(devices[3].registration == .unregistered(at: time, acceptFor: 86_400_000))
        #expect(devices[3].topics.isEmpty)
        let entries = scenario.timeline
        #expect(entries.map(\.delay) == [600_000, 0, 0, 2_592_000_000])
        #expect(entries[1].after?.match.onlyDevices == [0])
        #expect(entries[1].after?.count == 2)
        guard case .device(1, let change) = entries[0].actions[1], case .advance(3_600_000) = entries[1].actions[0],
            case .goAway(let plan, connection: 2) = entries[3].actions[0],
            case .settings(StreamLimitChange(maxConcurrentStreams: 0, duration: 5000), connection: 3) =
                entries[3].actions[3]
        else {
            Issue.record("other actions")
            return
        }
        #expect(
            change.savesPower == false && change.phone.permission.authorization == .denied && change.isOnline == nil)
        #expect(plan == GoAwayPlan([.init(debugData: Array("bye".utf8)), .init()], then: .stayOpen))
        guard case .device(0, let state) = scenario.expectations[0].form else {
            Issue.record("another form")
            return
        }
        #expect(scenario.expectations.map(\.name) == ["shown", "expect[1]"])
        #expect(state.badge == 3)
        #expect(state.received == CountRange(atLeast: 1, atMost: 4))
        #expect(state.displayed?.count == 2)
        guard case .matcher(.exists(false)) = state.displayed?[1].last?.content else {
            Issue.record("a matcher was taken for a value")
            return
        }
    }

    @Test("Rules and expectations mean what they say")
    func rules() throws {
        let scenario = try read(file: "good/rules.json")
        let rule = scenario.rules[0]
        #expect(rule.match.onlyDevices == [0])
        #expect(rule.match.onlyTexts(of: .pushType) == [Array("alert".utf8), Array("voip".utf8)])
        #expect(rule.match.conditions.contains(.field(.token, .prefix(Array("00fc".utf8)))))
        #expect(rule.match.conditions.contains(.header("user-agent", .contains(Array("curl".utf8)))))
        #expect(rule.match.conditions.contains(.header("apns-id", .exists(false))))
        let pointer = try #require(JSONPointer("/aps/badge"))
        #expect(rule.match.conditions.contains(.payload(pointer, .decimalRange(atLeast: 0.5, atMost: 3))))
        #expect(rule.match.conditions.contains(.field(.topic, .pattern(#"com\.example\.(app|game)(\.voip)?"#))))
        #expect(rule.skip == 1 && rule.times == 40 && rule.every == 2 && rule.probability == 0.5)
        #expect(rule.repetition == .cycle && rule.countPer == .token)
        guard case .push(let steps) = rule.steps,
            case .reject(.expiredToken, nil, Timestamp(milliseconds: 1_454_948_015_990)) = steps[2].outcome,
            case .respond(let answer) = steps[3].outcome, case .resetStream([7, 5]) = steps[7].outcome,
            case .goAway(let plan) = steps[9].outcome
        else {
            Issue.record("other steps")
            return
        }
        #expect(steps[0].delay == .fixed(50) && steps[0].retryAfter == 3)
        #expect(steps[4].delay == .lognormal(median: 40, p99: 2000))
        #expect(answer.body == Array(#"{"short":[1,"and",null]}"#.utf8))
        #expect(answer.fields.map(\.value) == ["yes", "a", "b"])
        #expect(plan.frames.map(\.lastStream) == [.previous, .this] && plan.frames[1].errorCode == 2)
        let others = scenario.rules[1...]
        #expect(others.map(\.trigger) == [.connect, .connect, .ping, .ping, .ping, .push, .push])
        #expect(others.map(\.repetition) == [.last, .stop, .last, .last, .last, .last, .last])
        #expect(others.map(\.name) == (1...6).map { "rules[\($0)]" } + ["the rest"])
        guard case .connect(let first) = others[1].steps, case .tlsAlert(45) = first[0].outcome,
            case .connect(let second) = others[2].steps,
            case .goAway(let early, beforeSettings: true) = second[2].outcome,
            case .requests(_, count: CountRange(atLeast: 3, atMost: 3), distinct: .payload, each: nil) =
                scenario.expectations[1].form,
            case .spacing(let spacing, each: .token) = scenario.expectations[3].form
        else {
            Issue.record("others")
            return
        }
        #expect(early.frames[0].lastStream == .zero && early.then == .close)
        #expect(spacing.atMost == .list([2000, 4000]))
    }

    @Test("Parts are read by themselves, with the names of the scenario")
    func parts() throws {
        let scenario = try read(file: "good/devices.json")
        let text = #"{"when":{"device":"bob"},"then":{"stall":true}}"#
        let rule = scenario.rule(from: try JSONText.read(Array(text.utf8)), defaultName: "new")
        #expect(rule.0?.name == "new" && rule.0?.match.onlyDevices == [1])
        let match = scenario.match(from: try JSONText.read(Array(#"{"device":"bobb"}"#.utf8)))
        #expect(match.0 == nil && match.1.map(\.pointer) == ["/device"])
        let change = scenario.deviceChange(from: try JSONText.read(Array(#"{"online":false}"#.utf8)))
        #expect(change.0?.isOnline == false)
        #expect(scenario.ending(from: try JSONText.read(Array(#""reset""#.utf8))).0 == .reset)
    }

    @Test(
        "Patterns are those of PCRE2, of at most 1000 characters",
        arguments: [
            ("(a+)+", true), ("(.|.)*x", true), ("a+", true), ("(ab|c)*d+", true), (#"(a\+)+"#, true),
            ("([a+])+", true),
            (#"(\Qa+\E)"#, true), (#"(a)\Qb"#, true), (#"\x{1F642}\p{Greek}\X"#, true), ("(?<n>a)(?&n)?", true),
            ("(?<=a)b", true), ("a{2", true), (String(repeating: "ä", count: 1000), true),
            (String(repeating: "a", count: 1001), false), ("(a", false), (#"a\"#, false), ("(?#", false), ("[", false),
            ("*", false), (#"\u{41}"#, false), (#"\C"#, false), (String(repeating: "(", count: 60), false),
            (String(repeating: "(", count: 60) + String(repeating: ")", count: 60), false),
        ])
    func patterns(pattern: String, isGood: Bool) throws {
        var text = #"{"rules":[{"when":{"topic":{"matches":""#
        text += pattern.replacing(#"\"#, with: #"\\"#) + #""}},"then":{"pass":true}}]}"#
        let (scenario, mistakes) = Scenario.read(Array(text.utf8))
        #expect((scenario != nil) == isGood, "\(mistakes)")
    }

    @Test(
        "Durations",
        arguments: [
            ("250ms", 250), ("5s", 5000), ("20m", 1_200_000), ("1h", 3_600_000), ("30d", 2_592_000_000), ("0s", 0),
            ("007s", 7000), ("99999d", 8_639_913_600_000), ("100000d", nil), ("5", nil), ("s", nil), ("5 s", nil),
            ("-5s", nil), ("1.5s", nil), ("5S", nil), ("5sec", nil), ("", nil), ("1h30m", nil), ("\u{665}s", nil),
        ] as [(String, Int64?)])
    func durations(text: String, milliseconds: Int64?) {
        #expect(DurationText.milliseconds(text) == milliseconds)
        if let milliseconds { #expect(DurationText.milliseconds(DurationText.text(milliseconds)) == milliseconds) }
    }

    private func read(_ text: String) throws -> Scenario {
        let (scenario, mistakes) = Scenario.read(Array(text.utf8))
        return try #require(scenario, "\(mistakes)")
    }

    private func read(file: String) throws -> Scenario {
        let (scenario, mistakes) = Scenario.read(try scenarioBytes(file))
        return try #require(scenario, "\(mistakes)")
    }
}

/// The scenarios of a folder below `Tests/Scenarios`.
func scenarioFiles(_ folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: scenarioFolder + folder)) ?? []
    return names.filter { $0.hasSuffix(".json") }.sorted().map { "\(folder)/\($0)" }
}

/// The text of a scenario below `Tests/Scenarios`.
func scenarioBytes(_ file: String) throws -> [UInt8] {
    Array(try #require(FileManager.default.contents(atPath: scenarioFolder + file)))
}

private let scenarioFolder =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/") + "/Scenarios/"
