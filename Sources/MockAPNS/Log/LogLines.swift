import MockAPNSCore

/// What the log's file will tell of and has not been given yet, and what streams of events will tell beside requests.
struct LogLines {
    private(set) var queue = LineQueue()
    /// Whether somebody wants lines.
    private let isKept: Bool
    /// The latest request that was decided.
    private var latest = 0
    private var otherEvents: [OtherEvent] = []

    /// - Parameter isKept: whether somebody wants lines; else nothing is queued for them.
    init(isKept: Bool) { self.isKept = isKept }

    /// What is appended from now on happens after that request; where lines are kept, that is known.
    mutating func begin(after sequence: Int) { if !isKept { latest = sequence } }

    /// Queues the requests that came since the last call.
    @inline(__always)
    mutating func appendRequests(of log: borrowing RequestLog) {
        let first = latest + 1
        latest = log.latestSequence
        guard isKept else { return }
        for sequence in first..<latest + 1 { queue.append(sequence, of: log) }
    }

    /// Appends what happened beside requests. Orders to connections are followed by events of their own, and what is to be
    /// told of patterns is no event.
    mutating func append(_ content: OtherEvent.Content, at time: Timestamp) {
        switch content {
        case .effect(.connections), .effect(.pattern): return
        default: break
        }
        let event = OtherEvent(content, at: time, after: latest)
        otherEvents.append(event)
        if isKept { queue.append(event) }
    }

    /// Everything begins anew, the numbers of requests, too.
    mutating func restart(at time: Timestamp) {
        latest = 0
        append(.reset, at: time)
    }

    /// What was appended beside requests since the last call.
    mutating func takeOtherEvents() -> [OtherEvent] {
        guard !otherEvents.isEmpty else { return [] }
        defer { otherEvents = [] }
        return otherEvents
    }

    /// Gives away what is queued. Somebody's empty queue comes back for what follows.
    mutating func take(_ empty: inout LineQueue) { swap(&queue, &empty) }
}
