import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// Which rules have never applied: by the counters of the rule book, by a log, and by what replicas ship.
@Suite struct UnusedRulesTests {
    private static func rules(_ rules: String, _ more: String = "") -> String { #""rules": [\#(rules)], \#(more)"# }

    private static let other = #""when": {"topic": "com.example.other"}"#

    @Test(
        "A rule has applied when it has decided, be it that the checks are to",
        arguments: [
            (#"{"then": {"reject": "TooManyRequests"}}"#, true), (#"{"then": {"pass": true}}"#, true),
            (#"{\#(other), "then": {"reject": "TooManyRequests"}}"#, false),
            (#"{"skip": 3, "then": {"pass": true}}"#, false), (#"{"skip": 2, "then": {"pass": true}}"#, true),
            (#"{"every": 4, "then": {"pass": true}}"#, false),
            (#"{"countPer": "token", "then": {"pass": true}}"#, true),
            (#"{"countPer": "token", "skip": 3, "then": {"pass": true}}"#, false),
            (#"{"countPer": "apnsID", "skip": 1, "then": {"pass": true}}"#, false),
            (#"{"times": 1, "then": {"stall": true}}"#, true),
            (#"{"then": {"outage": {"reason": "ServiceUnavailable", "for": "1m"}}}"#, true),
            (#"{"when": {"on": "broadcast"}, "then": {"reject": "TooManyRequests"}}"#, false),
        ])
    func applied(_ rule: String, _ isUsed: Bool) throws {
        var rig = try RecordedRig("", Self.rules(rule))
        #expect(rig.rig.gateway.unusedRules.names == ["rules[0]"])
        for number in 1...3 { rig.work { $0.send(id: number) } }
        let unused = rig.rig.gateway.verificationInput(at: GatewayRig.now).verify().unusedRules
        #expect(unused.names == (isUsed ? [] : ["rules[0]"]))
        #expect(try rig.recorded().input.verify().unusedRules == unused)
    }

    @Test func eachNameIsKeptOnce() {
        var names = UnusedRules.Names()
        for name in ["a", "b", "a"] { names.add(name) }
        #expect(names.all == ["a", "b"])
        var others = UnusedRules.Names()
        others.add(names, prefix: "x: ")
        others.add(names, prefix: "x: ")
        #expect(others.all == ["x: a", "x: b"])
    }

    @Test(
        arguments: [(.fail, .report, true), (.report, .fail, true), (.report, .ignore, false)]
            as [(UnusedRules.Policy, UnusedRules.Policy, Bool)])
    func oneJudgedPartJudgesTheWholeRun(_ first: UnusedRules.Policy, _ second: UnusedRules.Policy, isJudged: Bool) {
        var rules = UnusedRules(never: [], by: first)
        rules.add(UnusedRules(never: [], by: second))
        #expect(rules.isJudged == isJudged)
    }

    private static let doubt = ["it is not known whether 1 rule applied: a"]

    @Test(
        "Rules in doubt are treated as the scenario says, too",
        arguments: [(.report, doubt, []), (.fail, [], doubt), (.ignore, [], [])]
            as [(UnusedRules.Policy, [String], [String])])
    func policiesOfRulesInDoubt(_ policy: UnusedRules.Policy, _ words: [String], _ failingWords: [String]) {
        let rules = UnusedRules(never: [], unknown: ["a"], by: policy)
        #expect(rules.words == words)
        #expect(rules.failingWords == failingWords)
    }

    @Test func rulesForConnectionsAndPings() throws {
        let rules =
            #"{"name": "c", "when": {"on": "connect"}, "then": {"pass": true}}, {"name": "p", "when": {"on": "ping"}, "then": {"ignore": true}}"#
        var rig = try RecordedRig("", Self.rules(rules))
        #expect(rig.rig.gateway.unusedRules.names == ["c", "p"])
        _ = rig.rig.gateway.connect(serverName: nil)
        #expect(rig.rig.gateway.unusedRules.names == ["p"])
        _ = rig.rig.gateway.ping(on: rig.rig.connection, inFlight: 0)
        #expect(rig.rig.gateway.unusedRules.isEmpty)
        // A log tells of neither; of PING frames at least that there were none.
        #expect(try rig.recorded().input.verify().unusedRules.unknownNames == ["c", "p"])
        rig.close(rig.rig.connection)
        let unused = try rig.recorded().input.verify().unusedRules
        #expect(unused.names == ["p"] && unused.unknownNames == ["c"])
        #expect(unused.sentences == ["1 rule never applied: p.", "It is not known whether 1 rule applied: c."])
    }

    @Test func rulesThatAreAddedAndRemoved() throws {
        var rig = try RecordedRig("", Self.rules(#"{"name": "own", \#(Self.other), "then": {"pass": true}}"#))
        func add(_ text: String, _ rig: inout RecordedRig) throws {
            let (rule, mistakes) = rig.rig.gateway.scenario.rule(
                from: try JSONText.read(Array(text.utf8)), defaultName: "")
            try #require(mistakes.isEmpty, "\(mistakes)")
            let read = try #require(rule)
            rig.work { _ = $0.gateway.add(read, at: $0.time) }
        }
        func remove(_ name: String, _ rig: inout RecordedRig) {
            rig.work { _ = $0.gateway.remove(rule: name, at: $0.time) }
        }
        func unused(_ rig: borrowing RecordedRig) throws -> [String] {
            let names = rig.rig.gateway.unusedRules.names
            let recorded = try rig.recorded().input.verify().unusedRules.names
            #expect(Set(recorded) == Set(names))
            return names
        }
        try add(#"{"name": "used", "then": {"pass": true}}"#, &rig)
        #expect(try unused(rig) == ["used", "own"])
        rig.work { $0.send() }
        #expect(try unused(rig) == ["own"])
        remove("used", &rig)
        #expect(try unused(rig) == ["own"])
        // Another of the same name has to apply itself.
        try add(#"{"name": "used", \#(Self.other), "then": {"pass": true}}"#, &rig)
        #expect(try unused(rig) == ["used", "own"])
        remove("used", &rig)
        remove("own", &rig)
        #expect(try unused(rig) == ["used", "own"])
        // Of the rules with one name, the latest counts, be the others those of the scenario.
        for name in ["used", "own"] {
            try add(#"{"name": "\#(name)", "times": 1, "then": {"pass": true}}"#, &rig)
            rig.work { $0.send(id: 2) }
        }
        #expect(try unused(rig) == [])
        remove("used", &rig)
        remove("own", &rig)
        #expect(try unused(rig) == [])
    }

    @Test func rulesThatAreAddedAgainAfterAReset() throws {
        var rig = try JudgeRig("", Self.rules(#"{"name": "own", "then": {"pass": true}}"#))
        func all(_ rig: borrowing JudgeRig) -> [String] { rig.gateway.unusedRulesOfRun.names }
        func add(_ topic: String, _ rig: inout JudgeRig) throws {
            let text = #"{"name": "added", "when": {"topic": "\#(topic)"}, "then": {"pass": true}}"#
            let rule = try #require(
                rig.gateway.scenario.rule(from: try JSONText.read(Array(text.utf8)), defaultName: "").0)
            #expect(rig.gateway.add(rule, at: rig.time) == "added")
        }
        rig.send()
        // What applied and was removed has applied, though the reset brings it back.
        let isRemoved = rig.gateway.remove(rule: "own", at: rig.time)
        #expect(isRemoved)
        try add("com.example.other", &rig)
        rig.gateway.reset(at: rig.time)
        #expect(all(rig) == ["added"])
        try add("com.example.app", &rig)
        #expect(all(rig) == ["added"])
        rig.send()
        #expect(all(rig) == [])
    }

    @Test func ownRulesMayApplyAfterAReset() throws {
        var rig = try JudgeRig("", Self.rules(#"{"name": "own", "then": {"pass": true}}"#))
        rig.gateway.reset(at: rig.time)
        rig.send()
        #expect(rig.gateway.unusedRulesOfRun.names == [])
    }

    @Test func theLatestRemovedRulesAreRemembered() {
        var removed = RemovedRules()
        func insert(_ name: String) {
            let rule = RuleInForce(
                Rule(name: name, steps: .push([Step(.pass)])), devices: [], PatternContext(), at: 1)
            removed.insert(RuleUse(rule))
        }
        for number in 0..<25_000 { insert("rule-\(number)") }
        insert("rule-15001")
        insert("last")
        #expect(removed.count == RemovedRules.limit && removed.names.count == RemovedRules.limit)
        #expect(removed.names.contains("rule-15002") && !removed.names.contains("rule-15000"))
        #expect(removed.uses.map(\.name).suffix(3) == ["rule-24999", "rule-15001", "last"])
        removed.beginBook()
        #expect(removed.uses.isEmpty && removed.names.contains("last"))
    }

    @Test func theWholeRun() throws {
        let rules =
            #"{"name": "one", "when": {"device": "alice"}, "then": {"pass": true}}, {"name": "two", \#(Self.other), "then": {"pass": true}}"#
        var rig = try JudgeRig("", Self.rules(rules))
        func all(_ rig: borrowing JudgeRig) -> [String] { rig.gateway.unusedRulesOfRun.names }
        rig.send()
        rig.gateway.reset(at: rig.time)
        // Since the reset neither has applied; in the run, one has.
        #expect(rig.gateway.unusedRules.names == ["one", "two"])
        #expect(all(rig) == ["two"])
        let (same, _) = Scenario.read(
            Array(#"{"unusedRules": "fail", "rules": [{"name": "three", "then": {"stall": true}}]}"#.utf8))
        let next = try #require(same)
        rig.gateway.play(next, next.configuration(seed: 1, defaultTeams: GatewayRig.teams), at: rig.time)
        #expect(rig.gateway.unusedRules.names == ["three"])
        #expect(all(rig) == ["three", "two"])
        #expect(rig.gateway.unusedRulesOfRun.result?.seen == "1 rule never applied: three")
        #expect(rig.gateway.unusedRulesOfRun.sentences == ["1 rule never applied: two."])
        rig.send()
        #expect(all(rig) == ["two"])
        #expect(rig.gateway.unusedRulesOfRun.result?.passed == true)
        // The same scenario again goes on, and so does what applied.
        rig.gateway.restart(next, next.configuration(seed: 1, defaultTeams: GatewayRig.teams), at: rig.time)
        #expect(rig.gateway.unusedRules.names == ["three"])
        #expect(all(rig) == ["two"])
    }

    @Test("How they are treated is up to the scenario", arguments: UnusedRules.Policy.allCases)
    func policies(_ policy: UnusedRules.Policy) throws {
        let rules = Self.rules(#"{"name": "busy", "then": {"stall": true}}"#, #""unusedRules": "\#(policy)","#)
        let rig = try JudgeRig(#"{"requests": {}, "count": 0}"#, rules)
        let verification = rig.gateway.verificationInput(at: GatewayRig.now).verify()
        #expect(verification.passed == (policy != .fail))
        #expect(verification.results.count == (policy == .fail ? 2 : 1))
        #expect(verification.unusedRules.names == (policy == .ignore ? [] : ["busy"]))
        #expect(verification.description.contains("1 rule never applied: busy") == (policy != .ignore))
        let read = try #require(Verification(try JSONText.read(verification.json)))
        #expect(read.unusedRules.names == verification.unusedRules.names)
        #expect(read.description == verification.description, "each rule is named once")
        // Expectations from elsewhere are not those of the scenario.
        let (others, _) = rig.gateway.scenario.expectations(
            from: try JSONText.read(Array(#"[{"requests": {}, "count": 0}]"#.utf8)))
        let judged = rig.gateway.verificationInput(at: GatewayRig.now).verify(try #require(others))
        #expect(judged.passed && judged.results.count == 1)
        #expect(judged.unusedRules.names == verification.unusedRules.names)
    }

    @Test func aLongListIsCutInASentence() {
        let names = (1...25).map { "r\($0)" }
        let unused = UnusedRules(never: names, by: .report)
        #expect(unused.names == names)
        #expect(
            unused.sentences == ["25 rules never applied: \(names.prefix(20).joined(separator: ", ")), and 5 more."])
        var many = UnusedRules()
        for part in 0..<3 { many.add(UnusedRules(never: (0..<4000).map { "\(part)-\($0)" }, by: .report)) }
        #expect(many.names.count == UnusedRules.limit)
        #expect(many.sentences[0].hasPrefix("More than 10000 rules never applied: 0-0, "))
        #expect(many.sentences[0].hasSuffix(", 0-19, and others."))
        // Whatever is added again is not one more.
        let once = many
        many.add(once)
        #expect(many == once)
        var sessions = UnusedRules(never: ["a"], by: .fail)
        sessions.add(UnusedRules(never: ["a", "b"], by: .report), session: "s")
        #expect(sessions.names == ["a", "s: a", "s: b"])
    }

    // MARK: A fleet

    private static let played = rules(
        #"{"name": "c", "when": {"on": "connect"}, "then": {"pass": true}}, {"name": "one", "when": {"device": "alice"}, "then": {"pass": true}}, {"name": "two", \#(other), "then": {"pass": true}}"#
    )

    private func unused(_ collector: borrowing CollectorRig) -> UnusedRules {
        collector.gateway.verificationInput(at: GatewayRig.now).verify().unusedRules
    }

    @Test("Replicas say which rules have applied") func fleet() throws {
        var collector = try CollectorRig("", Self.played, replicas: ["a", "b"])
        var a = try ReplicaRig(Self.played)
        var b = try ReplicaRig(Self.played)
        #expect(unused(collector).names == ["c", "one", "two"])
        a.work { $0.send() }
        b.work { _ = $0.gateway.connect(serverName: nil) }
        try collector.take(a.frames(mark: StreamID(milliseconds: 9, number: 1), isNeeded: true), of: 0)
        try collector.take(b.frames(mark: StreamID(milliseconds: 9, number: 1), isNeeded: true), of: 1)
        collector.proceed()
        #expect(unused(collector).names == ["two"])
        #expect(unused(collector).unknownNames == [])
    }

    @Test func aRemovedRuleMayHaveAppliedElsewhere() {
        let rig = ScriptRig(
            #"{"name": "one", "when": {"device": "alice"}, "then": {"pass": true}}, {"name": "two", "then": {"pass": true}}"#
        )
        var removed = RemovedRules()
        for rule in rig.gateway.rules.rules { removed.insert(RuleUse(rule)) }
        #expect(removed.uses.map(\.hasApplied) == [false, false])
        removed.noteApplied(["two", "three"])
        #expect(removed.uses.map(\.hasApplied) == [false, true])
        #expect(removed.names == ["one", "two"])
    }

    @Test func replicasOfAnotherScenarioSayNothing() throws {
        var collector = try CollectorRig("", Self.played, replicas: ["a"])
        var replica = try ReplicaRig(Self.rules(#"{"name": "two", "then": {"pass": true}}"#))
        replica.work { $0.send() }
        try collector.take(replica.frames(), of: 0)
        collector.proceed()
        #expect(unused(collector).names == [])
        #expect(unused(collector).unknownNames == ["c", "one", "two"])
    }

    @Test func whatIsMissingLeavesItUnknown() throws {
        let collector = try CollectorRig("", Self.played, replicas: ["a"])
        var input = collector.gateway.verificationInput(at: GatewayRig.now)
        input.fleetGap = "3 requests of a are missing"
        for allowsMissing in [false, true] {
            input.allowsMissing = allowsMissing
            #expect(input.verify().unusedRules.unknownNames == ["c", "one", "two"])
            #expect(input.verify().unusedRules.names == [])
        }
    }

    /// Once it said that a rule had never applied, although what is missing may say otherwise.
    @Test func allowingMissingRequestsLeavesUnusedRulesInDoubt() throws {
        let rules = Self.rules(#"{"name": "busy", "then": {"stall": true}}"#, #""unusedRules": "fail","#)
        let collector = try CollectorRig("", rules, replicas: ["a"])
        var input = collector.gateway.verificationInput(at: GatewayRig.now)
        (input.fleetGap, input.allowsMissing) = ("3 requests of a are missing", true)
        let verification = input.verify()
        #expect(!verification.passed)
        #expect(verification.results.map(\.seen) == ["it is not known whether 1 rule applied: busy"])
    }
}
