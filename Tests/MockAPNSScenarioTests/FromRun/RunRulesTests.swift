import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// What rules that were added during a run become, and which are made for failures.
@Suite struct RunRulesTests {
    private static let then = #""then": {"reject": "TooManyRequests"}"#

    /// The condition of a rule for an unnamed device.
    private static func when(_ token: String = JudgeRig.alice) -> String { #""when": {"token": "\#(token)"}"# }

    /// What the rules do that are made for a run, as JSON.
    private static func outcomes(_ run: WrittenRun) throws -> [String] {
        try run.steps().elements(.rules).map { rule in
            try #require(try JSONText.read(Array(rule.utf8))["then"]).text
        }
    }

    // MARK: Rules that were added

    @Test("A rule skips the matching pushes of the workload from before it was added")
    func addedRuleSkipsEarlierMatches() throws {
        var run = WrittenRun()
        for _ in 0..<2 { run.push { $0.name("alice") } }
        run.push(to: JudgeRig.bob) { $0.name("bob") }
        run.push {
            $0.name("alice")
            $0.refuse(.missingTopic)
        }
        try run.add(rule: #"{"name": "late", "when": {"device": "alice"}, "skip": 1, "then": {"stall": true}}"#)
        #expect(
            run.steps(of: Scenario()).elements(.rules) == [
                #"{"name": "late", "when": {"device":"alice"}, "then": {"stall":true}, "skip": 3}"#
            ])
    }

    @Test("A rule is on pushes where an older log does not name its trigger")
    func ruleWithoutTriggerIsOnPushes() throws {
        var run = WrittenRun()
        run.push()
        try run.add(rule: #"{"name": "late", "then": {"stall": true}}"#, on: nil)
        #expect(
            run.steps(of: Scenario()).elements(.rules) == [#"{"name": "late", "then": {"stall":true}, "skip": 1}"#])
    }

    @Test("A rule on connections skips no pushes")
    func ruleOnConnectionsSkipsNoPushes() throws {
        var run = WrittenRun()
        run.push()
        try run.add(
            rule: #"{"name": "shy", "when": {"on": "connect"}, "then": {"tlsAlert": "handshake_failure"}}"#,
            on: .connect)
        #expect(
            run.steps(of: Scenario()).elements(.rules) == [
                #"{"name": "shy", "when": {"on":"connect"}, "then": {"tlsAlert":"handshake_failure"}}"#
            ])
    }

    @Test("A rule that counts for each value keeps its own skip, and a note says what that means")
    func ruleThatCountsPerValue() throws {
        var run = WrittenRun()
        try run.add(rule: #"{"name": "early", "countPer": "token", "then": {"stall": true}}"#)
        run.push()
        try run.add(rule: #"{"name": "late", "countPer": "token", "skip": 1, "then": {"stall": true}}"#)
        let steps = run.steps(of: Scenario())
        #expect(
            steps.elements(.rules) == [
                #"{"name": "late", "countPer": "token", "then": {"stall":true}, "skip": 1}"#,
                #"{"name": "early", "countPer": "token", "then": {"stall":true}}"#,
            ])
        #expect(
            steps.notes == [#"Rule "late" counts for each value by itself, and so applies from the beginning."#])
    }

    @Test("A removed rule applies as often as it decided while it was there")
    func removedRuleAppliesAsOftenAsItDecided() throws {
        var run = WrittenRun()
        try run.add(rule: #"{"name": "late", "times": 5, "then": {"stall": true}}"#)
        run.push { $0.decide(by: "late") }
        run.push { $0.decide(by: "other") }
        run.push()
        run.remove(rule: "late")
        // One of the same name, of which an older log does not tell more.
        run.push { $0.decide(by: "late") }
        run.remove(rule: "late")
        #expect(
            run.steps(of: Scenario()).elements(.rules) == [#"{"name": "late", "then": {"stall":true}, "times": 1}"#])
    }

    @Test("A rule that was removed before it decided is left out, others are not")
    func ruleThatNeverDecidedIsLeftOut() throws {
        var run = WrittenRun()
        try run.add(rule: #"{"name": "gone", "then": {"stall": true}}"#)
        try run.add(rule: #"{"name": "kept", "times": 5, "then": {"stall": true}}"#)
        run.push()
        run.remove(rule: "gone")
        #expect(
            run.steps(of: Scenario()).elements(.rules) == [#"{"name": "kept", "times": 5, "then": {"stall":true}}"#])
    }

    @Test("A rule whose name ends the word for the checks decided none of theirs")
    func checksDecideForNoRule() throws {
        var run = WrittenRun()
        try run.add(rule: #"{"name": "s", "then": {"stall": true}}"#)
        run.push()
        run.remove(rule: "s")
        #expect(run.steps(of: Scenario()).elements(.rules).isEmpty)
    }

    // MARK: Rules that are made

    @Test("A success between two failures makes them two rules")
    func successSeparatesFailures() {
        var run = WrittenRun()
        run.push { $0.refuse(.tooManyRequests, by: .device) }
        run.push()
        run.push { $0.refuse(.tooManyRequests, by: .device) }
        #expect(
            run.steps().elements(.rules) == [
                #"{"name": "push 1: TooManyRequests", \#(Self.when()), "times": 1, \#(Self.then)}"#,
                #"{"name": "push 3: TooManyRequests", \#(Self.when()), "skip": 1, "times": 1, \#(Self.then)}"#,
            ])
    }

    @Test("Failures of different kinds make two rules")
    func differentFailuresMakeTwoRules() {
        var run = WrittenRun()
        run.push { $0.refuse(.shutdown, by: .outage) }
        run.push { $0.refuse(.tooManyRequests, by: .device) }
        #expect(run.steps().texts(.rules) == ["push 1: Shutdown", "push 2: TooManyRequests"])
    }

    @Test("Failures after successes skip as many pushes to the device")
    func failuresSkipEarlierSuccesses() {
        var run = WrittenRun()
        run.push { $0.refuse(.missingTopic) }
        for _ in 0..<2 { run.push() }
        run.push(to: JudgeRig.bob)
        for _ in 0..<2 { run.push { $0.refuse(.tooManyRequests, by: .device) } }
        let steps = run.steps()
        #expect(
            steps.elements(.rules) == [
                #"{"name": "push 5: TooManyRequests", \#(Self.when()), "skip": 2, "times": 2, \#(Self.then)}"#
            ])
        #expect(steps.texts(.rules) == ["push 5: TooManyRequests, 2 times"])
    }

    @Test("A note says that more pushes failed than there may be rules")
    func tooManyFailuresAreNoted() {
        var run = WrittenRun()
        for _ in 0..<501 {
            run.push { $0.refuse(.shutdown, by: .outage) }
            run.push { $0.refuse(.tooManyRequests, by: .device) }
        }
        let steps = run.steps()
        #expect(steps.elements(.rules).count == 1000)
        #expect(steps.notes.contains(#"Only the first 1000 elements of "rules" are here; the run has more."#))
    }

    /// To another device, so that there is no room for the second failure.
    @Test func failuresWithoutARuleSeparateOthersStill() throws {
        var run = WrittenRun()
        run.push { $0.refuse(.tooManyRequests, by: .device) }
        for _ in 0..<500 {
            run.push(to: JudgeRig.bob) { $0.refuse(.shutdown, by: .outage) }
            run.push(to: JudgeRig.bob) { $0.refuse(.tooManyRequests, by: .device) }
        }
        run.push { $0.refuse(.shutdown, by: .outage) }
        run.push { $0.refuse(.tooManyRequests, by: .device) }
        #expect(run.steps().texts(.rules).first == "push 1: TooManyRequests")
    }

    @Test("No rule is made for what an added rule or the scenario decided")
    func explainedFailuresMakeNoRules() throws {
        var run = WrittenRun()
        try run.add(rule: #"{"name": "late", "then": {"reject": "TooManyRequests"}}"#)
        run.push {
            $0.refuse(.tooManyRequests)
            $0.decide(by: "late")
        }
        #expect(run.steps().texts(.rules) == [#"rule "late" is added"#])
        var other = WrittenRun()
        other.push {
            $0.refuse(.tooManyRequests)
            $0.decide(by: "of the scenario")
        }
        #expect(other.steps(of: Scenario()).elements(.rules).isEmpty)
    }

    /// Changes of a push, and the step of the rule that is made for it.
    private static let failures: [(then: String?, change: @Sendable (inout RecordedPush) -> Void)] = [
        (#"{"stall":true}"#, { $0.leaveUnanswered(.stalled) }),
        (
            #"{"resetStream":8}"#,
            {
                $0.leaveUnanswered(.reset)
                $0.record.resetCode = 8
            }
        ),
        (nil, { $0.leaveUnanswered(.reset, by: .connection) }),
        (#"{"goAway":{"lastStream":"previous"}}"#, { $0.leaveUnanswered(.goAway) }),
        (#"{"close":"reset"}"#, { $0.leaveUnanswered(.closed) }),
        (nil, { $0.leaveUnanswered(.closed, by: .connection) }),
        (nil, { $0.leaveUnanswered(.cancelled, by: .checks) }),
        (nil, { $0.refuse(.payloadTooLarge) }),
        (#"{"reject":"TopicDisallowed"}"#, { $0.refuse(.topicDisallowed) }),
        (nil, { $0.refuse(.unregistered, by: .device) }),
        (nil, { $0.refuse(.expiredToken, by: .device) }),
        (#"{"reject":"Unregistered"}"#, { $0.refuse(.unregistered, by: .rule) }),
        (
            #"{"reject":"TooManyRequests","status":503,"retryAfter":7}"#,
            {
                $0.refuse(.tooManyRequests, by: .rule)
                ($0.record.status, $0.record.retryAfter) = (503, 7)
            }
        ),
        (
            #"{"reject":"ServiceUnavailable","deliver":true}"#,
            {
                $0.refuse(.serviceUnavailable, by: .rule)
                $0.record.delivery = .delivered
            }
        ),
        (
            #"{"respond":{"status":418}}"#,
            {
                ($0.record.status, $0.record.delivery) = (418, nil)
                $0.record.decidedBy = .rule
            }
        ),
    ]

    @Test("The rule for a failure gives the same answer, unless checks or the device do")
    func stepForEachFailure() throws {
        for (then, change) in Self.failures {
            var run = WrittenRun()
            run.push(change)
            #expect(try Self.outcomes(run) == [then].compactMap(\.self))
        }
    }

    @Test("A rule answers as an upstream did where the checks would not")
    func answersOfAnUpstream() throws {
        let refusal = RelayedAnswer.Verdict(status: 400, reason: "BadTopic")
        let success = RelayedAnswer.Verdict(status: 200)
        let teapot = RelayedAnswer.Verdict(status: 418, reason: "Teapot")
        let answers: [(answer: RelayedAnswer, then: String?)] = [
            (RelayedAnswer(theirs: success, own: success), nil),
            (RelayedAnswer(theirs: success, own: refusal), #"{"respond":{"status":200}}"#),
            (
                RelayedAnswer(theirs: teapot, own: success),
                #"{"respond":{"status":418,"body":"{\"reason\": \"Teapot\"}"}}"#
            ),
        ]
        for (answer, then) in answers {
            var run = WrittenRun()
            run.push(relayed: answer) {
                ($0.record.status, $0.record.delivery) = (answer.theirs.status.map { UInt16($0) }, nil)
                $0.record.decidedBy = .upstream
            }
            #expect(try Self.outcomes(run) == [then].compactMap(\.self))
        }
    }
}
