package import MockAPNSCore

extension LintQuery {
    /// The URL parameters.
    static let parameters = APICall.lint.parameters

    /// Creates a query from URL parameters: `rule`, `severity`, `sequence` and `sentBy`.
    ///
    /// - Throws: for an unknown parameter, or a wrong value.
    package init(parameters: [(name: String, value: String)]) throws(QueryError) {
        self.init()
        for (name, value) in parameters {
            switch name {
            case "rule":
                guard let rule = LintRule.named(value) else {
                    let near = nearestWord(to: value, among: LintRule.all.map(\.id))
                    let hint = near.map { "did you mean \"\($0)\"?" } ?? "expected one such as \"badge-type\"."
                    throw QueryError(key: name, message: "rule is \"\(value.shortened)\"; \(hint)")
                }
                self.rule = rule
            case "severity":
                guard let severity = LintSeverity(rawValue: value) else {
                    throw QueryError(
                        key: name,
                        message: "severity is \"\(value.shortened)\"; expected \"error\", \"warning\" or \"note\".")
                }
                self.severity = severity
            case "sequence":
                guard let sequence = Int(value), sequence > 0 else {
                    throw QueryError(
                        key: name,
                        message: "sequence is \"\(value.shortened)\"; expected the number of a request, from 1 on.")
                }
                self.sequence = sequence
            case "sentBy": sender = try Self.sender(value)
            default: throw QueryError(unknown: name, known: Self.parameters)
            }
        }
    }

    private static func sender(_ value: String) throws(QueryError) -> Sender? {
        if value == "any" { return nil }
        guard let sender = Sender.allCases.first(where: { $0.name == value }) else {
            throw QueryError(
                key: "sentBy", message: "sentBy is \"\(value.shortened)\"; expected \"provider\", \"admin\" or \"any\"."
            )
        }
        return sender
    }

    /// Returns whether a finding is wanted, wherever it is.
    func wants(_ finding: LintFinding) -> Bool { wants(finding.rule, finding.severity) }

    func wants(_ rule: LintRule, _ severity: LintSeverity) -> Bool {
        (self.rule ?? rule) == rule && severity >= self.severity ?? severity
    }
}
