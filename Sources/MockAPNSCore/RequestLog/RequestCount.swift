/// A query for the number of records.
package struct RequestCountQuery: Sendable {
    /// A field by which records can be counted.
    package enum Field: String, Sendable, CaseIterable {
        case status, reason, topic, pushType, delivery, device, token, keyID, teamID, connection, decidedBy
    }

    /// Maximum number of values that are told apart for a field.
    package static let valueLimit = 1000

    /// The conditions that records have to meet.
    package var match = RequestMatch()
    /// Only pushes with such a finding of lint; `nil` means all requests.
    package var lint: LintQuery?
    /// The fields whose values are counted, too.
    package var fields: [Field] = []

    /// Creates a query for the number of all records.
    package init() {}
}

/// How many records a query finds.
package struct RequestCount: Sendable {
    /// The number of records.
    package fileprivate(set) var count = 0
    /// The number of records left undecided by a regular expression.
    package fileprivate(set) var undecided = 0
    /// The number of records dropped because of the log's limit. It is not known whether they would have matched.
    package fileprivate(set) var dropped = 0
    /// For each field asked for, its values with the number of records that have them.
    package let fields: [RequestCountQuery.Field]
    fileprivate var byStatus: [Int: Int] = [:]
    fileprivate var byText: [RequestCountQuery.Field: [[UInt8]: Int]] = [:]

    fileprivate init(_ fields: [RequestCountQuery.Field]) { self.fields = fields }

    /// Returns the values of a field with the number of records that have them, most first.
    package func values(of field: RequestCountQuery.Field) -> [(value: String, count: Int)] {
        let counts =
            field == .status
            ? byStatus.map { (String($0.key), $0.value) }
            : (byText[field] ?? [:]).map { (String(decoding: $0.key, as: UTF8.self), $0.value) }
        return counts.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map { (value: $0.0, count: $0.1) }
    }

    fileprivate mutating func take(_ subject: borrowing RecordSubject) {
        count += 1
        for field in fields {
            switch field {
            case .status: if let status = subject.record.status { byStatus[Int(status), default: 0] += 1 }
            case .reason: if let reason = subject.record.reason { add(Array(reason.name.utf8), to: field) }
            case .delivery: if let delivery = subject.record.delivery { add(Array(delivery.name.utf8), to: field) }
            case .topic: if let topic = subject.text(.topic) { add(topic, to: field) }
            case .pushType: if let pushType = subject.text(.pushType) { add(pushType, to: field) }
            case .device: if let device = subject.text(.device) { add(device, to: field) }
            case .token: if let token = subject.text(.token) { add(token, to: field) }
            case .keyID: if let keyID = subject.text(.keyID) { add(keyID, to: field) }
            case .teamID: if let teamID = subject.text(.teamID) { add(teamID, to: field) }
            case .connection: if let number = subject.connection { add(Array("\(number)".utf8), to: field) }
            case .decidedBy: if let decider = subject.text(.decidedBy) { add(decider, to: field) }
            }
        }
    }

    private mutating func add(_ value: [UInt8], to field: RequestCountQuery.Field) {
        let isFull = byText[field]?.count ?? 0 >= RequestCountQuery.valueLimit
        if isFull, byText[field]?[value] == nil { return }
        byText[field, default: [:]][value, default: 0] += 1
    }
}

extension RequestSnapshot {
    /// Counts the records that a query finds.
    ///
    /// - Parameter sequences: the only records that count; `nil` means all.
    package func counting(_ query: RequestCountQuery, among sequences: Set<Int>? = nil) -> LogSearch<RequestCount> {
        let test = RequestTest(query.match)
        var count = RequestCount(query.fields)
        count.dropped = dropped
        return LogSearch(
            self, count,
            complete: { found in
                var found = found
                found.undecided = test.undecided
                return found
            },
            take: { subject, found in
                guard sequences?.contains(subject.sequence) ?? true, test.holds(&subject) else { return }
                found.take(subject)
            })
    }

    /// Counts the records that match.
    package func counting(_ match: RequestMatch) -> LogSearch<RequestCount> {
        var query = RequestCountQuery()
        query.match = match
        return counting(query)
    }
}
