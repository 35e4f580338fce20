import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// Which part of a log is read, and where events are among the pushes.
@Suite struct RunReaderEventsTests {
    private static let (alice, bob) = (WrittenRun.alice, WrittenRun.bob)
    private static let beginningIsGone = "The beginning of the run is no longer in the log."

    @Test("What came before the start is not read")
    func earlierPushesAndEventsAreNotRead() throws {
        var run = WrittenRun()
        run.push()
        try run.note(.changed) { $0.isOnline = false }
        let start = EventPosition(sequence: 1, number: 1)
        try run.note(.changed, of: Self.bob) { $0.isOnline = false }
        run.push(to: Self.bob)
        let scenario = try WrittenRun.scenario(
            #"{"devices": [{"name": "alice", "token": "\#(Self.alice)"}, {"name": "bob", "token": "\#(Self.bob)"}]}"#)
        let steps = run.steps(after: start, of: scenario)
        #expect(steps.elements(.timeline) == [#"{"at": "0s", "do": {"device": "bob", "online": false}}"#])
        #expect(steps.pushes == 1)
        #expect(steps.notes.isEmpty)
    }

    @Test("It is told that events from after the start were dropped", arguments: [(256, true), (257, false)])
    func droppedEvents(firstRead: Int, isBeforeFirstKept: Bool) {
        var run = WrittenRun(others: LatestEvents(limit: 1))
        for _ in 0..<513 { run.note(.reset) }
        #expect(run.others.firstNumber == 257)
        let steps = run.steps(after: EventPosition(number: firstRead - 1), of: Scenario())
        #expect(steps.notes == (isBeforeFirstKept ? [Self.beginningIsGone] : []))
    }

    @Test("It is told that pushes from after the start were dropped", arguments: [(1, true), (2, false)])
    func droppedPushes(firstRead: Int, isBeforeFirstKept: Bool) {
        var run = WrittenRun(log: RequestLog(limit: 2))
        for _ in 0..<3 { run.push() }
        let steps = run.steps(after: EventPosition(sequence: firstRead - 1), of: Scenario())
        #expect(steps.notes == (isBeforeFirstKept ? [Self.beginningIsGone] : []))
        #expect(steps.pushes == 2)
    }

    @Test("It is told which rules had matched before")
    func rulesThatHadMatchedBefore() throws {
        let scenario = try WrittenRun.scenario(
            #"{"rules": [{"name": "begun", "times": 2, "then": {"pass": true}}, {"name": "fresh", "then": {"pass": true}}]}"#
        )
        let steps = WrittenRun().steps(of: scenario, begunRules: ["begun"])
        #expect(steps.notes == [#"Rule "begun" had matched before; in the scenario it counts anew."#])
    }

    @Test("Calls about broadcast channels are no pushes")
    func callsAreLeftOut() {
        var run = WrittenRun()
        run.push(to: nil)
        run.log.addCall(CallRecord(), to: 0)
        let steps = run.steps()
        #expect(steps.pushes == 0)
        #expect(
            steps.notes == ["Calls about broadcast channels are left out: a workload has pushes to devices only."])
    }

    @Test("A push that is left out of the workload does not count before an event")
    func leftOutPushesDoNotCount() throws {
        var run = WrittenRun()
        run.push { $0.refuse(.missingTopic) }
        run.push { $0.name("alice") }
        try run.note(.changed) { ($0.name, $0.isOnline) = ("alice", false) }
        #expect(
            run.steps().elements(.timeline) == [
                #"{"after": {"requests": {}, "count": 1}, "do": {"device": "alice", "online": false}}"#
            ])
    }

    @Test("In a log the clock moves between pushes, but not after the last")
    func clockMovesBetweenPushesOfALog() {
        var run = WrittenRun()
        run.push()
        run.moveClock(by: 60_000)
        let first = run.steps()
        #expect(first.elements(.timeline).isEmpty)
        #expect(!first.movesClock)
        run.push()
        run.moveClock(by: 1000)
        let steps = run.steps()
        #expect(
            steps.elements(.timeline) == [#"{"after": {"requests": {}, "count": 1}, "do": {"advance": "1m"}}"#])
        #expect(steps.movesClock)
        #expect(steps.elements(.workload).count == 2)
    }

    @Test("A note says that what a user did with a push is left out")
    func responsesAreNoted() throws {
        let token = try #require(DeviceToken(hex: Self.alice))
        var run = WrittenRun()
        run.push { $0.name("alice") }
        run.note(
            .response(
                ResponseEvent(
                    clock: GatewayRig.now, token: token, deviceName: "alice", sequence: 1, action: ResponseEvent.open)))
        #expect(
            run.steps().notes == [
                "What the user of alice did with push 1 is left out: a timeline cannot do it."
            ])
    }
}
