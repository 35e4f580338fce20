import MockAPNSCore

/// Reads texts, numbers, words, durations and times.
extension ScenarioReader {
    /// Reads a boolean.
    mutating func bool(_ value: Value) -> Bool? {
        if let bool = value.bool { return bool }
        wrong(value, expected: "true or false")
        return nil
    }

    /// Reads a switch that can only be on.
    mutating func onlyTrue(_ value: Value) {
        if value.bool != true { wrong(value, expected: "true") }
    }

    /// Reads a whole number in a range.
    mutating func integer(
        _ value: Value, in range: ClosedRange<Int64>, _ what: String = "a whole number"
    ) -> Int? {
        guard let number = value.int64, range.contains(number) else {
            wrong(value, expected: "\(what) \(Self.text(of: range))")
            return nil
        }
        return Int(number)
    }

    /// Returns the words for numbers in a range.
    static func text(of range: ClosedRange<Int64>) -> String {
        range.upperBound == .max
            ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
    }

    /// The range of counts.
    static let counts: ClosedRange<Int64> = 0...1_000_000_000
    /// The range of positive counts.
    static let positives: ClosedRange<Int64> = 1...1_000_000_000

    /// Reads any text.
    mutating func text(_ value: Value, _ what: String = "a string") -> String? {
        if let text = value.string { return text }
        wrong(value, expected: what)
        return nil
    }

    /// Reads any text of at most this many bytes in UTF-8. A schema can only count characters.
    mutating func text(_ value: Value, atMost limit: Int) -> String? {
        guard let text = text(value) else { return nil }
        guard text.utf8.count > limit else { return text }
        note(
            value.offset, "is a text of \(text.utf8.count.withCommas) bytes; expected at most \(limit.withCommas)",
            isCrossReference: text.unicodeScalars.count <= limit)
        return nil
    }

    /// Reads a name for people: not empty, and of limited length.
    mutating func name(_ value: Value) -> String? {
        guard let text = value.string, 1...200 ~= text.unicodeScalars.count else {
            wrong(value, expected: "a name of 1 to 200 characters")
            return nil
        }
        return text
    }

    /// Reads a non-empty text.
    mutating func filledText(_ value: Value, _ what: String) -> String? {
        guard let text = value.string, !text.isEmpty else {
            wrong(value, expected: what)
            return nil
        }
        return text
    }

    /// Reads one of a few words.
    mutating func word<Word: RawRepresentable<String> & CaseIterable>(_ value: Value, _ words: Word.Type) -> Word? {
        choice(value, words.allCases.map { ($0.rawValue, $0) })
    }

    /// Reads one of a few words, each with its meaning.
    mutating func choice<Meaning>(_ value: Value, _ choices: [(word: String, meaning: Meaning)]) -> Meaning? {
        if let text = value.string, let choice = choices.first(where: { $0.word == text }) { return choice.meaning }
        let words = choices.map(\.word)
        wrongWord(value, words, expected: Self.list(words, "or"))
        return nil
    }

    /// Reports a value that is not one of some words, with the word that was probably meant.
    mutating func wrongWord(_ value: Value, _ words: [String], expected: String, isCrossReference: Bool = false) {
        let hint = value.string.flatMap { MeantWord($0, among: words) }.map { "; \($0.question)" } ?? ""
        wrong(value, expected: expected + hint, isCrossReference: isCrossReference)
    }

    /// Reads an APNs reason.
    ///
    /// - Parameter mayRespond: whether the object could have `respond` instead, which takes any status.
    mutating func reason(_ value: Value, mayRespond: Bool = false) -> Reason? {
        if let reason = value.string.flatMap(Reason.init(rawValue:)) { return reason }
        let status = value.int64.map { Int(clamping: $0) } ?? value.string.flatMap { Int($0) }
        if let status, 200...599 ~= status {
            let reason = Reason.usual(status: status).map { ", such as \"\($0.name)\" for \(status)" } ?? ""
            let other = mayRespond ? "; \"respond\": {\"status\": \(status)} answers with any status" : ""
            wrong(value, expected: "a reason of APNs\(reason)\(other)")
        } else {
            wrongWord(value, Reason.allCases.map(\.name), expected: "a reason of APNs, such as \"TooManyRequests\"")
        }
        return nil
    }

    /// Reads a duration in milliseconds.
    ///
    /// - Parameter other: what else it may be, for the message.
    mutating func duration(_ value: Value, isPositive: Bool = false, or other: String = "") -> Int64? {
        guard let text = value.string else {
            wrongDuration(value, value.number?.text, or: other)
            return nil
        }
        do {
            let duration = try DurationText.read(text)
            if duration > 0 || !isPositive { return duration }
            wrong(value, expected: "a duration greater than zero")
        } catch {
            if error == .malformed {
                wrongDuration(value, text, or: other)
            } else {
                wrong(value, expected: "at most 12 digits before ms, 9 before s, 8 before m, 6 before h and 5 before d")
            }
        }
        return nil
    }

    /// Reports a value that is not a duration, with the one that was probably meant.
    private mutating func wrongDuration(_ value: Value, _ text: String?, or other: String) {
        guard let correction = text.flatMap({ DurationText.correction(of: $0) }) else {
            return wrong(
                value, expected: "a duration: a whole number with the unit ms, s, m, h or d, such as \"250ms\"\(other)")
        }
        let sign = correction.isExample ? ", such as" : ":"
        wrong(value, expected: "a duration \(correction.difference)\(sign) \"\(correction.text)\"\(other)")
    }

    /// Reads a time.
    mutating func time(_ value: Value, or other: String = "") -> Timestamp? {
        if let time = value.string.flatMap({ Timestamp($0) }) { return time }
        wrong(value, expected: "a time as in RFC 3339, such as \"2026-01-01T00:00:00Z\"\(other)")
        return nil
    }

    /// Reads a topic or a bundle id.
    mutating func topic(_ value: Value) -> String? {
        if let text = value.string {
            let bytes = Array(text.utf8)
            if Topic.form(of: bytes.span) == .good { return text }
        }
        wrong(
            value, expected: "a topic: letters, digits, hyphens and underscores in parts with dots between, at most 300"
        )
        return nil
    }

    /// Reads the environment of a token, key or device: whether it is the sandbox.
    mutating func isSandbox(_ value: Value) -> Bool? {
        choice(value, [("sandbox", true), ("production", false), ("development", true)])
    }

    /// Reads a JSON Pointer.
    ///
    /// - Parameter names: names allowed instead.
    mutating func pointer(_ text: String, at offset: Int, names: [String] = []) -> JSONPointer? {
        if let pointer = JSONPointer(text) { return pointer }
        if !names.isEmpty {
            let near = nearestWord(to: text, among: names).map { "; did you mean \"\($0)\"?" }
            note(
                offset,
                "is neither a JSON Pointer such as /aps/alert/title nor \(Self.list(names, "or"))\(near ?? JSONPointer.hint(for: text))"
            )
            return nil
        }
        note(offset, "is not a JSON Pointer; expected a path such as /aps/alert/title\(JSONPointer.hint(for: text))")
        return nil
    }

    /// Reads the name of a header field, in lower case.
    mutating func fieldName(_ member: JSONText.Member, allowsPseudo: Bool) -> String? {
        let text = member.key.lowercased()
        let name = allowsPseudo && text.hasPrefix(":") ? text.dropFirst() : text[...]
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        let isToken = name.utf8.allSatisfy {
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                || marks.contains($0)
        }
        if !name.isEmpty, isToken { return text }
        let hint = text == ":status" ? "; the status has its own key next to \"headers\"" : ""
        note(member.keyOffset, "is not the name of a header field\(hint); expected one such as \"apns-topic\"")
        return nil
    }
}
