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

    // MARK: Again

    /// Whatever a replica ships, and wherever the repetition ends.
    @Test(arguments: ShippedRecords.allCases, 0...5)
    func aRepetitionAndTheNextFramesAreThoseOfOneSource(_ shipped: ShippedRecords, steps: Int) throws {
        let expectations = """
            {"requests": {"status": 200}, "count": 18}, {"requests": {}, "count": 3, "distinct": "/n"},
            {"requests": {"status": 429}, "count": 3}, {"requests": {}, "count": {"atMost": 18}, "each": "token"}
            """
        let more =
            #""rules": [{"name": "busy", "when": {"payload": {"/n": 1}}, "times": 3, "then": {"reject": "TooManyRequests"}}],"#
        var replica = try ReplicaRig(more, expectations: expectations, shipping: shipped)
        let stranger = String(repeating: "c1", count: 32)
        var frames: [ReplicaFrame] = []
        var (before, known) = (replica.source, 0)
        for step in 0..<6 {
            if step == steps { (before, known) = (replica.source, frames.count) }
            replica.work { rig in
                for n in 0...2 { rig.send(to: stranger, body: #"{"aps":{"alert":"x"},"n":\#(n)}"#) }
                rig.send(to: JudgeRig.bob)
            }
            let closed = replica.open()
            if step % 2 == 0 { replica.close(closed, pings: step) }
            try replica.change("bob") { $0.isOnline = step % 3 == 2 }
            frames += replica.frames()
        }
        let source = replica.source
        replica.source = before.repetition
        let repeated = replica.frames()
        #expect(repeated.isEmpty == (steps == 0) && repeated.allSatisfy { !$0.isCurrent && $0.mark == .zero })
        #expect(replica.frames().isEmpty && replica.source.position == before.position)
        replica.source = source
        var one = try CollectorRig(expectations, more, replicas: ["a"])
        var other = try CollectorRig(expectations, more, replicas: ["a"])
        try one.take(frames, of: 0)
        try other.take(repeated + frames[known...], of: 0)
        one.proceed()
        other.proceed()
        let count = one.gateway.log.latestSequence
        #expect(other.gateway.log.latestSequence == count && (count == 24) == (shipped == .all))
        for sequence in 1..<count + 1 {
            #expect(one.gateway.log.snapshot.record(sequence) == other.gateway.log.snapshot.record(sequence))
        }
        #expect(one.gateway.replicas.unshipped.count == other.gateway.replicas.unshipped.count)
        #expect(one.gateway.replicas.unshipped.special == other.gateway.replicas.unshipped.special)
        let (a, b) = (one.gateway.summary(at: GatewayRig.now), other.gateway.summary(at: GatewayRig.now))
        #expect((a.requests, a.byStatus, a.connectionsOpened) == (b.requests, b.byStatus, b.connectionsOpened))
        #expect(a.connectionsOpen == b.connectionsOpen && a.latency.sum == b.latency.sum && a.requests == 24)
        let results = one.gateway.evidence(at: GatewayRig.now).verify().results
        let again = other.gateway.evidence(at: GatewayRig.now).verify().results
        #expect(results.map { "\($0)" } == again.map { "\($0)" })
        #expect(results.contains { $0.passed })
    }

    @Test func aRepetitionSaysWhatIsNotKnownAnyMore() throws {
        var replica = try ReplicaRig(logLimit: 10)
        replica.work { rig in for _ in 0..<5 { rig.send() } }
        #expect(replica.frames().map(\.recordCount) == [5])
        let early = replica.source
        replica.work { rig in for _ in 0..<20 { rig.send() } }
        // Of these, 10 were lost before they could be shipped.
        #expect(replica.frames().map(\.firstSequence) == [16])
        replica.work { rig in for _ in 0..<5 { rig.send() } }
        let source = replica.source
        replica.source = source.repetition
        let frames = replica.frames(isNeeded: true)
        #expect(frames.map(\.firstSequence) == [21] && frames.map(\.recordCount) == [5])
        #expect(frames[0].totals.requests == 25 && replica.source.lost.records == 20)
        // Nothing of it is left, but it says so, and counts.
        replica.source = early.repetition
        let empty = replica.frames(isNeeded: true)
        #expect(empty.map(\.firstSequence) == [6] && empty.map(\.recordCount) == [0])
        #expect(empty[0].totals.requests == 5)
    }

    /// Those that were lost without it, the later frames count.
    @Test func eventsAreMissingOnceAfterARepetition() throws {
        var replica = try ReplicaRig()
        Self.note(255, &replica)
        #expect(replica.frames().count == 1)
        Self.note(10_497 - 256, &replica)
        #expect(replica.frames().allSatisfy { $0.lostEvents == 0 })
        replica.source = replica.source.repetition
        let frames = replica.frames()
        #expect(frames.allSatisfy { $0.lostEvents == 256 })
        #expect(frames.reduce(0) { $0 + $1.events.count } == 10_497 - 256)
    }
}
