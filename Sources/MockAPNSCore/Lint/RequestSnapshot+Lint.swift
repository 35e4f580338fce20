/// What lint knows on its way through a log.
package struct LintedLog: Sendable {
    private var linter: PayloadLinter
    private let query: LintQuery
    /// The findings so far.
    package private(set) var report = LintReport()
    /// The number of pushes judged.
    package private(set) var pushes = 0

    init(_ settings: LintSettings, _ apps: Apps, _ query: LintQuery) {
        linter = PayloadLinter(settings, apps: apps)
        self.query = query
    }

    /// Judges a request, if a provider sent it with a payload.
    mutating func take(_ subject: borrowing RecordSubject) {
        if let sequence = query.sequence, subject.sequence > sequence { return }
        // Pushes by the API are not the provider's, unless somebody asks for just that one.
        let isWanted = subject.record.sender == .provider || subject.sequence == query.sequence
        guard isWanted, subject.record.token != nil, subject.record.payloadBytes > 0 else { return }
        pushes += 1
        // What comes before a push has to be known even when only that one is asked for.
        let found = linter.findings(in: LintedPush(subject)).filter(query.wants)
        if query.sequence ?? subject.sequence == subject.sequence {
            report.add(found, sequence: UInt64(subject.sequence))
        }
    }
}

extension RequestSnapshot {
    /// Lints the payloads of the pushes that providers sent.
    package func linting(
        _ settings: LintSettings, apps: Apps, query: LintQuery = LintQuery()
    ) -> LogSearch<LintedLog> {
        LogSearch(self, LintedLog(settings, apps, query)) { subject, log in log.take(subject) }
    }
}

extension LintedPush {
    /// Creates the push of a record.
    init(_ subject: borrowing RecordSubject) {
        let record = subject.record
        let start = Int(record.headerCount)
        self.init(body: Array(copying: subject.bytes.extracting(start..<start + Int(record.bodyCount))))
        byteCount = Int(record.payloadBytes)
        isWhole = record.hasWholeBody
        pushType = subject.text(.pushType).map { String(decoding: $0, as: UTF8.self) }
        topic = subject.text(.topic).map { String(decoding: $0, as: UTF8.self) }
        recipient = subject.text(.token).map { String(decoding: $0, as: UTF8.self) }
        priority = record.priority.map { String($0) }
        contentEncoding = subject.values(ofHeader: Self.contentEncoding).first.map {
            String(decoding: $0, as: UTF8.self)
        }
        clock = record.clock
        isAccepted = record.status == 200
    }

    private static let contentEncoding = Array("content-encoding".utf8)
}
