/// Makes untrusted text safe to show.
///
/// A control character steers a terminal, a line feed begins a line that looks like a verdict, and a bidirectional mark
/// lets a text look like another one. Such characters are replaced by escapes as in Swift, `\u{1B}` or `\n`. A text
/// that is printable stays as it is.
///
/// All text for people goes through it: the messages of the command, and the reports in Markdown, JUnit XML and SARIF.
package enum PrintableText {
    /// Returns the text on one line.
    package static func line(_ text: String) -> String { escape(text) { !$0.isPrintable } }

    /// Returns a text of several lines; its line feeds and tabs stay.
    ///
    /// A line feed in the text of others has to be escaped before, as ``text(_:)`` does.
    package static func block(_ text: String) -> String {
        escape(text) { !$0.isPrintable && $0 != "\n" && $0 != "\t" }
    }

    /// Returns a text of these lines, each with a line feed at its end.
    package static func text(_ lines: [String]) -> String { lines.map { line($0) + "\n" }.joined() }

    /// Returns the lines of a text on one line, separated by spaces.
    package static func joined(_ text: String) -> String {
        line(text.split(whereSeparator: \.isNewline).joined(separator: " "))
    }

    private static func escape(_ text: String, where isEscaped: (Unicode.Scalar) -> Bool) -> String {
        if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            if isEscaped(scalar) { shown += scalar.escaped } else { shown.unicodeScalars.append(scalar) }
        }
        return shown
    }
}

extension Unicode.Scalar {
    /// Whether it has a shape or is a space, and changes nothing around it.
    package var isPrintable: Bool {
        if value < 0x7F { return value >= 0x20 }
        switch properties.generalCategory {
        // Both join letters of some scripts, and parts of emoji.
        case .format: return self == "\u{200C}" || self == "\u{200D}"
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: return false
        default: return true
        }
    }

    /// How it is written if it is not printable: `\n`, or `\u{1B}`.
    package var escaped: String { escaped(asASCII: true) }
}
