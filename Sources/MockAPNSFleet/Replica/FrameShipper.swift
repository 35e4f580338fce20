import MockAPNSCore
import NIOCore

/// The frames of a replica on their way to the engine: their ids, which of them the engine has, and which of those may be
/// dropped.
///
/// An engine that has lost frames gets them again as far as they are kept, with the same ids: a reader that had some of
/// them goes on with the next, and a new reader sees by the ids how many are missing before them.
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
    /// The number of bytes that a frame takes besides its own, about.
    private static let overhead = 200
    /// Maximum number of bytes of the frames kept here.
    var keptLimit = 32 << 20

    /// When the process started, by the engine's clock.
    let started: UInt64
    /// The milliseconds to add to the time of day for the engine's clock.
    var clockOffset: Int64
    /// Why the latest frame could not be appended; `nil` if it was.
    var failure: FleetError?
    /// Whether the engine may have lost frames, so that it is to be asked for the latest one.
    var isDoubtful = false
    /// Whether it is known that the engine has lost frames that it does not have again yet.
    private(set) var isRestoring = false
    private var source: FrameSource
    /// The number of the latest frame.
    private(set) var number: UInt64 = 0
    private var shippedMark = StreamID.zero
    private var shipped = 0
    private var storedBytes = 0
    private var checkpoints: [(id: StreamID, bytesBefore: Int)] = []
    /// The latest frames, the sum of what they take, and how many of them, at the end, the engine does not have.
    private var kept: (frames: CircularBuffer<Frame>, bytes: Int, pending: Int) = ([], 0, 0)

    /// - Parameter number: the number of the latest event that is not to be shipped.
    init(started: UInt64, clockOffset: Int64 = 0, after number: Int = 0) {
        (self.started, self.clockOffset) = (started, clockOffset)
        source = FrameSource(after: number)
    }

    var knownTopics: Int { source.knownTopics }

    /// The latest request in a frame.
    var latestSequence: Int { source.position.sequence }

    /// The next frame to append, which is made already; `nil` if the engine has all.
    var pending: Frame? {
        kept.pending > 0 ? kept.frames[kept.frames.index(kept.frames.endIndex, offsetBy: -kept.pending)] : nil
    }

    /// Whether there is anything to ship.
    func isDue(_ latest: EventPosition, mark: StreamID) -> Bool {
        latest != source.position || isDoubtful || isAsked(mark) || kept.pending > 0
    }

    /// Whether a mark is still to be shipped, with everything before it.
    func isAsked(_ mark: StreamID) -> Bool { mark != shippedMark }

    /// Makes the next frame, which is pending then, after others that are.
    ///
    /// - Returns: whether there is one; not if everything is in a frame already.
    mutating func makeNext(
        from snapshot: ReplicaSnapshot, at now: Timestamp, mark: StreamID, isLast: Bool, isNeeded: Bool
    ) -> Bool {
        let header = FrameSource.Header(madeAt: now, clockOffset: clockOffset, mark: mark, isLast: isLast)
        guard let made = source.next(from: snapshot, header, isNeeded: isNeeded) else { return false }
        number += 1
        var frame = Frame(id: StreamID(milliseconds: started, number: number), bytes: made.bytes)
        frame.isFirst = number == 1
        frame.shipped = source.position.sequence
        frame.mark = made.isCurrent ? made.mark : nil
        frame.oldest = oldest(through: frame)
        keep(frame)
        return true
    }

    private mutating func keep(_ frame: Frame) {
        kept.frames.append(frame)
        kept.bytes += frame.bytes.count + Self.overhead
        kept.pending += 1
        while kept.frames.count > kept.pending, kept.bytes > keptLimit {
            kept.bytes -= kept.frames.removeFirst().bytes.count + Self.overhead
        }
    }

    /// Notes that a frame is about to be stored, and decides which ones may be dropped then.
    private mutating func oldest(through frame: Frame) -> StreamID? {
        if checkpoints.last.map({ storedBytes - $0.bytesBefore >= Self.step }) ?? true {
            checkpoints.append((frame.id, storedBytes))
        }
        storedBytes += frame.bytes.count
        while checkpoints.count > 1, storedBytes - checkpoints[1].bytesBefore > Self.storedLimit {
            checkpoints.removeFirst()
        }
        let isLimited = checkpoints.first.map { $0.bytesBefore > 0 } ?? false
        return isLimited ? checkpoints.first?.id : nil
    }

    /// Notes that the engine has the pending frame.
    mutating func noteShipped() {
        guard let frame = pending else { return }
        kept.pending -= 1
        shipped = max(shipped, frame.shipped)
        if let mark = frame.mark { shippedMark = max(shippedMark, mark) }
        if kept.pending == 0 { isRestoring = false }
    }

    /// Goes on after the latest frame that the engine has: those after it are pending, again if it has lost them.
    ///
    /// - Parameter last: the id of the latest entry of the stream; zero if there is none.
    /// - Throws: ``FleetError/superseded`` if another process has continued the stream.
    mutating func goOn(after last: StreamID) throws(FleetError) {
        if last.milliseconds > started { throw .superseded }
        isDoubtful = false
        while let frame = pending, frame.id <= last { noteShipped() }
        let count = kept.frames.reversed().prefix { $0.id > last }.count
        // Without a stream, the first of them begins it.
        if last == .zero, count > 0 {
            kept.frames[kept.frames.index(kept.frames.endIndex, offsetBy: -count)].isFirst = true
        }
        guard count > kept.pending else { return }
        isRestoring = true
        kept.pending = count
    }

    /// Returns the heartbeat.
    ///
    /// - Parameter decided: the number of requests decided.
    func heartbeat(decided: Int) -> Heartbeat {
        Heartbeat(
            started: started, frame: number, decided: decided, shipped: shipped, missing: source.lost.records)
    }
}
