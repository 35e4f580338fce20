import MockAPNSCore
import NIOCore

/// The frames of a replica on their way to the engine: their ids, and which of those that are there may be dropped.
///
/// An engine that has lost them gets the latest ones again, with the same ids: whoever has read some of them goes on with
/// the next, and to whoever has read none, the ids tell how many are missing before them.
struct FrameShipper {
    /// A frame to append.
    struct Frame: Sendable {
        let id: StreamID
        let bytes: [UInt8]
        /// Whether there may be no stream yet.
        var isFirst = false
        /// Frames before this one may be dropped.
        var oldest: StreamID?
        /// The latest request in this frame or an earlier one.
        var shipped = 0
        fileprivate var mark: StreamID?

        var fields: [(name: String, value: [UInt8])] {
            [("v", Array("\(ReplicaFrame.version)".utf8)), ("d", bytes)]
        }
    }

    /// Maximum number of bytes kept in the engine; older frames are dropped, which verdicts notice.
    static let storedLimit = 1 << 30
    /// The number of bytes between two frames that may become the oldest.
    private static let step = 4 << 20
    /// Maximum number of bytes of the frames kept here, and of frames.
    var keptLimit = (bytes: 32 << 20, frames: 4096)

    /// When the process started, by the engine's clock.
    let started: UInt64
    /// The milliseconds to add to the time of day for the engine's clock.
    var clockOffset: Int64
    /// Why the latest frame could not be appended; `nil` if it was.
    var failure: FleetError?
    /// Whether the engine may have lost the frames, which the next one shows.
    var isDoubtful = false
    private var source: FrameSource
    /// The number of the latest frame.
    private(set) var number: UInt64 = 0
    private var shippedMark = StreamID.zero
    private var shipped = 0
    private var storedBytes = 0
    private var checkpoints: [(id: StreamID, bytesBefore: Int)] = []
    /// The latest frames, and the sum of their bytes.
    private var kept: (frames: CircularBuffer<Frame>, bytes: Int) = ([], 0)

    /// - Parameters:
    ///   - records: the records to ship.
    ///   - number: the number of the latest event that is not to be shipped.
    init(_ records: ShippedRecords, started: UInt64, clockOffset: Int64 = 0, after number: Int = 0) {
        (self.started, self.clockOffset) = (started, clockOffset)
        source = FrameSource(records, after: number)
    }

    var knownTopics: Int { source.knownTopics }

    /// The latest request in a frame.
    var latestSequence: Int { source.position.sequence }

    /// Whether there is anything to ship.
    func isDue(_ latest: EventPosition, mark: StreamID) -> Bool {
        latest != source.position || isDoubtful || isAsked(mark)
    }

    /// Whether a mark is still to be shipped, with everything before it.
    func isAsked(_ mark: StreamID) -> Bool { mark != shippedMark }

    /// Returns the next frame; `nil` if everything is in one.
    mutating func next(
        from snapshot: ReplicaSnapshot, at now: Timestamp, mark: StreamID, isLast: Bool, isNeeded: Bool
    ) -> Frame? {
        let header = FrameSource.Header(madeAt: now, clockOffset: clockOffset, mark: mark, isLast: isLast)
        guard let made = source.next(from: snapshot, header, isNeeded: isNeeded) else { return nil }
        isDoubtful = false
        number += 1
        var frame = Frame(id: StreamID(milliseconds: started, number: number), bytes: made.bytes)
        frame.isFirst = number == 1
        frame.shipped = source.position.sequence
        frame.mark = made.isCurrent ? made.mark : nil
        keep(frame)
        store(&frame)
        return frame
    }

    private mutating func keep(_ frame: Frame) {
        kept.frames.append(frame)
        kept.bytes += frame.bytes.count
        while kept.frames.count > 1, kept.bytes > keptLimit.bytes || kept.frames.count > keptLimit.frames {
            kept.bytes -= kept.frames.removeFirst().bytes.count
        }
    }

    /// Notes that a frame is about to be stored, and decides which ones may be dropped then.
    private mutating func store(_ frame: inout Frame) {
        if checkpoints.last.map({ storedBytes - $0.bytesBefore >= Self.step }) ?? true {
            checkpoints.append((frame.id, storedBytes))
        }
        storedBytes += frame.bytes.count
        while checkpoints.count > 1, storedBytes - checkpoints[1].bytesBefore > Self.storedLimit {
            checkpoints.removeFirst()
        }
        let isLimited = checkpoints.first.map { $0.bytesBefore > 0 } ?? false
        frame.oldest = isLimited ? checkpoints.first?.id : nil
    }

    /// Notes that the engine has a frame.
    mutating func noteShipped(_ frame: Frame) {
        shipped = max(shipped, frame.shipped)
        if let mark = frame.mark { shippedMark = max(shippedMark, mark) }
    }

    /// Returns the frames to ship again, because the engine has lost all.
    mutating func startAgain() -> CircularBuffer<Frame> {
        (storedBytes, checkpoints) = (0, [])
        var frames = kept.frames
        for index in frames.indices {
            frames[index].isFirst = index == frames.startIndex
            store(&frames[index])
        }
        return frames
    }

    /// Returns the sign of life.
    ///
    /// - Parameter decided: the number of requests decided.
    func life(decided: Int) -> SignOfLife {
        SignOfLife(
            started: started, frame: number, decided: decided, shipped: shipped, missing: source.lost.records)
    }
}
