/// Messages of the argument parser, said as the other messages are.
enum ParserMessage {
    /// Returns the message as one line that says which values an option takes, if it is about that.
    ///
    /// The parser lists up to five values as `'a', 'b' or 'c'`, and more of them on lines of their own.
    static func line(_ message: String) -> String {
        guard let (start, list) = message.parts(around: ". Please provide one of ") else { return message }
        let lines = list.split(separator: "\n").map(String.init)
        let values =
            lines.count > 1
            ? lines.dropFirst().map { String($0.drop { "- ".contains($0) }) }
            : list.split(separator: "'", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        guard let last = values.last else { return message }
        let words = values.count == 1 ? last : "\(values.dropLast().joined(separator: ", ")) or \(last)"
        return "\(start): it must be \(words)."
    }
}

extension String {
    /// Returns what is before and after the last occurrence of a text.
    fileprivate func parts(around text: String) -> (before: String, after: String)? {
        ranges(of: text).last.map { (String(self[..<$0.lowerBound]), String(self[$0.upperBound...])) }
    }
}
