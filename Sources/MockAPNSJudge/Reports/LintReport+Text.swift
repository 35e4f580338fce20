import MockAPNSCore

extension LintReport {
    /// One line for each finding, as compilers write them: `file:line:column: error: MESSAGE [rule]`.
    package var lines: [String] { findings.map(\.line) }
}

extension LintFinding {
    /// Where it is, how bad it is, what it is, and the rule.
    package var line: String {
        PrintableText.line(
            (origin + [severity.rawValue, "\(message)\(times) [\(rule.id)]"]).joined(separator: ": "))
    }

    /// The session, the file and the push that it is about, as far as there are such.
    var origin: [String] {
        var parts: [String] = []
        if let session { parts.append("session \(session)") }
        if let file { parts.append(file + (position.map { ":\($0.line):\($0.column)" } ?? "")) }
        if let sequence { parts.append("push \(sequence)" + (end.map { " before \($0)" } ?? "")) }
        return parts
    }

    /// How often it was found in pushes, if more than once.
    var times: String {
        guard count > 1, let sequence else { return "" }
        var parts = ["\(count) times"]
        if let firstSequence, firstSequence != sequence { parts.append("first in push \(firstSequence)") }
        if let lastSequence { parts.append("last in push \(lastSequence)") }
        return " (\(parts.joined(separator: ", ")))"
    }
}
