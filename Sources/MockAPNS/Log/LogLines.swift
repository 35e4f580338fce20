import MockAPNSCore

/// Records queued for the log file, and events other than requests for event streams.
struct LogLines {
    private(set) var queue = LineQueue()
    /// Whether lines are written at all.
    private let isKept: Bool
    /// The latest request decided.
    private var latest = 0
    private var events: [LoggedEvent] = []

    /// - Parameter isKept: whether lines are written; if not, none are queued.
    init(isKept: Bool) { self.isKept = isKept }

    /// Makes later events follow that request; if lines are written, the queue already knows.
    mutating func begin(after sequence: Int) { if !isKept { latest = sequence } }

    /// Queues the requests recorded since the last call.
    @inline(__always)
    mutating func appendRequests(of log: borrowing RequestLog) {
        let first = latest + 1
        latest = log.latestSequence
        guard isKept else { return }
        for sequence in first..<latest + 1 { queue.append(sequence, of: log) }
    }

    /// Appends an event other than a request.
    mutating func append(_ event: LogEvent, at time: Timestamp) {
        let event = LoggedEvent(event, at: time, after: latest)
        events.append(event)
        if isKept { queue.append(event) }
    }

    /// Starts over, including the numbering of requests.
    mutating func restart(at time: Timestamp) {
        latest = 0
        append(.reset, at: time)
    }

    /// Returns the events other than requests since the last call, and removes them.
    mutating func takeEvents() -> [LoggedEvent] {
        guard !events.isEmpty else { return [] }
        defer { events = [] }
        return events
    }

    /// Swaps the queue for an empty one, which is used from then on.
    mutating func take(_ empty: inout LineQueue) { swap(&queue, &empty) }
}
