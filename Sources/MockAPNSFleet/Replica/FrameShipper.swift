import MockAPNSCore
import NIOCore

/// The frames of a replica on their way to the engine: their ids, which of them the engine has yet to get, and which of
/// those that it has may be dropped.
///
/// Frames are numbered without gaps, so a reader sees how many the engine has lost.
struct FrameShipper {
    /// A frame to append.
    struct Frame: Sendable {
        let id: StreamID
        let bytes: [UInt8]
        /// Frames before this one may be dropped.
        var oldest: StreamID?
        /// The latest request in this frame or an earlier one.
        var shipped = 0
        fileprivate var mark: StreamID?

        var fields: [(name: String, value: [UInt8])] {
            [("v", Array("\(ReplicaFrame.version)".utf8)), ("d", bytes)]
        }
    }

    /// When the process started, by the engine's clock.
    let started: UInt64
    /// The milliseconds to add to the time of day for the engine's clock.
    var clockOffset: Int64
    /// Why the latest frame could not be appended; `nil` if it was.
    var failure: FleetError?
    /// Since when the engine has had none of the frames that wait for it; `nil` if none waits.
    private var waitsSince: ContinuousClock.Instant?
    /// Maximum number of bytes kept in the engine.
    private let storedLimit: Int
    private var source: FrameSource
    /// The number of the latest frame.
    private(set) var number: UInt64 = 0
    private var shippedMark = StreamID.zero
    private var shipped = 0
    private var storedBytes = 0
    private var checkpoints: [(id: StreamID, bytesBefore: Int)] = []
    /// The frames that the engine does not have.
    private var frames = CircularBuffer<Frame>()

    /// - Parameter number: the number of the latest event that is not to be shipped.
    init(
        started: UInt64, clockOffset: Int64 = 0, after number: Int = 0, storedLimit: Int = FleetLimits().frames
    ) {
        (self.started, self.clockOffset, self.storedLimit) = (started, clockOffset, storedLimit)
        source = FrameSource(after: number)
    }

    var knownTopics: Int { source.knownTopics }

    /// The latest request in a frame.
    var latestSequence: Int { source.position.sequence }

    /// The next frame to append, which is made already; `nil` if the engine has all.
    var pending: Frame? { frames.first }

    /// Whether there is anything to ship.
    func isDue(_ latest: EventPosition, mark: StreamID) -> Bool {
        latest != source.position || isAsked(mark) || !frames.isEmpty
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
        frame.shipped = source.position.sequence
        frame.mark = made.isCurrent ? made.mark : nil
        frame.oldest = oldest(through: frame)
        if frames.isEmpty { waitsSince = .now }
        frames.append(frame)
        return true
    }

    /// Notes that a frame is about to be stored, and decides which ones may be dropped then.
    private mutating func oldest(through frame: Frame) -> StreamID? {
        if checkpoints.last.map({ storedBytes - $0.bytesBefore >= storedLimit / 256 }) ?? true {
            checkpoints.append((frame.id, storedBytes))
        }
        storedBytes += frame.bytes.count
        while checkpoints.count > 1, storedBytes - checkpoints[1].bytesBefore > storedLimit {
            checkpoints.removeFirst()
        }
        let isLimited = checkpoints.first.map { $0.bytesBefore > 0 } ?? false
        return isLimited ? checkpoints.first?.id : nil
    }

    /// Notes that the engine has the pending frame.
    mutating func noteShipped() {
        guard let frame = frames.popFirst() else { return }
        waitsSince = frames.isEmpty ? nil : .now
        shipped = max(shipped, frame.shipped)
        if let mark = frame.mark { shippedMark = max(shippedMark, mark) }
    }

    /// How long frames may wait for the engine before the replica is not ready.
    static let patience = Duration.seconds(2)

    /// Why what was decided does not reach the engine, as part of a sentence; `nil` if it does.
    func problem(at now: ContinuousClock.Instant) -> String? {
        guard let waitsSince, now - waitsSince >= Self.patience else { return nil }
        let cause = failure.map { ": \($0)" } ?? ""
        return "its requests have waited \((now - waitsSince).components.seconds) s for the engine\(cause)"
    }

    /// Returns the heartbeat.
    ///
    /// - Parameter decided: the number of requests decided.
    func heartbeat(decided: Int) -> Heartbeat {
        Heartbeat(
            started: started, frame: number, decided: decided, shipped: shipped, missing: source.lost.records)
    }
}
