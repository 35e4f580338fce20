import GatewayRigs
import Testing

@testable import MockAPNSCore

/// What goes into which frame; the lines of records are compared in ``ReplicaFrameTests``.
@Suite struct FrameSourceTests {
    private static func note(_ count: Int, _ replica: inout ReplicaRig) {
        let change = RequestUpdate(delivery: .discardedExpired)
        for _ in 0..<count {
            replica.note(.update(UpdateEvent(of: 1, change, clock: GatewayRig.now)))
        }
    }

    @Test func aFrameHoldsOnlySoManyEvents() throws {
        var replica = try ReplicaRig()
        Self.note(2 * ReplicaFrame.eventLimit, &replica)
        // The first event is that a connection was opened.
        let frames = replica.frames(isLast: true)
        #expect(frames.map(\.events.count) == [4096, 4096, 1])
        #expect(frames.map(\.isCurrent) == [false, false, true])
        #expect(frames.map(\.isLast) == [false, false, true])
        #expect(frames.map(\.mark) == [.zero, .zero, StreamID(milliseconds: 7, number: 8)])
        #expect(frames.map(\.lostEvents) == [0, 0, 0])
        #expect(replica.frames().isEmpty)
    }

    /// Events are dropped 256 at a time, for the first time when there are 10 497.
    @Test(arguments: [(shipped: 256, lost: 0), (255, 1), (1, 255)])
    func eventsThatWereDroppedAreCounted(shipped: Int, lost: Int) throws {
        var replica = try ReplicaRig()
        Self.note(shipped - 1, &replica)
        #expect(replica.frames().map(\.events.count) == [shipped])
        Self.note(10_497 - shipped, &replica)
        let frames = replica.frames()
        #expect(frames.reduce(0) { $0 + $1.events.count } == 10_497 - shipped - lost)
        #expect(frames.allSatisfy { $0.lostEvents == lost } && replica.source.lost == (0, lost))
        #expect(replica.frames().isEmpty)
    }

    @Test func anEventComesWithTheRecordBeforeIt() throws {
        var replica = try ReplicaRig(logLimit: 10_000)
        replica.work { rig in for _ in 0..<1024 { rig.send() } }
        try replica.change("bob") { $0.isOnline = true }
        replica.work { $0.send() }
        try replica.change("bob") { $0.isOnline = false }
        let frames = replica.frames()
        #expect(frames.map(\.recordCount) == [1024, 1])
        #expect(frames.map { $0.events.map(\.after) } == [[0, 1024], [1025]])
        #expect(frames.map(\.decided) == [1025, 1025])
        #expect(frames.map(\.firstSequence) == [1, 1025])
    }

    /// The records of the segment that is still filled come later, as long as the first of them is young.
    @Test func youngRecordsAreHeldBack() throws {
        var replica = try ReplicaRig(logLimit: 10_000)
        replica.work { rig in for _ in 0..<1025 { rig.send() } }
        let (start, now) = (replica.rig.time, replica.rig.time.advanced(by: 9))
        replica.rig.time = now
        let frames = replica.frames(except: start...now)
        #expect(frames.map(\.recordCount) == [1024] && frames.map(\.isCurrent) == [false])
        replica.work { $0.send() }
        try replica.change("bob") { $0.isOnline = true }
        #expect(replica.frames(except: start...now).isEmpty)
        let last = replica.frames(except: start.advanced(by: 1)...now)
        #expect(last.map(\.recordCount) == [2] && last.map(\.isCurrent) == [true])
        #expect(replica.source.lost.records == 0)
    }

    /// Totals are those of everything, also of what comes later.
    @Test func totalsSayWhichEventsTheyCover() throws {
        var replica = try ReplicaRig(logLimit: 10_000)
        replica.note(.fleet(FleetMember(fleet: "f", replica: "a", started: 1, epoch: .zero)))
        replica.work { rig in for _ in 0..<1025 { rig.send() } }
        for isOnline in [true, false] { try replica.change("bob") { $0.isOnline = isOnline } }
        replica.note(.reset)
        try replica.change("bob") { $0.isOnline = true }
        let now = replica.rig.time
        let frames = replica.frames(except: now...now)
        #expect(frames.map(\.events.count) == [1] && frames.map(\.totals.requests) == [1025])
        #expect(frames.map(\.totals.coveredEvents) == [4])
        let last = replica.frames()
        #expect(last.map(\.events.count) == [3] && last.map(\.totals.coveredEvents) == [4])
    }

    @Test func totalsCoverOnlyEventsThatAreShipped() throws {
        var replica = try ReplicaRig(logLimit: 10_000)
        try replica.change("bob") { $0.isOnline = true }
        replica.work { rig in for _ in 0..<1025 { rig.send() } }
        replica.note(.reset)
        let now = replica.rig.time
        let frames = replica.frames(except: now...now)
        // The first event is that a connection was opened. Resets are not shipped.
        #expect(frames.map(\.events.count) == [2] && frames.map(\.totals.coveredEvents) == [2])
    }

    /// They matter only to a verdict.
    @Test func markedAndLastFramesNameRules() throws {
        var replica = try ReplicaRig(#""rules": [{"name": "busy", "then": {"reject": "TooManyRequests"}}],"#)
        func names(_ frames: [ReplicaFrame]) -> [[String]?] { frames.map { $0.rules?.names } }
        replica.work { $0.send() }
        #expect(names(replica.frames()) == [["busy"]])
        replica.work { $0.send() }
        #expect(names(replica.frames()) == [nil])
        #expect(names(replica.frames(mark: StreamID(milliseconds: 7, number: 9), isNeeded: true)) == [["busy"]])
        #expect(names(replica.frames(mark: StreamID(milliseconds: 7, number: 9), isNeeded: true)) == [nil])
        #expect(names(replica.frames(mark: StreamID(milliseconds: 7, number: 9), isLast: true)) == [["busy"]])
    }

    @Test func framesMayBeginInsideASegment() throws {
        var replica = try ReplicaRig(logLimit: 10_000)
        replica.work { rig in for _ in 0..<1023 { rig.send() } }
        #expect(replica.frames().map(\.recordCount) == [1023])
        replica.work { rig in for _ in 0..<1000 { rig.send() } }
        let frames = replica.frames()
        #expect(frames.map(\.recordCount) == [1, 999] && frames.map(\.firstSequence) == [1024, 1025])
        #expect(replica.source.lost.records == 0)
    }

    @Test func numbersInTheOrderComeWithTheirRecords() throws {
        let rig = try OrderRig()
        let replica = rig.replicas[0]
        for sender in [0, 1, 0] { try rig.push(at: sender) }
        let frames = replica.frames()
        let all = [(1, FleetOrder.firstNumber), (2, FleetOrder.firstNumber + 2)].map { "\($0)" }
        #expect(frames.map { $0.numbers.map { "(\($0.sequence), \($0.number))" } } == [all])
        #expect(frames.map(\.clockOffset) == [0] && frames.map(\.isLast) == [false])
        try rig.push(at: 0)
        #expect(replica.frames().map { $0.numbers.map(\.sequence) } == [[3]])
    }

    /// A push of another replica is shipped meanwhile, because it has replaced the one before.
    @Test func heldBackPushesHaveNoNumberYet() throws {
        let rig = try OrderRig()
        let replica = rig.replicas[0]
        try rig.push(at: 0)
        #expect(replica.frames().map { $0.numbers.map(\.sequence) } == [[1]])
        try rig.push(at: 1)
        try rig.push(at: 0)
        let frames = replica.frames(except: replica.rig.time...replica.rig.time)
        #expect(frames.map(\.recordCount) == [0] && frames.map(\.numbers.count) == [0])
        for frame in frames { #expect(try ReplicaFrame(frame.bytes.span).events.count == frame.events.count) }
        #expect(replica.frames().map { $0.numbers.map(\.sequence) } == [[2]])
    }

    @Test func totalsAreShippedOnce() throws {
        var replica = try ReplicaRig(logLimit: 10_000)
        replica.work { rig in for _ in 0..<1025 { rig.send(topic: "com.example.app") } }
        let frames = replica.frames()
        #expect(frames.map(\.totals.requests) == [0, 1025])
        #expect(frames[1].totals.topics.map(\.count) == [1025])
        replica.work { rig in
            rig.send(topic: "com.example.app")
            rig.send(topic: "com.example.other")
        }
        let next = replica.frames()
        #expect(next.map(\.totals.requests) == [2])
        let topics = next[0].totals.topics.map { String(decoding: $0.topic, as: UTF8.self) }
        #expect(topics == ["com.example.app", "com.example.other"])
    }

    @Test func anEmptyFrameOnlyIfNeeded() throws {
        var replica = try ReplicaRig()
        replica.work { $0.send() }
        #expect(replica.frames(offset: 4).map(\.clockOffset) == [4])
        #expect(replica.frames().isEmpty)
        let frames = replica.frames(isNeeded: true)
        #expect(frames.map(\.recordCount) == [0] && frames.map(\.firstSequence) == [2])
        #expect(frames.map(\.isCurrent) == [true])
        #expect(frames[0].events.isEmpty && frames[0].totals.requests == 0)
        replica.work { $0.send() }
        #expect(replica.frames().map(\.firstSequence) == [2])
    }

    /// The log may lose records of which the events are still there.
    @Test func eventsAreShippedWithoutTheirRecords() throws {
        var replica = try ReplicaRig(logLimit: 0)
        replica.work { $0.send(to: JudgeRig.bob) }
        try replica.change("bob") { $0.isOnline = true }
        let frames = replica.frames()
        #expect(frames.map(\.recordCount) == [0] && frames.map(\.isCurrent) == [true])
        #expect(frames[0].events.count == 3 && replica.source.lost.records == 1)
    }

    /// They may be about records that were dropped before they could be shipped.
    @Test func onlyPushesInTheFrameHaveNumbers() throws {
        var replica = try ReplicaRig(logLimit: 1024)
        replica.work { rig in for _ in 0..<3000 { rig.send() } }
        let whole = replica.rig.gateway.replicaSnapshot(LatestEvents(), knownTopics: 0, after: 0)
        let first = whole.events.log.firstSequence
        let snapshot = ReplicaSnapshot(
            events: whole.events, isWhole: true, statistics: whole.statistics, newTopics: whole.newTopics,
            numbers: [1, first - 1, first, 3000].map { ($0, FleetOrder.firstNumber + $0) },
            scenario: whole.scenario, rules: whole.rules)
        var source = FrameSource()
        var numbers: [Int] = []
        while let frame = source.next(from: snapshot, FrameSource.Header(madeAt: GatewayRig.now)) {
            numbers += try ReplicaFrame(frame.bytes.span).numbers.map(\.sequence)
        }
        #expect(numbers == [first, 3000])
    }
}
