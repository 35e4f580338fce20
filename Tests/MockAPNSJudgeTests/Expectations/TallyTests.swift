import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

@Suite("What expectations count")
struct TallyTests {
    private typealias Spacing = MockAPNSCore.Expectation.Spacing

    private static func text(_ text: String) -> RecordValue { .text(Array(text.utf8)) }

    @Test("A value is counted as long as one request has it")
    func values() {
        var tally = CountTally()
        for value in ["a", "b", "a", "a"] { tally.add(Self.text(value)) }
        tally.add(nil)
        #expect(tally.requests == 5 && tally.values.count == 2)
        tally.remove(Self.text("a"))
        #expect(tally.requests == 4 && tally.values == [Self.text("a"): 2, Self.text("b"): 1])
        tally.remove(Self.text("b"))
        #expect(tally.values == [Self.text("a"): 2])
        tally.remove(Self.text("a"))
        #expect(tally.values.count == 1)
        tally.remove(Self.text("a"))
        tally.remove(nil)
        #expect(tally.requests == 0 && tally.values.isEmpty && !tally.isOverfull)
    }

    @Test("Values that requests have no more are not counted, whatever became of others")
    func valuesOfChangingRequests() throws {
        let stored = #""requests": {"delivery": "Stored - Device Offline"}"#
        var rig = try JudgeRig(
            "{\(stored), \"count\": 1, \"distinct\": \"/n\"}, {\(stored), \"count\": 2, \"distinct\": \"/n\"}, {\(stored), \"count\": 0, \"distinct\": \"/n\"}"
        )
        func send(_ n: Int, topic: String, to device: String) {
            rig.send(to: device, body: #"{"n": \#(n)}"#, topic: topic)
        }
        send(1, topic: "a", to: JudgeRig.bob)
        #expect(rig.passed == [true, false, false])
        send(1, topic: "b", to: JudgeRig.bob)
        #expect(rig.passed == [true, false, false])
        try rig.change("alice") { $0.isOnline = false }
        send(1, topic: "a", to: JudgeRig.alice)
        send(2, topic: "b", to: JudgeRig.alice)
        #expect(rig.passed == [false, true, false])
        try rig.change("bob") { $0.isOnline = true }
        #expect(rig.passed == [false, true, false])
        try rig.change("alice") { $0.isOnline = true }
        #expect(rig.passed == [false, false, true])
    }

    @Test("Values are told apart up to a million, of requests and of groups alike")
    func overfull() {
        var tally = CountTally()
        var groups = Grouped(CountTally(), each: .apnsID)
        for number in 0..<TallyLimit.values {
            tally.add(.number(Int64(number)))
            groups.with(.number(Int64(number))) { _ in }
        }
        tally.add(.number(0))
        groups.with(.number(0)) { _ in }
        #expect(!tally.isOverfull && !groups.isOverfull && groups.groups[.number(7)]?.index == 7)
        tally.add(.number(-1))
        groups.with(.number(-1)) { _ in }
        #expect(tally.isOverfull && tally.values.count == 1_000_000 && tally.requests == 1_000_002)
        #expect(groups.isOverfull && groups.groups.count == 1_000_000)
    }

    // MARK: What may still change

    private static func state(_ outcome: Outcome, _ delivery: Delivery?, isReplaced: Bool = false) -> RecordState {
        var state = RecordState(RequestRecord())
        (state.outcome, state.delivery, state.isReplaced) = (outcome, delivery, isReplaced)
        return state
    }

    @Test("What is delayed or stored may still change, and what is replaced does not")
    func finalStates() {
        for delivery in Delivery.allCases {
            let isStored = [.received, .storedOffline, .storedPower].contains(delivery)
            #expect(Self.state(.responded, delivery).isFinal == !isStored, "\(delivery)")
            #expect(Self.state(.responded, delivery, isReplaced: true).isFinal)
            #expect(
                !Self.state(.delayed, delivery).isFinal && !Self.state(.delayed, delivery, isReplaced: true).isFinal)
        }
        for outcome in Outcome.allCases { #expect(Self.state(outcome, nil).isFinal == (outcome != .delayed)) }
        var state = Self.state(.delayed, .storedOffline)
        state.apply(RequestUpdate(delivery: .storedPower))
        #expect(state == Self.state(.delayed, .storedPower))
        state.apply(RequestUpdate(outcome: .responded))
        #expect(state == Self.state(.responded, .storedPower))
        state.apply(RequestUpdate(replacedBy: 7))
        #expect(state == Self.state(.responded, .storedPower, isReplaced: true))
    }

    @Test("A request waits only where its conditions ask for what may change")
    func candidates() {
        let (asking, plain) = (StateTest(deliveries: 1 << UInt64(Delivery.delivered.code)), StateTest())
        func candidate(_ tests: [StateTest], _ undecided: [StateTest], _ state: RecordState) -> Candidate {
            let pattern = UndecidedPattern("a", .limit)
            var candidate = Candidate(
                conditions: tests.enumerated().map { ($0.offset, $0.element) }, sequence: 1, time: GatewayRig.now,
                state: state)
            candidate.undecided = undecided.map { (9, $0, pattern) }
            return candidate
        }
        let (stored, delivered) = (Self.state(.responded, .storedOffline), Self.state(.responded, .delivered))
        #expect(candidate([plain, asking], [], stored).canChange && candidate([plain], [asking], stored).canChange)
        #expect(!candidate([plain], [plain], stored).canChange && !candidate([asking], [asking], delivered).canChange)
        #expect(
            candidate([plain, asking], [], stored).fulfils(0) && !candidate([plain, asking], [], stored).fulfils(1))
        #expect(candidate([plain, asking], [], delivered).fulfils(1) && !candidate([plain], [], delivered).fulfils(1))
        #expect(candidate([], [asking], stored).undecidedPattern == nil)
        #expect(candidate([], [asking], delivered).undecidedPattern?.text == "a")
        #expect(asking.asks && !plain.asks && StateTest(outcomes: 1).asks)
        #expect(!asking.holds(for: Self.state(.responded, nil)) && plain.holds(for: Self.state(.delayed, nil)))
        #expect(StateTest(deliveries: StateTest.absence).holds(for: Self.state(.responded, nil)))
    }

    // MARK: Gaps

    @Test("Gaps between neighbours, by lists and by one bound, at their borders")
    func spacing() throws {
        func tally(_ least: Spacing.Bound?, _ most: Spacing.Bound?, _ times: [Int64]) -> String {
            var tally = SpacingTally(Spacing(requests: nil, atLeast: least, atMost: most))
            for (number, time) in times.enumerated() {
                tally.take(number + 1, at: Timestamp(milliseconds: GatewayRig.now.milliseconds + time))
            }
            let wrong = tally.firstWrong.map { " \($0.index): \($0.milliseconds) \($0.between)" } ?? ""
            return "\(tally.holds) \(tally.count) \(tally.wrong)\(wrong)"
        }
        #expect(tally(.all(10), nil, [0, 10, 20]) == "true 3 0")
        #expect(tally(.all(10), nil, [0, 9, 19, 20]) == "false 4 2 0: 9 (1, 2)")
        #expect(tally(nil, .all(10), [0, 10, 21]) == "false 3 1 1: 11 (2, 3)")
        #expect(tally(.all(1), nil, [5, 3]) == "false 2 1 0: 0 (1, 2)", "a clock that was set back makes no gap")
        #expect(
            tally(.list([1, 2]), nil, [0, 1, 3]) == "true 3 0" && tally(.list([1, 2]), nil, [0, 1]) == "false 2 0")
        #expect(tally(.list([1]), nil, [0, 1, 1]) == "false 3 0" && tally(.list([]), nil, []) == "true 0 0")
        #expect(
            tally(nil, .list([1, 2]), [0, 2, 4]) == "false 3 1 0: 2 (1, 2)" && tally(.list([5]), nil, []) == "false 0 0"
        )
        #expect(tally(.list([]), nil, [7]) == "true 1 0" && tally(.all(5), .list([6]), [0, 6]) == "true 2 0")
    }

    // MARK: Nothing else

    @Test("Only the expectations before it keep a request from being another one")
    func nothingElse() throws {
        let counted = #"{"requests": {"payload": \#(EndlessPattern.payload)}, "count": {"atLeast": 0}}"#
        var rig = try JudgeRig(#"{"nothingElse": true}, \#(counted), {"nothingElse": true}"#)
        rig.send(id: 1, body: EndlessPattern.body())
        #expect(rig.results.map(\.seen)[0] == "1 other request, number 1")
        #expect(rig.results.map(\.seen)[2].hasPrefix("none; pattern"))
    }

    @Test("What was judged at resets is kept up to ten thousand results; of the others failures are counted")
    func earlierResults() throws {
        var rig = try JudgeRig(#"{"requests": {}, "count": 1}"#)
        rig.send()
        rig.gateway.reset(at: rig.time)
        let ended = rig.gateway.takeEndedExpectations()
        var earlier = EarlierResults()
        func settle(_ count: Int, passed: Bool) {
            earlier.add(ended)
            let result = ExpectationResult(name: "x", passed: passed, expected: "", seen: "")
            earlier.settle(earlier.unsettled[0].id, Array(repeating: result, count: count))
        }
        settle(9_999, passed: false)
        settle(0, passed: true)
        settle(1, passed: true)
        #expect(earlier.all.count == 10_000)
        settle(3, passed: true)
        #expect(earlier.all.count == 10_000 && earlier.all.last?.passed == true)
        settle(2, passed: false)
        #expect(earlier.all.count == 10_001 && earlier.all.last?.passed == false)
        #expect(earlier.all.last?.seen == "2 expectations failed after 10000 had been judged")
        #expect(earlier.dropped == 5)
        let known = earlier.all.count
        earlier.settle(1, [])
        #expect(earlier.all.count == known, "what is known is not judged again")
    }
}
