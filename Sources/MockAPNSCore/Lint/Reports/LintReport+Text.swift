extension LintReport {
    /// One line for each finding, as compilers write them: `file:line:column: error: MESSAGE [rule]`.
    package var lines: [String] { findings.map(\.line) }
}

extension LintFinding {
    /// Where it is, how bad it is, what it is, and the rule.
    var line: String {
        var place = file ?? ""
        if let position { place += ":\(position.line):\(position.column)" }
        if let firstSequence { place += (place.isEmpty ? "" : ": ") + "push \(firstSequence)" }
        let times = lastSequence.map { count > 1 ? " (\(count) times, last in push \($0))" : "" } ?? ""
        return "\(place.isEmpty ? "" : place + ": ")\(severity.rawValue): \(message)\(times) [\(rule.rawValue)]"
    }
}
