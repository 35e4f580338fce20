import MockAPNSCore

/// The state of lint on its way through a log.
package struct LogLint: Sendable {
    private var linter: PayloadLinter
    private var judged = JudgedPayloads()
    private var provider: ProviderLint
    private var fieldNames = FieldNames()
    private let query: LintQuery
    /// The findings so far; those in the payloads, until the end of the log is reached.
    package private(set) var report = LintReport()
    private var judgedRequests = LintReport.Judged()
    /// The requests that a regular expression neither matched nor ruled out.
    private(set) var undecided = UndecidedMatches()

    /// - Parameter listsPushes: whether ``judgedPushes`` are wanted.
    init(
        _ settings: LintSettings, _ apps: Apps, _ query: LintQuery, of run: LintedRun, listsPushes: Bool = false
    ) {
        linter = PayloadLinter(settings, apps: apps)
        provider = ProviderLint(settings, query, of: run, listsPushes: listsPushes)
        self.query = query
    }

    /// The pushes that findings about the provider are about, each with the worst of them.
    var judgedPushes: [Int: LintSeverity] { provider.findings.pushes ?? [:] }

    /// Lints a request if it passes the filter.
    mutating func lint(_ subject: inout RecordSubject, within: RequestTest) {
        switch within.test(&subject) {
        case .yes: lint(subject)
        case .undecided(let pattern): undecided.add(subject.sequence, pattern)
        case .no: break
        }
    }

    /// Judges a request, if it is a push or a call about broadcast channels of a sender that is wanted.
    mutating func lint(_ subject: borrowing RecordSubject) {
        let sender = subject.record.sender
        // Pushes by the API are not the provider's: they are judged if the query asks for them, or for this one.
        let isWanted = query.sender == nil || sender == query.sender || subject.sequence == query.sequence
        guard isWanted else { return }
        if let call = subject.call?.call { return lint(call, subject) }
        guard subject.record.token != nil else { return }
        judgedRequests.pushes += 1
        let facts = takePayload(subject)
        if sender == .provider { provider.check(ProviderPush(subject, facts, &fieldNames)) }
    }

    private mutating func lint(_ call: BroadcastCall, _ subject: borrowing RecordSubject) {
        if call == .publish {
            judgedRequests.pushes += 1
            _ = takePayload(subject)
        } else {
            judgedRequests.channelCalls += 1
        }
        if subject.record.sender == .provider, subject.record.reason == nil, let id = subject.channel.id {
            provider.check(call, on: id, subject.sequence)
        }
    }

    private mutating func takePayload(_ subject: borrowing RecordSubject) -> PayloadFacts {
        let judgement = judged.judgement(of: subject, by: &linter)
        guard subject.record.hasPayload, !subject.record.isCutOff,
            query.sequence ?? subject.sequence == subject.sequence
        else {
            return judgement.facts
        }
        if !judgement.findings.isEmpty {
            report.add(judgement.findings.filter(query.wants), sequence: UInt64(subject.sequence))
        }
        return judgement.facts
    }

    /// Judges what can be judged only when all is known.
    mutating func finish() {
        provider.finish()
        // Of a single push, the others were only looked at for what it has to do with them.
        if query.sequence == nil { report.judged = judgedRequests }
        report.add(counted: provider.findings.sorted)
    }
}

/// The findings in payloads, so that a repeated one need not be judged again.
///
/// Each has one of ``count`` entries, by a hash of 128 bits over the payload and the header fields that matter; a later
/// one takes the entry of an earlier one.
private struct JudgedPayloads: Sendable {
    private struct Entry: Sendable {
        var key: (UInt64, UInt64)
        var judgement: PayloadLinter.Judgement
    }

    private static let count = 4096
    private var entries: [Entry?] = Array(repeating: nil, count: count)

    /// Returns what there is to say of the payload of a push.
    mutating func judgement(
        of subject: borrowing RecordSubject, by linter: inout PayloadLinter
    ) -> PayloadLinter.Judgement {
        let encoding = LintedPush.contentEncoding(of: subject)
        let key = (Self.hash(subject, encoding, seed: 1), Self.hash(subject, encoding, seed: 2))
        let index = Int(truncatingIfNeeded: key.0 & UInt64(Self.count - 1))
        if let entry = entries[index], entry.key == key { return entry.judgement }
        let judgement = linter.judge(LintedPush(subject, contentEncoding: encoding))
        if judgement.isLasting { entries[index] = Entry(key: key, judgement: judgement) }
        return judgement
    }

    private static func hash(_ subject: borrowing RecordSubject, _ encoding: [UInt8]?, seed: UInt64) -> UInt64 {
        let record = subject.record
        var hash = PushHash(seed: seed)
        hash.mix(UInt64(record.payloadBytes) << 32 | UInt64(record.storedPriority) << 2)
        hash.mix((record.isMinified ? 1 : 0) | (record.isCutOff ? 2 : 0) | (subject.call == nil ? 0 : 4))
        for range in [record.pushTypeRange, record.topicRange] {
            if range.isAbsent { hash.mix(0) } else { hash.mix(subject.bytes.extracting(range.indices)) }
        }
        if let encoding { hash.mix(encoding.span) }
        let start = Int(record.headerCount)
        hash.mix(subject.bytes.extracting(start..<start + Int(record.bodyCount)))
        return hash.value
    }
}
