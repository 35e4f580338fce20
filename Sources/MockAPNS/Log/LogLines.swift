import MockAPNSCore

/// Lines of the log that were not written yet, and what streams of events will tell beside requests.
struct LogLines {
    private(set) var bytes: [UInt8] = []
    /// `nil` where nobody wants lines.
    private var writer: RecordWriter?
    /// The latest request that was decided.
    private var latest = 0
    private var otherEvents: [OtherEvent] = []

    /// - Parameter isKept: whether somebody wants lines; else none are made.
    init(isKept: Bool) { writer = isKept ? RecordWriter() : nil }

    /// What is appended from now on happens after that request; who writes lines knows it.
    mutating func begin(after sequence: Int) { if writer == nil { latest = sequence } }

    /// Appends the lines of the requests that came since the last call.
    @inline(__always)
    mutating func appendRequests(of log: borrowing RequestLog) {
        let first = latest + 1
        latest = log.latestSequence
        guard writer != nil else { return }
        for sequence in first..<latest + 1 { log.appendLine(of: sequence, using: &writer!, to: &bytes) }
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
        if writer != nil { event.appendLine(to: &bytes) }
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

    /// Gives the lines away. Somebody's empty buffer comes back for the next ones.
    mutating func take(_ empty: inout [UInt8]) { swap(&bytes, &empty) }
}
