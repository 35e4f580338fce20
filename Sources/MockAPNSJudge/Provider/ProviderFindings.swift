import MockAPNSCore

/// The findings of the rules for providers: one for each rule, with its count.
struct ProviderFindings: Sendable {
    private struct Key: Hashable {
        var rule: LintRule
        var pointer: String
    }

    let settings: LintSettings
    private let query: LintQuery
    private var indices: [Key: Int] = [:]
    private(set) var findings: [LintFinding] = []
    /// The pushes with wanted findings, each with the severity of its worst; `nil` unless they are asked for.
    private(set) var pushes: [Int: LintSeverity]?

    init(_ settings: LintSettings, _ query: LintQuery = LintQuery(), listsPushes: Bool = false) {
        self.settings = settings
        self.query = query
        if listsPushes { pushes = [:] }
    }

    /// The pushes that a finding is about.
    struct Pushes {
        /// The first; `nil` if no push is to blame alone.
        var first: Int?
        var last: Int?
        var count: Int
    }

    /// Notes a finding about one push, unless its rule is off or not asked for.
    ///
    /// - Parameters:
    ///   - severity: where it is not the rule's own.
    ///   - message: what was found; what the rule says happens then is added.
    mutating func report(
        _ rule: LintRule, _ sequence: Int?, at pointer: String = "", severity: LintSeverity? = nil,
        _ message: @autoclosure () -> String
    ) {
        report(
            rule, in: Pushes(first: sequence, last: sequence, count: 1), at: pointer, severity: severity, message())
    }

    /// Notes a finding about several pushes.
    mutating func report(
        _ rule: LintRule, in pushes: Pushes, at pointer: String = "", severity: LintSeverity? = nil,
        _ message: @autoclosure () -> String
    ) {
        if let wanted = query.sequence, wanted != pushes.first { return }
        guard let severity = settings.severity(of: rule, usual: severity) else { return }
        if let first = pushes.first, query.wants(rule, severity) {
            let known = self.pushes?[first] ?? severity
            self.pushes?[first] = max(known, severity)
        }
        let key = Key(rule: rule, pointer: pointer)
        let (first, last) = (pushes.first.map { UInt64($0) }, pushes.last.map { UInt64($0) })
        guard let index = indices[key] else {
            var finding = LintFinding(rule, severity, pointer, rule.text(message()), offset: 0)
            guard query.wants(finding) else { return }
            (finding.count, finding.sequence) = (pushes.count, first)
            (finding.firstSequence, finding.lastSequence) = (first, last)
            indices[key] = findings.count
            findings.append(finding)
            return
        }
        findings[index].count += pushes.count
        if let first, first < findings[index].firstSequence ?? .max { findings[index].firstSequence = first }
        if let last, last > findings[index].lastSequence ?? 0 { findings[index].lastSequence = last }
        // The worst is reported.
        if severity > findings[index].severity {
            findings[index].severity = severity
            findings[index].message = rule.text(message())
            findings[index].sequence = first
        }
    }

    /// The findings in the order of their pushes.
    var sorted: [LintFinding] {
        findings.enumerated().sorted { one, other in
            (one.element.firstSequence ?? .max, one.offset) < (other.element.firstSequence ?? .max, other.offset)
        }.map(\.element)
    }
}

extension Int64 {
    /// Milliseconds as people say them: `250 ms`, `1.5 s`, `20 min`, `2.1 h`.
    var asTime: String {
        func text(_ unit: Int64, _ name: String) -> String {
            let tenths = (self * 10 / unit)
            return tenths % 10 == 0 ? "\(tenths / 10) \(name)" : "\(tenths / 10).\(tenths % 10) \(name)"
        }
        if self < 1000 { return "\(self) ms" }
        if self < 120_000 { return text(1000, "s") }
        return self < 7_200_000 ? text(60_000, "min") : text(3_600_000, "h")
    }
}
