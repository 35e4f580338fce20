/// All that streams of events tell of, as it is at one moment: a value of its own, read without any lock.
package struct EventSnapshot: Sendable {
    let log: RequestSnapshot
    let others: OtherEvents

    /// The log and the other events of one moment.
    package init(log: RequestSnapshot, others: OtherEvents) {
        (self.log, self.others) = (log, others)
    }

    /// The latest of both.
    package var latest: EventPosition { EventPosition(sequence: log.latestSequence, number: others.latestNumber) }

    /// Whether a stream of this run can have been there: neither number is beyond the latest.
    func isKnown(_ position: EventPosition) -> Bool {
        guard position.number <= others.latestNumber else { return false }
        return position.number < others.latestReset || position.sequence <= log.latestSequence
    }
}

/// One stream of events: tells what has happened since it was asked last, in order, as server-sent events.
///
/// It tells at most ``limit`` events a second, or fewer if it is asked to. When there is more, it falls silent until half as
/// many may be told again; then it leaves out the requests that came meanwhile and says which by one event `lagged`.
///
/// ```swift
/// var stream = EventStream(after: snapshot.latest, in: snapshot)
/// stream.append(from: laterSnapshot, at: 50, to: &bytes)    // asked again and again
/// ```
///
/// A request is told as it is by then: where a change of it came before, that is in it already, and told as well.
package struct EventStream: Sendable {
    /// Maximum number of events within any second.
    package static let limit = 1000
    /// How it tells of a request.
    package enum RequestForm: Sendable {
        /// By the whole record.
        case record
        /// By the members that a list shows.
        case row
    }
    /// Number of bytes after which a call ends, and number of records that it looks at at most.
    static let sliceLimit = (bytes: 256 * 1024, records: 10_000)

    /// What was told by now.
    package private(set) var position: EventPosition
    /// Whether something had to be left for later.
    private var isBehind = false
    /// Whether the latest event said what was left out: then something has to be told before more is left out.
    private var hasJustSkipped = false
    /// How many events were told when, within the last second; in milliseconds.
    private var told: [(time: Int64, count: Int)] = []
    private var budget = 0
    /// Whether the last call left something that the next one may tell at once.
    package private(set) var hasMore = false
    /// What one call may still do: bytes to write and records to look at.
    private var slice = (end: 0, records: 0)
    private var writer = RecordWriter()
    private var form = RequestForm.record
    /// Maximum number of events within any second, of this stream.
    private var rate = Self.limit

    /// Tells what comes after a position. One that is not of this run, since the server was started anew, means nothing:
    /// then all that is known is told.
    package init(after position: EventPosition, in snapshot: EventSnapshot) {
        self.position = snapshot.isKnown(position) ? position : EventPosition()
    }

    /// As ``init(after:in:)``, with requests in another form, or with fewer events.
    ///
    /// - Parameter rate: maximum number of events a second, 1 to ``limit``.
    package init(
        after position: EventPosition, in snapshot: EventSnapshot, as form: RequestForm, atMost rate: Int = limit
    ) {
        self.init(after: position, in: snapshot)
        self.form = form
        self.rate = min(max(rate, 1), Self.limit)
    }

    /// Appends what has happened since. Where that is much, it ends before, and ``hasMore`` says so.
    ///
    /// - Parameter time: a time that only goes forward, in milliseconds.
    package mutating func append(from snapshot: EventSnapshot, at time: Int64, to output: inout [UInt8]) {
        hasMore = false
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

    // MARK: What is told

    /// Tells as much as may be; whether that is all.
    private mutating func tell(_ snapshot: EventSnapshot, to output: inout [UInt8]) -> Bool {
        let (log, others) = (snapshot.log, snapshot.others)
        guard tellReset(others, &output) else { return false }
        skip(log, others, &output)
        while position.number < others.latestNumber {
            let event = others[position.number + 1]
            guard tellRequests(to: event.sequence, log, &output), tell(event, &output) else { return false }
        }
        return tellRequests(to: log.latestSequence, log, &output)
    }

    /// Where everything began anew: what came before, as far as there is time for it, and the reset. Requests of before are
    /// gone, and numbers begin again.
    private mutating func tellReset(_ others: OtherEvents, _ output: inout [UInt8]) -> Bool {
        guard position.number < others.latestReset else { return true }
        let oldest = min(others.firstNumber, others.latestReset)
        if isBehind || position.number + 1 < oldest { position.number = others.latestReset - 1 }
        while position.number < others.latestReset {
            // The ring is longer than a second's events, so the reset may be gone itself.
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
            // Somebody may have deleted it.
            guard log.location(of: position.sequence) != nil else { continue }
            begin("request", &output)
            hasJustSkipped = false
            switch form {
            case .record: _ = log.append(position.sequence, using: &writer, to: &output)
            case .row: _ = log.appendRow(of: position.sequence, to: &output)
            }
            output.append(contentsOf: "\n\n".utf8)
            budget -= 1
        }
        return true
    }

    private mutating func tell(_ event: OtherEvent, _ output: inout [UInt8]) -> Bool {
        guard budget > 0 else { return false }
        position.number += 1
        begin(event.name, &output)
        hasJustSkipped = false
        event.appendLine(to: &output)
        output.append(UInt8(ascii: "\n"))
        budget -= 1
        return true
    }

    private func begin(_ name: String, _ output: inout [UInt8]) {
        output.append(contentsOf: "id: \(position)\nevent: \(name)\ndata: ".utf8)
    }

    // MARK: What is left out

    /// Leaves out what is not kept any more, and after a silence all requests, and of the other events the oldest for
    /// which there is no time; says so.
    private mutating func skip(_ log: RequestSnapshot, _ others: OtherEvents, _ output: inout [UInt8]) {
        let isBehind = isBehind && !hasJustSkipped
        let sequence = max(position.sequence, isBehind ? log.latestSequence : log.firstSequence - 1)
        var number = max(position.number, others.firstNumber - 1)
        guard isBehind || sequence > position.sequence || number > position.number else { return }
        var lagged = Lagged(skipped: sequence - position.sequence + number - position.number)
        if sequence > position.sequence { lagged.take(position.sequence + 1...sequence) }
        // Which requests they changed is not known any more.
        if number > position.number, log.latestSequence > 0 { lagged.take(1...log.latestSequence) }
        while isBehind, others.latestNumber - number >= budget {
            number += 1
            lagged.skipped += 1
            if let changed = others[number].changedRequest { lagged.take(changed...changed) }
        }
        guard lagged.skipped > 0 else { return }
        position = EventPosition(sequence: sequence, number: number)
        begin("lagged", &output)
        hasJustSkipped = true
        lagged.appendLine(to: &output)
        output.append(UInt8(ascii: "\n"))
        budget -= 1
    }

    /// The event `lagged`: which requests have to be read by other means.
    private struct Lagged {
        /// How many events were left out.
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
