import Testing

@testable import MockAPNSCore

/// What goes into which frame; the lines of records are compared in ``ReplicaFrameTests``.
@Suite struct FrameSourceTests {
    private static func note(_ count: Int, _ replica: inout ReplicaRig) {
        let change = RequestUpdate(delivery: .discardedExpired)
        for _ in 0..<count {
            replica.note(.effect(.update(sequence: 1, change, clock: GatewayRig.now)))
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
}
