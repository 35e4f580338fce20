import Testing

@testable import MockAPNSCore

/// Which replicas are asked because others wait for them.
@Suite struct SilentReplicaTests {
    private static let end = StreamID(milliseconds: 5, number: 0)

    /// A merge of so many streams that were read to their ends when their frames had come, at 0.
    private static func merge(_ count: Int, _ frames: [(Int, ReplicaFrame)]) -> FleetMerge {
        var merge = FleetMerge()
        for _ in 0..<count { _ = merge.addStream() }
        for (stream, frame) in frames { merge.take(frame, of: stream, in: stream, at: 0) }
        merge.noteEnds(of: Set(0..<count), at: 0)
        return merge
    }

    /// A frame with records at these times.
    private static func frame(_ times: Int64...) -> ReplicaFrame {
        var frame = ReplicaFrame()
        for time in times {
            var record = RequestRecord()
            record.time = Timestamp(milliseconds: time)
            frame.records.records.append(record)
        }
        return frame
    }

    /// A frame that says that nothing has happened up to this time.
    private static func nothing(until time: Int64) -> ReplicaFrame {
        var frame = ReplicaFrame()
        (frame.isCurrent, frame.madeAt) = (true, Timestamp(milliseconds: time))
        return frame
    }

    /// What comes after the end waits for that, and for no replica.
    @Test func heldBackRecordsAskNoReplica() {
        var merge = FleetMerge()
        let (held, other) = (merge.addStream(after: Self.end), merge.addStream())
        merge.end = Self.end
        merge.take(Self.frame(10), of: 0, in: held, at: 0)
        merge.noteEnds(of: [held, other], at: 0)
        #expect(merge.silent(at: 100, for: 15) == [])
        merge.end = nil
        #expect(merge.silent(at: 100, for: 15) == [other])
    }

    @Test func replicasAtTheEndAreNotAsked() {
        var merge = FleetMerge()
        let (first, atEnd) = (merge.addStream(), merge.addStream(after: Self.end))
        merge.end = Self.end
        merge.take(Self.frame(10), of: 0, in: first, at: 0)
        merge.noteEnds(of: [first, atEnd], at: 0)
        #expect(merge.silent(at: 100, for: 15) == [])
        merge.end = nil
        #expect(merge.silent(at: 100, for: 15) == [atEnd])
    }

    @Test func endedReplicasAreNotAsked() {
        var merge = Self.merge(3, [(0, Self.frame(10))])
        #expect(merge.silent(at: 100, for: 15) == [1, 2])
        merge.setLiving(false, 1)
        #expect(merge.silent(at: 100, for: 15) == [2])
    }

    @Test func replicasPastTheTimeAreNotAsked() {
        let frames = [(0, Self.frame(20)), (1, Self.nothing(until: 20)), (2, Self.nothing(until: 19))]
        var merge = Self.merge(3, frames)
        while merge.next() != nil {}
        #expect(!merge.isEmpty)
        #expect(merge.silent(at: 100, for: 15) == [2])
    }

    /// One of its records is later than the last, since its clock was set back.
    @Test func replicasWithSomethingToGiveAreNotAsked() {
        let merge = Self.merge(2, [(0, Self.frame(9, 5))])
        #expect(merge.silent(at: 100, for: 15) == [1])
    }
}
