/// Part of a replica's frame: consecutive records, with the events among them.
package struct ReplicaRun: Sendable {
    let frame: ReplicaFrame
    /// The number of the replica.
    let replica: Int
    /// The indices of the records in the frame.
    let records: Range<Int>
    /// The indices of the events in the frame.
    let events: Range<Int>
    /// Whether this is the end of the frame.
    let isEnd: Bool
}

/// Brings the frames of several streams, one for each name of a replica, into one order, by the engine's clock.
///
/// The order of each stream is kept. A record is held back until every live stream has delivered everything up to that
/// time. A stream with more to read is waited for, however long that takes; one that was read to its end, no longer
/// than ``patience``: a replica that is late is behind others by that much at most.
package struct FleetMerge: Sendable {
    /// Maximum time that a frame is held back for a stream with nothing more to read, in milliseconds.
    package static let patience = MergeOrder.tolerance
    /// Number of waiting frames at which a stream is not read further until another one has caught up.
    private static let frameLimit = 16

    private struct Pending: Sendable {
        var frame: ReplicaFrame
        let replica: Int
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

    private struct Stream: Sendable {
        var frames: ArraySlice<Pending> = []
        /// Everything up to this time has arrived.
        var passed = Int64.min
        /// When its latest frame arrived, a monotonic time in milliseconds.
        var arrival = Int64.min
        /// The time of the latest item that was given out; later ones are not sorted before it.
        var latest = Int64.min
        /// The replica of that item; another process may have had the same name.
        var replica: Int?
        /// The mark up to which its decisions have been given out.
        var mark: StreamID
        /// Whether there may be more of it than was read.
        var isBehind = true
        var isLiving = true

        var key: Int64? { frames.first.map { max(latest, $0.key ?? latest) } }

        /// Whether it has anything that was decided before a mark.
        func hasFrames(before mark: StreamID) -> Bool { !frames.isEmpty && self.mark < mark }
    }

    /// The mark after which decisions are held back; `nil` if none are.
    package var end: StreamID?
    private var streams: [Stream] = []
    /// When those streams were asked that were read to their ends lately; a monotonic time in milliseconds.
    private var readTime: Int64?
    /// The requests that were given out.
    private var order = MergeOrder()
    /// The number of requests that came less than ``patience`` after one of another stream.
    package var closeCount: Int { order.closeCount }
    /// The number of requests that were given out after one of another stream that came more than ``patience`` later.
    package var lateCount: Int { order.lateCount }
    /// The known tokens by hash, so that a token is the same object in all frames.
    private var tokens: [UInt64: ProviderToken] = [:]

    /// Creates a merge without streams.
    package init() {}

    /// Adds a stream and returns its number.
    ///
    /// - Parameter mark: everything in it was decided after this mark.
    package mutating func addStream(after mark: StreamID = .zero) -> Int {
        streams.append(Stream(mark: mark))
        return streams.count - 1
    }

    /// Whether nothing is held back.
    package var isEmpty: Bool { streams.allSatisfy(\.frames.isEmpty) }

    /// Whether there may be more of a stream than was read.
    package var isBehind: Bool { streams.contains { $0.isBehind && !isHeld($0) } }

    /// Whether there may be more of this stream than was read.
    package func isBehind(_ stream: Int) -> Bool { streams[stream].isBehind }

    /// Whether all that is here of a stream comes after ``end``.
    private func isHeld(_ stream: Stream) -> Bool { end.map { stream.mark >= $0 } ?? false }

    /// Whether a stream need not be read, because all that is here of it waits for streams that are behind.
    package func isFull(_ stream: Int) -> Bool {
        let stream = streams[stream]
        guard stream.frames.count >= Self.frameLimit, let key = stream.key else { return false }
        if isHeld(stream) { return true }
        // The one that all others wait for goes on in any case.
        return min(key, stream.passed) > readLimit
    }

    /// Notes whether anything is still expected of a stream.
    package mutating func setLiving(_ isLiving: Bool, _ stream: Int) { streams[stream].isLiving = isLiving }

    /// Notes which streams were read to their ends; all others are behind.
    ///
    /// - Parameter now: when they were asked, a monotonic time in milliseconds.
    package mutating func noteEnds(of ends: Set<Int>, at now: Int64) {
        readTime = now
        for stream in streams.indices { streams[stream].isBehind = !ends.contains(stream) }
    }

    /// Takes the next frame of a stream.
    ///
    /// - Parameters:
    ///   - replica: the number of the replica that made it.
    ///   - now: a monotonic time in milliseconds.
    package mutating func take(_ frame: ReplicaFrame, of replica: Int, in stream: Int, at now: Int64) {
        var frame = frame
        if tokens.count > RequestLog.tokenLimit { tokens = [:] }
        for (index, token) in frame.records.tokens.enumerated() {
            if let known = tokens[token.hash], known.authorization == token.authorization {
                frame.records.tokens[index] = known
            } else {
                tokens[token.hash] = token
            }
        }
        for time in [frame.isCurrent ? frame.madeAt : frame.latestTime, frame.events.last?.time] {
            guard let time else { continue }
            streams[stream].passed = max(streams[stream].passed, time.milliseconds + frame.clockOffset)
        }
        if frame.isLast { streams[stream].isLiving = false }
        streams[stream].arrival = now
        streams[stream].frames.append(
            Pending(frame: frame, replica: replica, arrival: now))
    }

    /// The time up to which everything has been read of the streams that are behind.
    private var readLimit: Int64 { streams.reduce(.max) { $1.isBehind && !isHeld($1) ? min($0, $1.passed) : $0 } }

    /// Returns the next run that need not wait.
    ///
    /// - Parameter mark: everything decided before this mark is released regardless, and what comes before that.
    package mutating func next(through mark: StreamID? = nil) -> ReplicaRun? {
        guard let (first, time, others) = MergeOrder.earliest(streams.map { isHeld($0) ? nil : $0.key }) else {
            return nil
        }
        if let mark, streams.contains(where: { $0.hasFrames(before: mark) && !isHeld($0) }) {
            return take(first, through: others ?? .max)
        }
        let readLimit = readLimit
        let passed = streams.reduce(readLimit) {
            $1.isLiving && !$1.isBehind && !isHeld($1) ? min($0, $1.passed) : $0
        }
        // An overdue frame takes everything before it along.
        let overdue = streams.reduce(passed) { isOverdue($1) ? max($0, $1.key ?? $0) : $0 }
        guard time <= min(overdue, readLimit) else { return nil }
        let limit = isOverdue(streams[first]) ? readLimit : min(overdue, readLimit)
        return take(first, through: min(limit, others ?? .max))
    }

    /// Returns the streams that others wait for, and that have brought nothing for a while: those whose replicas have
    /// nothing to ship, and would say so if they were asked.
    ///
    /// - Parameters:
    ///   - now: a monotonic time in milliseconds.
    ///   - while: the time without a frame, in milliseconds.
    package func silent(at now: Int64, for while: Int64) -> [Int] {
        guard let (_, time, _) = MergeOrder.earliest(streams.map { isHeld($0) ? nil : $0.key }) else { return [] }
        return streams.indices.filter { index in
            let stream = streams[index]
            return stream.isLiving && !stream.isBehind && !isHeld(stream) && stream.frames.isEmpty
                && stream.passed < time && stream.arrival < now - `while`
        }
    }

    /// Whether the other streams had nothing more to read when their patience was over.
    private func isOverdue(_ stream: Stream) -> Bool {
        guard let readTime, let first = stream.frames.first else { return false }
        return readTime - first.arrival >= Self.patience
    }

    /// Takes the items of a stream's first frame up to a time, which is not before that of the first.
    private mutating func take(_ number: Int, through end: Int64) -> ReplicaRun? {
        var stream = streams[number]
        // The only reference, so that changing it copies nothing.
        streams[number].frames = []
        defer { streams[number] = stream }
        guard var pending = stream.frames.first else { return nil }
        let (record, event) = (pending.record, pending.event)
        var latest = stream.replica == pending.replica ? stream.latest : .min
        stream.replica = pending.replica
        while let key = pending.key, key <= end {
            stream.latest = max(stream.latest, key)
            latest = max(latest, key)
            if pending.isEventNext {
                pending.event += 1
            } else {
                order.noteRequest(at: latest, of: number)
                pending.record += 1
            }
        }
        let isEnd = pending.key == nil
        if isEnd {
            if pending.frame.isCurrent { stream.mark = max(stream.mark, pending.frame.mark) }
            stream.frames.removeFirst()
            if stream.frames.isEmpty { stream.frames = [] }
        } else {
            stream.frames[stream.frames.startIndex] = pending
        }
        return ReplicaRun(
            frame: pending.frame, replica: pending.replica, records: record..<pending.record,
            events: event..<pending.event, isEnd: isEnd)
    }
}
