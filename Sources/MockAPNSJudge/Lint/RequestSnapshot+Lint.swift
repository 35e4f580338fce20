package import MockAPNSCore

extension RequestSnapshot {
    /// Lints the pushes of providers: their payloads, and what the providers did over the run.
    ///
    /// - Parameters:
    ///   - run: the facts about the run besides its requests. Rules that need more are silent.
    ///   - after: only requests with a higher sequence number are judged.
    ///   - within: only requests that pass this test are judged.
    func linting(
        _ settings: LintSettings, apps: Apps, query: LintQuery, of run: LintedRun, after: Int,
        within: RequestTest? = nil
    ) -> LogSearch<LogLint> {
        LogSearch(
            self, after: after, LogLint(settings, apps, query, of: run),
            complete: { log in
                var log = log
                log.finish()
                return log
            },
            take: { subject, log in
                if let within { log.lint(&subject, within: within) } else { log.lint(subject) }
            })
    }

    /// Lists the pushes in which lint finds something.
    package func listingLinted(
        _ settings: LintSettings, apps: Apps, query: PushFindingsQuery, of run: LintedRun = LintedRun()
    ) -> LogSearch<PushFindings> {
        LogSearch(
            self, after: query.isAboutProviders ? 0 : query.after, PushFindings(settings, apps, query, of: run),
            complete: { pushes in
                var pushes = pushes
                pushes.finish()
                return pushes
            },
            take: { subject, pushes in pushes.lint(subject) })
    }
}

extension RequestRecord {
    /// Whether it has a payload to judge; an empty one, if it was refused for that.
    var hasPayload: Bool { payloadBytes > 0 || reason == .payloadEmpty }

    /// Whether the stream ended before the request was complete, or may have.
    var isCutOff: Bool {
        decidedBy == .connection && (outcome == .cancelled || outcome == .reset || outcome == .closed)
    }
}

extension LintedPush {
    private static let contentEncoding = Array("content-encoding".utf8)

    /// Returns the value of a request's `content-encoding`.
    static func contentEncoding(of subject: borrowing RecordSubject) -> [UInt8]? {
        subject.values(ofHeader: contentEncoding).first
    }

    /// Creates the push of a record.
    init(_ subject: borrowing RecordSubject, contentEncoding: [UInt8]?) {
        let record = subject.record
        let start = Int(record.headerCount)
        self.init(body: Array(copying: subject.bytes.extracting(start..<start + Int(record.bodyCount))))
        byteCount = Int(record.payloadBytes)
        isWhole = record.hasWholeBody && !record.isCutOff
        pushType = subject.text(.pushType).map { String(decoding: $0, as: UTF8.self) }
        topic = subject.text(.topic).map { String(decoding: $0, as: UTF8.self) }
        recipient = subject.text(.token).map { String(decoding: $0, as: UTF8.self) }
        if subject.call?.call == .publish {
            isBroadcast = true
            recipient = subject.channel.id.map { String(decoding: $0, as: UTF8.self) }
        }
        priority = record.priority.map { String($0) }
        self.contentEncoding = contentEncoding.map { String(decoding: $0, as: UTF8.self) }
        clock = record.clock
        isAccepted = record.status == 200
        isOfLog = true
    }
}
