import MockAPNSCore

extension LintVerdict {
    /// Maximum number of findings in the table.
    private static let limit = 100

    /// A section with the headline as its heading, and a table of the findings, the worst first.
    var markdown: String {
        let heading = "### \(Report.sign(!fails)) \(MarkdownText.line(headline))"
        let findings = report.findings
        guard !findings.isEmpty else { return heading }
        let sorted = LintSeverity.allCases.reversed().flatMap { severity in
            findings.filter { $0.severity == severity }
        }
        var rows = sorted.prefix(Self.limit).map { finding in
            let sign = finding.fails ? "\(Report.sign(false)) " : ""
            let push = finding.origin.joined(separator: ": ") + finding.times
            let cells = [sign + finding.severity.rawValue, finding.rule.id, push, finding.message]
            return "| " + cells.map(MarkdownText.line).joined(separator: " | ") + " |"
        }
        if sorted.count > Self.limit { rows.append("| | | | \(sorted.count - Self.limit) more |") }
        let head = ["| Severity | Rule | Push | Found |", "|---|---|---|---|"]
        return heading + "\n\n" + (head + rows).joined(separator: "\n")
    }
}
