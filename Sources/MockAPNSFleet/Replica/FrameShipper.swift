import MockAPNSCore

/// The frames of a replica on their way to the engine: their ids, and which of those that are there may be dropped.
struct FrameShipper {
    /// A frame to append.
    struct Frame: Sendable {
        let id: StreamID
        let bytes: [UInt8]
        /// Frames before this one may be dropped.
        let oldest: StreamID?
        /// The latest request in this frame or an earlier one.
        let shipped: Int
        fileprivate let mark: StreamID?

        var fields: [(name: String, value: [UInt8])] {
            [("v", Array("\(ReplicaFrame.version)".utf8)), ("d", bytes)]
        }
    }

    /// Maximum number of bytes kept in the engine; older frames are dropped, which verdicts notice.
    static let storedLimit = 1 << 30
    /// The number of bytes between two frames that may become the oldest.
    private static let step = 4 << 20

    /// When the process started, by the engine's clock.
    let started: UInt64
    /// The milliseconds to add to the time of day for the engine's clock.
    var clockOffset: Int64
    /// Why the latest frame could not be appended; `nil` if it was.
    var failure: FleetError?
    private var source: FrameSource
    /// The number of the latest frame.
    private(set) var number: UInt64 = 0
    private var shippedMark = StreamID.zero
    private var shipped = 0
    private var storedBytes = 0
    private var checkpoints: [(id: StreamID, bytesBefore: Int)] = []

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
    func isDue(_ latest: EventPosition, mark: StreamID) -> Bool { latest != source.position || isAsked(mark) }

    /// Whether a mark is still to be shipped, with everything before it.
    func isAsked(_ mark: StreamID) -> Bool { mark != shippedMark }

    /// Returns the next frame; `nil` if everything is in one.
    mutating func next(
        from snapshot: ReplicaSnapshot, at now: Timestamp, mark: StreamID, isLast: Bool, isNeeded: Bool
    ) -> Frame? {
        let header = FrameSource.Header(madeAt: now, clockOffset: clockOffset, mark: mark, isLast: isLast)
        guard let frame = source.next(from: snapshot, header, isNeeded: isNeeded) else { return nil }
        number += 1
        let id = StreamID(milliseconds: started, number: number)
        let bytes = frame.bytes
        if checkpoints.last.map({ storedBytes - $0.bytesBefore >= Self.step }) ?? true {
            checkpoints.append((id, storedBytes))
        }
        storedBytes += bytes.count
        while checkpoints.count > 1, storedBytes - checkpoints[1].bytesBefore > Self.storedLimit {
            checkpoints.removeFirst()
        }
        let isLimited = checkpoints.first.map { $0.bytesBefore > 0 } ?? false
        return Frame(
            id: id, bytes: bytes, oldest: isLimited ? checkpoints.first?.id : nil, shipped: source.position.sequence,
            mark: frame.isCurrent ? frame.mark : nil)
    }

    /// Notes that the engine has a frame.
    mutating func noteShipped(_ frame: Frame) {
        shipped = frame.shipped
        if let mark = frame.mark { shippedMark = mark }
    }

    /// Returns the sign of life.
    ///
    /// - Parameter decided: the number of requests decided.
    func life(decided: Int) -> SignOfLife {
        SignOfLife(
            started: started, frame: number, decided: decided, shipped: shipped, missing: source.lost.records)
    }
}
