package import MockAPNSCore

/// Which pushes with findings are wanted.
package struct PushFindingsQuery: Sendable, Equatable {
    /// Which findings count.
    package var findings = LintQuery()
    /// Only pushes with a higher sequence number are judged.
    package var after = 0
    /// Only pushes with a lower sequence number are judged.
    package var before = Int.max
    /// Maximum number of pushes listed: the newest.
    package var limit = 100

    /// The URL parameters.
    static let parameters = APICall.listLintedPushes.parameters

    /// The most that ``limit`` can be.
    package static let maximumLimit = 1000

    /// Creates a query for the newest pushes with any finding.
    package init() {}

    /// Creates a query from URL parameters: `rule`, `severity`, `sentBy`, `after`, `before` and `limit`.
    ///
    /// - Throws: for an unknown parameter, or a wrong value.
    package init(parameters: [(name: String, value: String)]) throws(QueryError) {
        var others: [(name: String, value: String)] = []
        for (name, value) in parameters {
            switch name {
            case "after": after = try Self.number(name, value, 0...Int.max, "the number of a request")
            case "before": before = try Self.number(name, value, 1...Int.max, "the number of a request")
            case "limit": limit = try Self.number(name, value, 1...Self.maximumLimit, "1 to \(Self.maximumLimit)")
            case "rule", "severity", "sentBy": others.append((name, value))
            default: throw QueryError(unknown: name, known: Self.parameters)
            }
        }
        findings = try LintQuery(parameters: others)
        if let rule = findings.rule, !rule.isAboutPushes {
            throw QueryError(
                key: "rule",
                message:
                    "rule is \"\(rule.id)\", which is not about single pushes; \(APICall.lint)?rule=\(rule.id) "
                    + "says what it finds.")
        }
    }

    /// Whether the rule asked for judges what a provider does.
    package var isAboutProviders: Bool { findings.rule?.isAboutProviders ?? false }

    private static func number(
        _ name: String, _ value: String, _ range: ClosedRange<Int>, _ expected: String
    ) throws(QueryError) -> Int {
        guard let number = Int(value), range ~= number else {
            throw QueryError(key: name, message: "\(name) is \"\(value.shortened)\"; expected \(expected).")
        }
        return number
    }
}

/// The pushes in which lint finds something, each with the rules that it breaks: those about payloads, or one about
/// providers.
///
/// A payload is judged by itself, and what a provider does over the whole log.
package struct PushFindings: Sendable {
    /// A push with findings.
    package struct Push: Sendable, Hashable {
        /// Its number in the log.
        package var sequence: Int
        /// The severity of its worst finding.
        package var severity: LintSeverity
        /// The rules, each once, in the order of the payload.
        package var rules: [LintRule]
    }

    private var linter: PayloadLinter
    /// For a rule about providers.
    private var log: LogLint?
    private let query: PushFindingsQuery
    /// The newest of them, oldest first, and up to as many again that are older.
    private var found: [Push] = []
    /// The number of pushes with findings; ``pushes`` has the newest.
    package private(set) var total = 0
    /// The number of requests that the log had dropped before they could be judged.
    package var dropped = 0

    init(_ settings: LintSettings, _ apps: Apps, _ query: PushFindingsQuery, of run: LintedRun) {
        linter = PayloadLinter(settings, apps: apps)
        if query.isAboutProviders { log = LogLint(settings, apps, query.findings, of: run, listsPushes: true) }
        self.query = query
    }

    /// The newest of them, oldest first.
    package var pushes: ArraySlice<Push> { found.suffix(query.limit) }

    /// Judges a request, if it is a push with a payload of a sender that is wanted.
    mutating func lint(_ subject: borrowing RecordSubject) {
        guard log == nil else {
            log?.lint(subject)
            return
        }
        let record = subject.record
        guard subject.sequence < query.before, record.token != nil, record.hasPayload,
            query.findings.sender == nil || record.sender == query.findings.sender
        else { return }
        let findings = linter.findings(
            in: LintedPush(subject, contentEncoding: LintedPush.contentEncoding(of: subject))
        ).filter(query.findings.wants)
        guard let worst = findings.map(\.severity).max() else { return }
        var rules: [LintRule] = []
        for finding in findings where !rules.contains(finding.rule) { rules.append(finding.rule) }
        add(Push(sequence: subject.sequence, severity: worst, rules: rules))
    }

    private mutating func add(_ push: Push) {
        total += 1
        if found.count == 2 * query.limit { found.removeFirst(query.limit) }
        found.append(push)
    }

    /// Lists what is known only when all requests have been judged.
    mutating func finish() {
        guard var log, let rule = query.findings.rule else { return }
        log.finish()
        for (sequence, severity) in log.judgedPushes.sorted(by: { $0.key < $1.key })
        where sequence > query.after && sequence < query.before {
            add(Push(sequence: sequence, severity: severity, rules: [rule]))
        }
    }

    /// `{"pushes": [{"sequence", "severity", "rules"}], "total": n, "dropped": n}`.
    package var json: String {
        let texts = pushes.map { push in
            let rules = push.rules.map { #""\#($0.id)""# }.joined(separator: ",")
            return #"{"sequence":\#(push.sequence),"severity":"\#(push.severity.rawValue)","rules":[\#(rules)]}"#
        }
        return #"{"pushes":[\#(texts.joined(separator: ","))],"total":\#(total),"dropped":\#(dropped)}"#
    }
}
