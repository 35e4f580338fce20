/// Which findings of a log are wanted.
package struct LintQuery: Sendable, Equatable {
    /// Only those of this rule.
    package var rule: LintRule?
    /// Only those that are at least as bad.
    package var severity: LintSeverity?
    /// Only those in this push.
    package var sequence: Int?

    /// Creates a query for all findings.
    package init() {}

    /// Creates a query from URL parameters: `rule`, `severity` and `sequence`.
    ///
    /// - Throws: for an unknown parameter, or a wrong value.
    package init(parameters: [(name: String, value: String)]) throws(QueryError) {
        for (name, value) in parameters {
            switch name {
            case "rule":
                guard let rule = LintRule(rawValue: value) else {
                    let near = nearestWord(to: value, among: LintRule.allCases.map(\.rawValue))
                    let hint = near.map { "did you mean \"\($0)\"?" } ?? "it takes one such as \"badge-type\"."
                    throw QueryError(key: name, message: "rule is \"\(value.shortened)\"; \(hint)")
                }
                self.rule = rule
            case "severity":
                guard let severity = LintSeverity(rawValue: value) else {
                    throw QueryError(
                        key: name,
                        message: "severity is \"\(value.shortened)\"; it takes \"error\", \"warning\" or \"note\".")
                }
                self.severity = severity
            case "sequence":
                guard let sequence = Int(value), sequence > 0 else {
                    throw QueryError(
                        key: name,
                        message: "sequence is \"\(value.shortened)\"; it takes the number of a request, from 1 on.")
                }
                self.sequence = sequence
            default: throw QueryError(unknown: name, known: ["rule", "severity", "sequence"])
            }
        }
    }

    /// Returns whether a finding is wanted, wherever it is.
    func wants(_ finding: LintFinding) -> Bool {
        if let rule, finding.rule != rule { return false }
        if let severity, finding.severity < severity { return false }
        return true
    }
}
