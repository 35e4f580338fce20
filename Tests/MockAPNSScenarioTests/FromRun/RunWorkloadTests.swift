import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// What the pushes of a run become as a workload.
@Suite struct RunWorkloadTests {
    private static let payload = #""payload": {"aps":{"alert":"Hello"}}"#

    /// What each entry waits for, as JSON.
    private static func prerequisites(_ steps: RunSteps) throws -> [String?] {
        try steps.elements(.workload).map { try JSONText.read(Array($0.utf8))["after"]?.text }
    }

    @Test("A push is repeated with all that it was sent with")
    func everyMemberIsRepeated() {
        var run = WrittenRun()
        run.push {
            $0.add("apns-topic", "com.example.app") { $0.topic = $1 }
            $0.add("apns-push-type", "background") { $0.pushType = $1 }
            $0.add("apns-collapse-id", "score") { $0.collapseID = $1 }
            ($0.record.priority, $0.record.expiration) = (5, 0)
        }
        let members = #""topic": "com.example.app", "pushType": "background", "priority": 5, "expiration": 0"#
        #expect(
            run.steps().elements(.workload) == [
                #"{"push": {"token": "\#(JudgeRig.alice)", \#(members), "collapseID": "score", \#(Self.payload)}}"#
            ])
    }

    @Test("What is empty in a push is left out of it")
    func emptyMembersAreNotRepeated() {
        var run = WrittenRun()
        run.push {
            $0.body = []
            $0.add("apns-collapse-id", "") { $0.collapseID = $1 }
            $0.refuse(.payloadEmpty)
        }
        #expect(run.steps().elements(.workload) == [#"{"push": {"token": "\#(JudgeRig.alice)"}}"#])
    }

    @Test("Every priority and expiration that a workload may have is repeated")
    func allPrioritiesAndExtremeExpirationsAreRepeated() {
        var run = WrittenRun()
        for priority in [1, 5, 10] as [UInt8] { run.push { $0.record.priority = priority } }
        for expiration in [0, 9_007_199_254_740_991] as [Int64] { run.push { $0.record.expiration = expiration } }
        let members = [
            #""priority": 1,"#, #""priority": 5,"#, #""priority": 10,"#, #""expiration": 0,"#,
            #""expiration": 9007199254740991,"#,
        ]
        let entries = run.steps().elements(.workload)
        #expect(entries.count == members.count)
        for (entry, member) in zip(entries, members) { #expect(entry.contains(member)) }
    }

    @Test("A push that no workload can have is left out, and why is told")
    func inexpressiblePushesAreLeftOut() {
        var run = WrittenRun()
        run.push { $0.add("apns-push-type", "postcard") { $0.pushType = $1 } }
        run.push { $0.record.priority = 7 }
        run.push { $0.add("apns-priority", "high") }
        run.push { $0.record.expiration = -1 }
        run.push { $0.record.expiration = 9_007_199_254_740_992 }
        run.push { $0.body = Array("[1]".utf8) }
        run.push { $0.body = Array("1".utf8) }
        run.push(to: nil)
        let steps = run.steps()
        #expect(steps.elements(.workload).isEmpty)
        let rest = "left out of the workload, in which no push can be like that"
        #expect(
            steps.notes == [
                "Push 1 is \(rest): its push type.", "Pushes 2 and 3 are \(rest): its priority.",
                "Pushes 4 and 5 are \(rest): its expiration.",
                "Pushes 6 and 7 are \(rest): its payload is no JSON object.",
                "Push 8 is \(rest): it has no device token.",
            ])
    }

    @Test("A push names its topic unless its device in the scenario has it")
    func topicsOfNamedDevicesAreNotRepeated() throws {
        let (app, other) = ("com.example.app", "com.example.other")
        let scenario = try WrittenRun.scenario(
            """
            {"devices": [{"name": "alice", "token": "\(JudgeRig.alice)", "topics": ["\(app)", "\(other)"]},
            {"token": "\(JudgeRig.bob)", "topic": "\(app)"}]}
            """)
        var run = WrittenRun()
        for (token, topic) in [(JudgeRig.alice, app), (JudgeRig.alice, other), (JudgeRig.bob, app)] {
            run.push(to: token) { $0.add("apns-topic", topic) { $0.topic = $1 } }
        }
        #expect(
            run.steps(of: scenario).elements(.workload) == [
                #"{"push": {"device": "alice", \#(Self.payload)}}"#,
                #"{"push": {"device": "alice", "topic": "\#(other)", \#(Self.payload)}, "after": "all"}"#,
                #"{"push": {"token": "\#(JudgeRig.bob)", "topic": "\#(app)", \#(Self.payload)}, "after": "all"}"#,
            ])
    }

    @Test("Equal pushes make one entry, whose text says how many")
    func equalPushesShareAnEntry() {
        var run = WrittenRun()
        run.push()
        for _ in 0..<2 {
            run.push(to: JudgeRig.bob) {
                $0.name("bob")
                $0.add("apns-push-type", "alert") { $0.pushType = $1 }
            }
        }
        let steps = run.steps()
        #expect(steps.texts(.workload) == ["push to 00fc13ad…", "alert to bob, 2 times"])
        #expect(
            steps.elements(.workload) == [
                #"{"push": {"token": "\#(JudgeRig.alice)", \#(Self.payload)}}"#,
                #"{"push": {"device": "bob", "pushType": "alert", \#(Self.payload)}, "times": 2, "after": "all"}"#,
            ])
    }

    @Test("Only by an id that the provider gave is it seen that it tried again")
    func onlySentIDsTellOfRetries() {
        var run = WrittenRun()
        for _ in 0..<2 { run.push { $0.record.apnsID = .made(.init(high: 1, low: 1)) } }
        for _ in 0..<2 { run.push { $0.add("apns-id", JudgeRig.id(1)) { $0.apnsID = .sent($1) } } }
        #expect(run.steps().texts(.workload) == ["push to 00fc13ad…, 3 times"])
    }

    @Test("From the first push without an answer on, entries wait for those before it only")
    func entriesBeforeTheFirstUnansweredPush() throws {
        var run = WrittenRun()
        for badge in 0..<4 {
            run.push {
                $0.body = Array(#"{"aps":{"badge":\#(badge)}}"#.utf8)
                if badge == 1 || badge == 2 { $0.leaveUnanswered(.stalled) }
            }
        }
        #expect(try Self.prerequisites(run.steps()) == [nil, #""all""#, "[0]", "[0]"])
    }

    @Test("Nothing is waited for if the first push got no answer")
    func nothingWaitsForAnUnansweredFirstPush() throws {
        var run = WrittenRun()
        run.push { $0.leaveUnanswered(.stalled) }
        run.push(to: JudgeRig.bob)
        #expect(try Self.prerequisites(run.steps()) == [nil, nil])
    }

    @Test("An entry begins 1000 pushes at most; as many ids and answers are kept")
    func boundsOfEntriesIDsAndAnswers() {
        var run = WrittenRun()
        // Retries of the first 1000 are known as such whatever follows.
        for number in Array(1...1001) + [1001, 1000] {
            run.push { $0.add("apns-id", JudgeRig.id(number)) { $0.apnsID = .sent($1) } }
        }
        let steps = run.steps()
        #expect(steps.texts(.workload) == ["push to 00fc13ad…, 1000 times", "push to 00fc13ad…, 2 times"])
        #expect(steps.answers.count == 1000)
    }
}
