/// Everything event streams report, at one point in time: an independent value, read without a lock.
package struct EventSnapshot: Sendable {
    package let log: RequestSnapshot
    package let others: LatestEvents

    /// Creates a snapshot of the log and the other events, taken at the same time.
    package init(log: RequestSnapshot, others: LatestEvents) {
        (self.log, self.others) = (log, others)
    }

    /// The latest position of both.
    package var latest: EventPosition { EventPosition(sequence: log.latestSequence, number: others.latestNumber) }

    /// Returns whether a stream of this run can have been at this position: neither number is beyond the latest.
    func isKnown(_ position: EventPosition) -> Bool {
        guard position.number <= others.latestNumber else { return false }
        return position.number < others.latestReset || position.sequence <= log.latestSequence
    }
}

/// An event stream: reports what has happened since the last call, in order, as server-sent events.
///
/// It sends at most ``limit`` events per second, or fewer if configured so. When there are more, it pauses until half
/// as many may be sent again. It then skips the requests that arrived meanwhile, and reports them in one `lagged`
/// event.
///
/// ```swift
/// var stream = EventStream(after: snapshot.latest, in: snapshot)
/// stream.append(from: laterSnapshot, at: 50, to: &bytes)    // asked again and again
/// ```
///
/// A request is reported in its current state: a change made before then is already included, and reported as well.
package struct EventStream: Sendable {
    /// Maximum number of events within any second.
    package static let limit = 1000
    /// How requests are reported.
    package enum RequestForm: Sendable {
        /// As the full record.
        case record
        /// As a list row, with only the members a list shows.
        case row
    }
    /// Limits of one call: the number of bytes after which it stops, and the number of records it may examine.
    static let sliceLimit = (bytes: 64 * 1024, records: 10_000)

    /// The position reached so far.
    package private(set) var position: EventPosition
    /// Whether something had to be left for later.
    private var isBehind = false
    /// Whether the latest event was `lagged`. Something has to be sent before more is skipped.
    private var hasJustSkipped = false
    /// The number of events sent within the last second, by time in milliseconds.
    private var told: [(time: Int64, count: Int)] = []
    private var budget = 0
    /// Whether the last call left something that can be sent at once.
    package private(set) var hasMore = false
    /// The budget left to the current call: bytes to write and records to examine.
    private var slice = (end: 0, records: 0)
    private var writer = RecordWriter()
    private var form = RequestForm.record
    /// The apps whose strings the rows of the current call use.
    private var apps = Apps([])
    /// Maximum number of events of this stream within any second.
    private var rate = Self.limit

    /// Creates a stream that starts after a position. A position from another run, before a restart of the server, is
    /// ignored: everything known is reported.
    package init(after position: EventPosition, in snapshot: EventSnapshot) {
        self.position = snapshot.isKnown(position) ? position : EventPosition()
    }

    /// Creates a stream with another form of requests or a lower rate.
    ///
    /// - Parameter rate: the maximum number of events per second, 1 to ``limit``.
    package init(
        after position: EventPosition, in snapshot: EventSnapshot, as form: RequestForm, atMost rate: Int = limit
    ) {
        self.init(after: position, in: snapshot)
        self.form = form
        self.rate = min(max(rate, 1), Self.limit)
    }

    /// Returns whether ``append(from:at:to:)`` could report anything: something has happened, and the rate allows it.
    ///
    /// A snapshot makes the log copy its open segment, so ask before taking one.
    ///
    /// - Parameters:
    ///   - latest: the latest position of the log and the other events.
    ///   - time: a monotonic time in milliseconds.
    package func canAppend(upTo latest: EventPosition, at time: Int64) -> Bool {
        guard latest != position else { return false }
        let recent = told.reduce(0) { $1.time <= time - 1000 ? $0 : $0 + $1.count }
        // With no budget at all, appending makes it known that the stream is behind.
        return !isBehind || rate - recent >= max(1, rate / 2)
    }

    /// Appends what has happened since the last call. If there is a lot, it stops early and sets ``hasMore``.
    ///
    /// - Parameters:
    ///   - time: a monotonic time in milliseconds.
    ///   - apps: the apps whose strings localized alerts refer to; only rows have their texts.
    package mutating func append(
        from snapshot: EventSnapshot, at time: Int64, in apps: Apps = Apps([]), to output: inout [UInt8]
    ) {
        hasMore = false
        self.apps = apps
        guard snapshot.latest != position else { return }
        told.removeAll { $0.time <= time - 1000 }
        let limit = rate - told.reduce(0) { $0 + $1.count }
        budget = limit
        guard budget >= (isBehind ? max(1, rate / 2) : 1) else {
            isBehind = true
            return
        }
        slice = (output.count + Self.sliceLimit.bytes, Self.sliceLimit.records)
        let isComplete = tell(snapshot, to: &output)
        isBehind = !isComplete && !hasMore
        told.append((time, limit - budget))
    }

    // MARK: Reporting

    /// Reports as much as is allowed; returns whether that is everything.
    private mutating func tell(_ snapshot: EventSnapshot, to output: inout [UInt8]) -> Bool {
        let (log, others) = (snapshot.log, snapshot.others)
        guard tellReset(others, &output) else { return false }
        skip(log, others, &output)
        while position.number < others.latestNumber {
            let event = others[position.number + 1]
            guard tellRequests(to: event.after, log, &output), tell(event, &output) else { return false }
        }
        return tellRequests(to: log.latestSequence, log, &output)
    }

    /// Handles a reset: reports the events before it, as far as the rate allows, and the reset itself. Earlier requests
    /// are gone, and numbers start again.
    private mutating func tellReset(_ others: LatestEvents, _ output: inout [UInt8]) -> Bool {
        guard position.number < others.latestReset else { return true }
        let oldest = min(others.firstNumber, others.latestReset)
        if isBehind || position.number + 1 < oldest { position.number = others.latestReset - 1 }
        while position.number < others.latestReset {
            // The buffer holds more than a second's worth of events, so the reset itself may be gone.
            guard position.number + 1 >= others.firstNumber else { break }
            if position.number + 1 == others.latestReset { position.sequence = 0 }
            guard tell(others[position.number + 1], &output) else { return false }
        }
        position = EventPosition(sequence: 0, number: others.latestReset)
        return true
    }

    private mutating func tellRequests(to latest: Int, _ log: RequestSnapshot, _ output: inout [UInt8]) -> Bool {
        while position.sequence < latest {
            guard budget > 0 else { return false }
            slice.records -= 1
            guard output.count < slice.end, slice.records >= 0 else {
                hasMore = true
                return false
            }
            position.sequence += 1
            // It may have been deleted.
            guard log.location(of: position.sequence) != nil else { continue }
            begin("request", &output)
            hasJustSkipped = false
            switch form {
            case .record: _ = log.append(position.sequence, using: &writer, to: &output)
            case .row: _ = log.appendRow(of: position.sequence, in: apps, to: &output)
            }
            output.append(contentsOf: "\n\n".utf8)
            budget -= 1
        }
        return true
    }

    private mutating func tell(_ event: LoggedEvent, _ output: inout [UInt8]) -> Bool {
        guard budget > 0 else { return false }
        position.number += 1
        begin(event.event.name, &output)
        hasJustSkipped = false
        event.appendLine(to: &output)
        output.append(UInt8(ascii: "\n"))
        budget -= 1
        return true
    }

    private func begin(_ name: String, _ output: inout [UInt8]) {
        output.append(contentsOf: "id: \(position)\nevent: \(name)\ndata: ".utf8)
    }

    // MARK: Skipping

    /// Skips and reports everything that is no longer kept. After a pause, also skips all requests, and the oldest of
    /// the other events that the rate does not allow.
    private mutating func skip(_ log: RequestSnapshot, _ others: LatestEvents, _ output: inout [UInt8]) {
        let isBehind = isBehind && !hasJustSkipped
        let sequence = max(position.sequence, isBehind ? log.latestSequence : log.firstSequence - 1)
        var number = max(position.number, others.firstNumber - 1)
        guard isBehind || sequence > position.sequence || number > position.number else { return }
        var lagged = Lagged(skipped: sequence - position.sequence + number - position.number)
        if sequence > position.sequence { lagged.take(position.sequence + 1...sequence) }
        // It is no longer known which requests they changed.
        if number > position.number, log.latestSequence > 0 { lagged.take(1...log.latestSequence) }
        while isBehind, others.latestNumber - number >= budget {
            number += 1
            lagged.skipped += 1
            if case .update(let update) = others[number].event { lagged.take(update.sequence...update.sequence) }
        }
        guard lagged.skipped > 0 else { return }
        position = EventPosition(sequence: sequence, number: number)
        begin("lagged", &output)
        hasJustSkipped = true
        lagged.appendLine(to: &output)
        output.append(UInt8(ascii: "\n"))
        budget -= 1
    }

    /// The event `lagged`: which requests have to be fetched separately.
    private struct Lagged {
        /// The number of events skipped.
        var skipped: Int
        private var requests: ClosedRange<Int>?

        init(skipped: Int) { self.skipped = skipped }

        mutating func take(_ range: ClosedRange<Int>) {
            let known = requests ?? range
            requests = min(known.lowerBound, range.lowerBound)...max(known.upperBound, range.upperBound)
        }

        func appendLine(to output: inout [UInt8]) {
            let (from, to) = requests.map { ("\($0.lowerBound)", "\($0.upperBound)") } ?? ("null", "null")
            output.append(
                contentsOf: "{\"event\":\"lagged\",\"from\":\(from),\"to\":\(to),\"skipped\":\(skipped)}\n".utf8)
        }
    }
}
