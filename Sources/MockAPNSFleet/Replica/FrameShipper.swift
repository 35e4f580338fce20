import MockAPNSCore

/// The frames of a replica on their way to the engine: their ids, and which of those that are there may be dropped.
///
/// An engine that has lost them gets them again. Those that its collectors may not have read yet are kept, and have the
/// same ids again, so whoever has some of them goes on with the next. In place of all earlier ones come others, made from
/// the log in memory, with ids from before the start of the process: whoever has read any frame never reads those.
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
        /// The number of the last of the frames in whose place it is.
        var replaced: UInt64?
        fileprivate var mark: StreamID?

        var fields: [(name: String, value: [UInt8])] {
            [("v", Array("\(ReplicaFrame.version)".utf8)), ("d", bytes)]
                + (replaced.map { [("n", Array("\($0)".utf8))] } ?? [])
        }
    }

    /// The latest frames.
    private struct Kept {
        /// What they were made by, as it was before the first of them.
        let source: FrameSource
        /// The number of the frame before the first of them.
        let number: UInt64
        var frames: [Frame] = []
        var byteCount = 0
    }

    /// Frames that are shipped again.
    private struct Repetition {
        var source: FrameSource
        /// The number of the last frame that is made anew.
        let last: UInt64
        var number: UInt64
        var kept: ArraySlice<Frame>
    }

    /// Maximum number of bytes kept in the engine; older frames are dropped, which verdicts notice.
    static let storedLimit = 1 << 30
    /// The number of bytes between two frames that may become the oldest.
    private static let step = 4 << 20
    /// The number of bytes of the latest frames that are kept at least.
    var keptLimit = 8 << 20

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
    /// The latest frames, and those before them.
    private var kept: (older: Kept, newer: Kept)
    private var repetition: Repetition?
    /// The number of times that the engine has lost the frames.
    private(set) var losses: UInt64 = 0

    /// - Parameters:
    ///   - records: the records to ship.
    ///   - number: the number of the latest event that is not to be shipped.
    init(_ records: ShippedRecords, started: UInt64, clockOffset: Int64 = 0, after number: Int = 0) {
        (self.started, self.clockOffset) = (started, clockOffset)
        source = FrameSource(records, after: number)
        kept = (Kept(source: source, number: 0), Kept(source: source, number: 0))
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
        kept.newer.frames.append(frame)
        kept.newer.byteCount += frame.bytes.count
        guard kept.newer.byteCount >= keptLimit else { return }
        kept = (kept.newer, Kept(source: source, number: number))
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
        if let mark = frame.mark { shippedMark = mark }
    }

    // MARK: Again

    /// Begins to ship everything again, because the engine has lost it.
    mutating func startAgain() {
        losses += 1
        (storedBytes, checkpoints) = (0, [])
        repetition = Repetition(
            source: kept.older.source.repetition, last: kept.older.number, number: losses << 32,
            kept: (kept.older.frames + kept.newer.frames)[...])
    }

    /// Returns the next frame to ship again; `nil` if there is none.
    ///
    /// - Parameter snapshot: a snapshot of the whole log.
    mutating func nextAgain(from snapshot: ReplicaSnapshot, at now: Timestamp) -> Frame? {
        guard var repetition = self.repetition.take() else { return nil }
        let header = FrameSource.Header(madeAt: now, clockOffset: clockOffset)
        let isFirst = repetition.number == losses << 32
        // The first one says what is not known any more, too.
        let isNeeded = isFirst && repetition.last > 0
        var frame: Frame?
        if let made = repetition.source.next(from: snapshot, header, isNeeded: isNeeded) {
            repetition.number += 1
            // Before those of this process, and after those of an earlier one of that name.
            frame = Frame(id: StreamID(milliseconds: started - 1, number: repetition.number), bytes: made.bytes)
            frame?.replaced = repetition.last
            frame?.isFirst = isFirst
        } else if let known = repetition.kept.popFirst() {
            frame = known
        }
        guard var frame else { return nil }
        store(&frame)
        self.repetition = repetition
        return frame
    }

    /// Returns the sign of life.
    ///
    /// - Parameter decided: the number of requests decided.
    func life(decided: Int) -> SignOfLife {
        SignOfLife(
            started: started, frame: number, decided: decided, shipped: shipped, missing: source.lost.records)
    }
}
