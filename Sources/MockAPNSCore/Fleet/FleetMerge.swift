/// Part of a replica's frame: consecutive records, with the events among them.
package struct ReplicaRun: Sendable {
    let frame: ReplicaFrame
    /// The number of the replica in the merge.
    let replica: Int
    /// The indices of the records in the frame.
    let records: Range<Int>
    /// The indices of the events in the frame.
    let events: Range<Int>
    /// Whether this is the end of the frame.
    let isEnd: Bool
}

/// Brings the frames of several replicas into one order, by the engine's clock.
///
/// The order of each replica is kept. A record is held back until every living replica has shipped everything up to its
/// time, but no longer than ``patience``: a replica that is late is behind others by that much at most.
package struct FleetMerge: Sendable {
    /// Maximum time that a frame is held back, in milliseconds.
    package static let patience: Int64 = 50

    private struct Pending: Sendable {
        var frame: ReplicaFrame
        let arrival: Int64
        var record = 0
        var event = 0

        /// The time of the next record or event on the engine's clock; `nil` at the end.
        var key: Int64? {
            let records = frame.records.records
            let next = record < records.count ? records[record].time.milliseconds : nil
            guard isEventNext else { return next.map { $0 + frame.clockOffset } }
            return frame.events[event].time.milliseconds + frame.clockOffset
        }

        /// Whether the next event comes before the next record.
        var isEventNext: Bool {
            guard event < frame.events.count else { return false }
            return record >= frame.recordCount || frame.events[event].after < frame.sequence(at: record)
        }
    }

    private struct Replica: Sendable {
        var frames: ArraySlice<Pending> = []
        /// Everything up to this time has arrived.
        var passed = Int64.min
        /// The time of the latest item that was given out; later ones are not sorted before it.
        var latest = Int64.min
        var isLiving = true

        var key: Int64? { frames.first.map { max(latest, $0.key ?? latest) } }
    }

    private var replicas: [Replica] = []
    /// The known tokens by hash, so that a token is the same object in all frames.
    private var tokens: [UInt64: ProviderToken] = [:]

    /// Creates a merge without replicas.
    package init() {}

    /// Adds a replica and returns its number.
    package mutating func add() -> Int {
        replicas.append(Replica())
        return replicas.count - 1
    }

    /// Whether anything is held back.
    package var isEmpty: Bool { replicas.allSatisfy(\.frames.isEmpty) }

    /// Notes whether anything is still expected from a replica.
    package mutating func setLiving(_ isLiving: Bool, _ replica: Int) { replicas[replica].isLiving = isLiving }

    /// Takes the next frame of a replica.
    ///
    /// - Parameter now: a monotonic time in milliseconds.
    package mutating func take(_ frame: ReplicaFrame, of replica: Int, at now: Int64) {
        var frame = frame
        if tokens.count > RequestLog.tokenLimit { tokens = [:] }
        for (index, token) in frame.records.tokens.enumerated() {
            if let known = tokens[token.hash], known.authorization == token.authorization {
                frame.records.tokens[index] = known
            } else {
                tokens[token.hash] = token
            }
        }
        let last = frame.isCurrent ? frame.madeAt : frame.latestTime
        if let last { replicas[replica].passed = max(replicas[replica].passed, last.milliseconds + frame.clockOffset) }
        if frame.isLast { replicas[replica].isLiving = false }
        replicas[replica].frames.append(Pending(frame: frame, arrival: now))
    }

    /// Returns what comes next, if it is not to be held back.
    ///
    /// - Parameter now: a monotonic time in milliseconds; `nil` holds nothing back.
    package mutating func next(at now: Int64?) -> ReplicaRun? {
        func isOverdue(_ replica: Replica) -> Bool {
            guard let now, let arrival = replica.frames.first?.arrival else { return now == nil }
            return now - arrival >= Self.patience
        }
        let passed = replicas.reduce(Int64.max) { $1.isLiving ? min($0, $1.passed) : $0 }
        // What is overdue takes everything before it along.
        let end = replicas.reduce(passed) { isOverdue($1) ? max($0, $1.key ?? $0) : $0 }
        guard let (first, second) = earliest, first.key <= end else { return nil }
        let isFree = isOverdue(replicas[first.replica])
        return take(first.replica, through: min(isFree ? .max : end, second ?? .max))
    }

    /// The replica with the earliest item, and the time of the earliest of the others.
    private var earliest: (first: (replica: Int, key: Int64), second: Int64?)? {
        var first: (replica: Int, key: Int64)?
        var second: Int64?
        for (index, replica) in replicas.enumerated() {
            guard let key = replica.key else { continue }
            if let known = first, known.key <= key {
                second = min(second ?? .max, key)
            } else {
                if let known = first { second = known.key }
                first = (index, key)
            }
        }
        return first.map { ($0, second) }
    }

    /// Takes the items of a replica's first frame up to a time, which is not before that of the first.
    private mutating func take(_ number: Int, through end: Int64) -> ReplicaRun? {
        var replica = replicas[number]
        // The only reference, so that changing it copies nothing.
        replicas[number].frames = []
        defer { replicas[number] = replica }
        guard var pending = replica.frames.first else { return nil }
        let (record, event) = (pending.record, pending.event)
        while let key = pending.key, key <= end {
            replica.latest = max(replica.latest, key)
            if pending.isEventNext { pending.event += 1 } else { pending.record += 1 }
        }
        let isEnd = pending.key == nil
        if isEnd {
            replica.frames.removeFirst()
            if replica.frames.isEmpty { replica.frames = [] }
        } else {
            replica.frames[replica.frames.startIndex] = pending
        }
        return ReplicaRun(
            frame: pending.frame, replica: number, records: record..<pending.record, events: event..<pending.event,
            isEnd: isEnd)
    }
}
