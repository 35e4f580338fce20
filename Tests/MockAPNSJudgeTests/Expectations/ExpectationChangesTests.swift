import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// Requests of which it turns out later what became of them, and logs that have dropped them.
@Suite struct ExpectationChangesTests {
    private static let stored = #""requests": {"delivery": "Stored - Device Offline"}"#
    private static let fromStorage = #""requests": {"delivery": "Delivered to Device (From Storage)"}"#

    @Test(arguments: [1000, 1]) func storedPushesCountAsWhatTheyBecame(logLimit: Int) throws {
        var rig = try JudgeRig(
            """
            {\(Self.stored), "count": 0}, {\(Self.fromStorage), "count": 1, "each": "apnsID"},
            {\(Self.fromStorage), "count": 2, "distinct": "apnsID"}
            """, logLimit: logLimit)
        rig.send(to: JudgeRig.bob, id: 1, topic: "com.example.app")
        rig.send(to: JudgeRig.bob, id: 2, topic: "com.example.app.voip")
        for _ in 0..<5 { rig.send(topic: nil) }
        #expect(rig.passed == [false, false, false])
        #expect(rig.results.map(\.seen)[0].hasPrefix("2 requests"))
        try rig.change("bob") { $0.isOnline = true }
        #expect(rig.passed == [true, false, true], "the requests without an id have ids, too")
        #expect(rig.results[2].seen == "2 different values of apnsID in 2 requests")
    }

    @Test func oneThatIsReplacedStaysWhatItWas() throws {
        var rig = try JudgeRig("{\(Self.stored), \"count\": 1}, {\(Self.fromStorage), \"count\": 1}")
        rig.send(to: JudgeRig.bob)
        rig.send(to: JudgeRig.bob)
        try rig.change("bob") { $0.isOnline = true }
        #expect(rig.passed == [true, true])
    }

    @Test(arguments: [1000, 1]) func delayedAnswers(logLimit: Int) throws {
        var rig = try JudgeRig(
            """
            {"requests": {"outcome": "delayed"}, "count": 1}, {"requests": {"outcome": "responded"}, "count": 2},
            {"requests": {"outcome": "cancelled"}, "count": 1}, {"inOrder": [{"outcome": "cancelled"}, {"outcome": "responded"}]},
            {"spacing": {"requests": {"outcome": {"not": "cancelled"}}, "atLeast": "5s"}}
            """, #""rules": [{"then": {"pass": true, "delay": "5s"}}],"#, logLimit: logLimit)
        var plans: [PlannedResponse] = []
        for _ in 0..<4 { plans.append(try #require(rig.send(after: 3000).response)) }
        #expect(rig.results.map(\.seen)[0].hasPrefix("4 requests"))
        #expect(rig.passed == [false, false, false, false, false])
        _ = rig.gateway.due(plans[3], latencyMicroseconds: 5, at: rig.time)
        #expect(rig.results[3].seen.hasPrefix("no request with outcome \"cancelled\""))
        rig.gateway.abandon(plans[1], at: rig.time)
        #expect(rig.passed == [false, false, true, true, false])
        _ = rig.gateway.due(plans[0], latencyMicroseconds: 5, at: rig.time)
        #expect(rig.passed == [true, true, true, true, false])
        #expect(rig.results[4].seen == "gap 2 is 3000ms, between requests 3 and 4")
    }

    @Test func nothingElseFollowsToo() throws {
        var rig = try JudgeRig(
            """
            {\(Self.fromStorage), "count": {"atLeast": 0}}, {"nothingElse": true},
            {"requests": {"device": "bob"}, "count": 2}, {"nothingElse": true}
            """)
        rig.send(to: JudgeRig.bob, topic: "a")
        rig.send(to: JudgeRig.bob, topic: "b")
        #expect(rig.passed == [true, false, true, true])
        #expect(rig.results[1].seen == "2 other requests, numbers 1 and 2")
        try rig.change("bob") { $0.isOnline = true }
        #expect(rig.passed == [true, true, true, true])
    }

    @Test func countsOutliveTheLog() throws {
        var rig = try JudgeRig(
            """
            {"requests": {"device": "alice", "status": 200}, "count": 3000},
            {"requests": {}, "count": 3000, "distinct": "apnsID"}, {"requests": {}, "count": 3000, "each": "device"},
            {"inOrder": [{"apnsID": "\(JudgeRig.id(1))"}, {"apnsID": "\(JudgeRig.id(3000))"}]},
            {"spacing": {"requests": {}, "atLeast": "2ms", "atMost": "2ms"}}, {"nothingElse": true},
            {"requests": {"status": 400}, "count": 1}
            """, logLimit: 10)
        for number in 1...3000 { rig.send(id: number, after: 2) }
        #expect(rig.passed == [true, true, true, true, true, true, false])
        #expect(rig.results[6].nearest == [3000, 2999, 2998].map { "\($0): status 200, not 400" })
        // Forgetting records forgets no counts, but a reset does.
        _ = rig.gateway.deleteAllRecords()
        #expect(rig.passed == [true, true, true, true, true, true, false])
        #expect(rig.results[6].nearest == [])
        rig.gateway.reset(at: rig.time)
        #expect(rig.passed == [false, false, false, false, false, true, false])
        #expect(rig.results[0].seen == "0 requests")
    }

    @Test func anotherScenarioBeginsAnew() throws {
        var rig = try JudgeRig(#"{"requests": {}, "count": 1}"#)
        rig.send()
        #expect(rig.passed == [true])
        let (scenario, _) = Scenario.read(Array(#"{"expect": [{"requests": {"status": 400}, "count": 1}]}"#.utf8))
        let other = try #require(scenario)
        rig.gateway.play(other, other.configuration(seed: 1, defaultTeams: GatewayRig.teams), at: rig.time)
        rig.send()
        #expect(rig.results.map(\.seen) == ["0 requests"])
        #expect(rig.results[0].nearest == ["2: status 200, not 400"])
        #expect(try rig.verify(#"{"requests": {}, "count": 2}"#)[0].passed, "the log stays")
    }

    @Test func waitingForAPendingRequestIsLimited() {
        let delayed = RequestRecord()
        var state = RecordState(delayed)
        let responded = state
        state.outcome = .delayed
        let any = StateTest(outcomes: 1 << UInt64(Outcome.responded.code))
        var order = InOrder(OrderTally(length: 2))
        func take(_ number: Int, _ state: RecordState) {
            order.take(
                Candidate(
                    conditions: [(0, any), (1, StateTest())], sequence: number, time: GatewayRig.now, state: state))
        }
        take(1, state)
        for number in 2...TallyLimit.waiting { take(number, responded) }
        order.change(1, to: responded)
        #expect(order.now.fulfilled == 2 && order.now.latest == 2)

        order = InOrder(OrderTally(length: 2))
        take(1, state)
        for number in 2...TallyLimit.waiting + 1 { take(number, responded) }
        // The first was taken as it was, so what becomes of it comes too late.
        order.change(1, to: responded)
        #expect(order.now.fulfilled == 2 && order.now.latest == 3)
    }

    @Test func requestsNotWaitingChangeNothingForOthers() {
        let responded = RecordState(RequestRecord())
        var delayed = responded
        delayed.outcome = .delayed
        let whenAnswered = StateTest(outcomes: 1 << UInt64(Outcome.responded.code))
        var order = InOrder(OrderTally(length: 1))
        for number in [2, 4] {
            order.take(
                Candidate(
                    conditions: [(0, whenAnswered)], sequence: number, time: GatewayRig.now, state: delayed))
        }
        for number in [1, 3, 5] { order.change(number, to: responded) }
        #expect(order.now.fulfilled == 0)
        order.change(4, to: responded)
        #expect(order.now.fulfilled == 1 && order.now.latest == 4)
    }

    // MARK: Others, by the log

    @Test func othersAreJudgedByTheLog() throws {
        var rig = try JudgeRig(
            "", #""rules": [{"when": {"device": "bob"}, "then": {"reject": "BadTopic"}}],"#, logLimit: 3)
        for device in [JudgeRig.alice, JudgeRig.bob, JudgeRig.alice] { rig.send(to: device) }
        let expectations = #"{"requests": {"status": 200}, "count": 2}, {"nothingElse": true}, {"connections": 1}"#
        #expect(try rig.verify(expectations).map(\.passed) == [true, false, true])
        let ofRequests = #"{"requests": {"status": 200}, "count": 2}, {"nothingElse": true}"#
        #expect(try rig.verify(ofRequests, within: #"{"device": "alice"}"#).map(\.passed) == [true, true])
        let missing = try rig.verify(#"{"requests": {"status": 400}, "count": 1}"#, within: #"{"device": "alice"}"#)[0]
        #expect(missing.seen == "0 requests" && missing.nearMisses.map(\.sequence) == [3, 1])
        let device = try rig.verify(#"{"device": "alice", "received": 2}"#)[0]
        #expect(device.passed)

        rig.send()
        let results = try rig.verify(expectations)
        #expect(results.map(\.passed) == [false, false, true])
        #expect(
            results[0].seen
                == "the log had dropped 1 request before this was judged, so it cannot be judged; --log-limit keeps more"
        )
        // What was deleted on request is not missing.
        _ = rig.gateway.deleteAllRecords()
        for _ in 0..<2 { rig.send() }
        #expect(try rig.verify(expectations).map(\.passed) == [true, true, true])
    }

    /// Whatever happens, what was counted on the way is what is counted at the end.
    @Test(arguments: 0..<40 as Range<UInt64>) func runningAndFinalCountsAreEqual(seed: UInt64) throws {
        var rig = try JudgeRig(
            """
            {"requests": {"outcome": {"not": "cancelled"}}, "count": 3, "each": "apnsID"},
            {"requests": {"delivery": {"exists": true}}, "count": 4, "distinct": "collapseID"},
            {"requests": {"delivery": {"prefix": "Stored"}}, "count": 1},
            {"requests": {"delivery": {"prefix": "Delivered"}}, "count": 3, "distinct": "/n", "each": "device"},
            {"inOrder": [{"outcome": "responded"}, {"outcome": "cancelled"}, {"delivery": {"prefix": "Delivered"}}, {"outcome": "cancelled"}]},
            {"inOrder": [{"outcome": "cancelled"}, {"outcome": "responded"}], "each": "apnsID"},
            {"spacing": {"requests": {"delivery": {"prefix": "Delivered"}}, "atLeast": "3ms"}},
            {"spacing": {"requests": {"outcome": "responded"}, "atMost": ["5ms", "9ms"]}, "each": "device"},
            {"nothingElse": true}
            """, #""rules": [{"probability": 0.3, "then": {"pass": true, "delay": "1s"}}],"#)
        var random = SeededRandom(seed: seed)
        var plans: [PlannedResponse] = []
        for _ in 0..<40 {
            switch random.next() % 8 {
            case 0..<4:
                let plan = rig.send(
                    to: random.next() % 2 == 0 ? JudgeRig.alice : JudgeRig.bob, id: Int(random.next() % 4),
                    body: #"{"n": \#(random.next() % 3)}"#, topic: random.next() % 4 == 0 ? "x" : "y",
                    after: Int64(random.next() % 8)
                ).response
                if let plan { plans.append(plan) }
            case 4, 5:
                guard !plans.isEmpty else { continue }
                let plan = plans.remove(at: Int(random.next() % UInt64(plans.count)))
                if random.next() % 2 == 0 {
                    _ = rig.gateway.due(plan, latencyMicroseconds: 1, at: rig.time)
                } else {
                    rig.gateway.abandon(plan, at: rig.time)
                }
            default:
                let isOnline = random.next() % 2 == 0
                try rig.change(random.next() % 2 == 0 ? "alice" : "bob") { $0.isOnline = isOnline }
            }
        }
        let input = rig.gateway.verificationInput(at: GatewayRig.now)
        let (kept, replayed) = (input.verify(), input.verify(input.scenario.expectations))
        #expect(kept.json == replayed.json)
    }
}
