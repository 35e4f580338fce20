import MockAPNSCore

extension Report {
    /// The report as Markdown for a job summary: a table of all expectations, details of those that failed, and the
    /// totals.
    package var markdown: String {
        let results = namedResults
        let failed = results.filter { !$0.result.passed }
        var blocks = ["## \(Self.sign(passed && error == nil)) \(MarkdownText.line(name))"]
        if let description { blocks.append(MarkdownText.line(PrintableText.joined(description))) }
        if let error { blocks.append("**\(MarkdownText.line(PrintableText.joined(error)))**") }
        if error == nil || !results.isEmpty { blocks.append("**\(MarkdownText.line(total))**") }
        if let whyNoRequest { blocks.append(MarkdownText.line(whyNoRequest)) }
        if !notes.isEmpty { blocks.append(notes.map { "- \(MarkdownText.line($0))" }.joined(separator: "\n")) }
        if !results.isEmpty {
            let rows = results.map { name, result in
                "| \(Self.sign(result.passed)) | \(MarkdownText.line(name)) | \(MarkdownText.line(result.expected)) "
                    + "| \(MarkdownText.line(result.seen)) |"
            }
            let head = ["| | Expectation | Expected | Seen |", "|---|---|---|---|"]
            blocks.append((head + rows).joined(separator: "\n"))
        }
        for (name, result) in failed { blocks.append(Self.details(name, result)) }
        if let lint { blocks.append(lint.markdown) }
        if let totals { blocks.append("### Totals\n\n" + MarkdownText.block(totals)) }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    private var total: String {
        let first = verification.description.prefix { $0 != "\n" }
        return String(first)
    }

    static func sign(_ passed: Bool) -> String { passed ? "✅" : "❌" }

    private static func details(_ name: String, _ result: ExpectationResult) -> String {
        var lines = [
            "### ❌ \(MarkdownText.line(name))", "",
            "- **Expected:** \(MarkdownText.line(result.expected))",
            "- **Seen:** \(MarkdownText.line(result.seen))",
        ]
        for miss in result.nearMisses {
            lines.append("- **Nearest:** \(MarkdownText.line("\(miss)"))")
        }
        if let end = result.end { lines.append("- **Judged:** \(MarkdownText.line("\(end)"))") }
        return lines.joined(separator: "\n")
    }
}

/// Escaped Markdown text.
package enum MarkdownText {
    /// Escapes text for one line, including table cells.
    package static func line(_ text: String) -> String {
        var escaped = ""
        for scalar in PrintableText.line(text).unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\\", "`", "*", "_", "[", "]", "|", "~", "#", "$":
                escaped += "\\"
                escaped.unicodeScalars.append(scalar)
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Returns the text as a block, with a fence longer than any in it.
    package static func block(_ text: String) -> String {
        let text = PrintableText.block(text)
        var fence = "```"
        while text.contains(fence) { fence += "`" }
        return fence + "text\n" + text + (text.hasSuffix("\n") ? "" : "\n") + fence
    }
}
