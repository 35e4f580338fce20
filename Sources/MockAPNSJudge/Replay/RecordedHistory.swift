import MockAPNSCore

/// The last run of a recorded log, kept line by line so that it can be merged with those of other logs.
package struct RecordedHistory: Sendable {
    /// A line that affects the judgement.
    enum Entry: Sendable {
        case request(RequestLine)
        case event(LogEvent)
    }

    /// The name of the log in reports.
    var log = ""
    /// Sentences on anything unusual about the log.
    var remarks: [String] = []
    /// The entries in the order of their lines, with their real times. The first ``entriesBefore`` are connections from
    /// before the run that may still be open.
    private(set) var entries: [(entry: Entry, time: Timestamp?)] = []
    /// The number of entries from before the run.
    private(set) var entriesBefore = 0
    /// The number of requests without a line.
    var missing = 0
    /// The number of other missing lines.
    var missingLines = 0
    /// Whether the run started in another file.
    var beginsElsewhere = false

    mutating func begin(_ beginning: RecordedRun.Beginning) {
        switch beginning {
        case .server, .elsewhere: entries = []
        case .reset, .scenario: entries.removeAll { if case .event(.connection) = $0.entry { false } else { true } }
        }
        entriesBefore = entries.count
    }

    mutating func append(_ entry: Entry, at time: Timestamp?) { entries.append((entry, time)) }
}
