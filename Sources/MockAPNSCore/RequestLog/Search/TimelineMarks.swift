/// What else happened in a stretch of time: what the bands and lines of a timeline stand for.
package struct TimelineMarks: Sendable {
    /// Maximum number of marks; the oldest go.
    package static let limit = 1000
    /// How long a rule may decide nothing within one mark, in milliseconds.
    static let longestPause: Int64 = 10_000

    /// The kind of a mark.
    package enum Kind: String, Sendable {
        /// A rule decided about requests.
        case rule
        /// Pushes met an outage.
        case outage
        /// A connection ended that had been sent a GOAWAY frame.
        case goAway
        /// The server was reset.
        case reset
        /// A scenario began.
        case scenario
    }

    /// Something that happened.
    package struct Mark: Sendable, Equatable {
        package var kind: Kind
        /// The name of the rule or scenario, the reason of the outage, or the number of the connection.
        package var name: String?
        package var from: Timestamp
        /// Its end, which is its beginning for what takes no time.
        package var to: Timestamp
    }

    /// In order of their beginning.
    package private(set) var marks: [Mark] = []
    /// The index of the latest mark of a rule or an outage.
    private var latest: [Key: Int] = [:]

    private struct Key: Hashable {
        var kind: Kind
        var name: String?
    }

    fileprivate mutating func take(_ subject: borrowing RecordSubject) {
        let record = subject.record
        switch record.decidedBy {
        case .rule: extend(.rule, subject.text(record.ruleRange), to: record.time)
        case .outage: extend(.outage, record.reason?.name, to: record.time)
        case .checks, .device, .connection, .upstream: break
        }
    }

    private mutating func extend(_ kind: Kind, _ name: String?, to time: Timestamp) {
        let key = Key(kind: kind, name: name)
        if let index = latest[key], time <= marks[index].to.advanced(by: Self.longestPause) {
            marks[index].to = max(marks[index].to, time)
        } else {
            latest[key] = marks.count
            marks.append(Mark(kind: kind, name: name, from: time, to: time))
        }
    }

    fileprivate mutating func take(_ logged: LoggedEvent) {
        let (kind, name): (Kind, String?)
        switch logged.event {
        case .reset: (kind, name) = (.reset, nil)
        case .scenario(let event): (kind, name) = (.scenario, event.scenario)
        case .connection(let event):
            guard case .closed(let end) = event.change, end.counters.goAwaysSent > 0 else { return }
            (kind, name) = (.goAway, event.connection.number.map { String($0) })
        default: return
        }
        marks.append(Mark(kind: kind, name: name, from: logged.time, to: logged.time))
    }

    /// Keeps those that reach into a range of time, in order of their beginning.
    fileprivate func within(_ range: Range<Int64>) -> Self {
        var some = self
        some.marks = marks.filter { $0.to.seconds >= range.lowerBound && $0.from.seconds < range.upperBound }
        some.marks.sort { $0.from < $1.from }
        some.marks.removeFirst(max(0, some.marks.count - Self.limit))
        return some
    }
}

extension EventSnapshot {
    /// Looks for what happened in a range of time, in seconds since 1970.
    package func marks(in range: Range<Int64>) -> LogSearch<TimelineMarks> {
        var marks = TimelineMarks()
        for number in others.firstNumber..<others.latestNumber + 1 { marks.take(others[number]) }
        return LogSearch(log, marks, complete: { $0.within(range) }, take: { subject, marks in marks.take(subject) })
    }
}
