import MockAPNSJSON

/// A search of the log in words, as people know it from mail programs: every term has to hold for a record.
///
/// What can be written is read by ``init(_:at:)``.
package struct RequestSearch: Sendable, Hashable {
    /// The terms.
    var terms: [Term] = []
    /// What lint has to have found in a push; `nil` if there is no such term.
    package internal(set) var lint: Findings?

    /// What lint has found.
    package enum Findings: Sendable, Hashable {
        /// A warning or an error.
        case anyWarning
        /// Something by the rule of this name.
        case rule(String)
    }

    /// One condition.
    struct Term: Sendable, Hashable {
        var meaning: Meaning
        /// Whether the condition must not hold.
        var isNegated = false
    }

    /// What a term is about.
    indirect enum Meaning: Sendable, Hashable {
        /// A word, in lower case, that any of the record's texts has.
        case word([UInt8])
        /// Its number.
        case sequence(Int)
        /// The value of a field, compared as the second says.
        case field(RequestField, Comparison)
        /// One of several.
        case any([Meaning])
        /// The user agent has a text, in lower case.
        case userAgent([UInt8])
        /// Another push has replaced it in storage.
        case isReplaced
        /// The time is before this one, or else not before it.
        case time(Timestamp, isBefore: Bool)
        /// It was answered after so many milliseconds, or later.
        case slow(Int64)
        /// There is a value at a place in the payload.
        case payload(JSONPointer, Comparison)
    }

    /// How a value is compared. Texts are in lower case.
    enum Comparison: Sendable, Hashable {
        case exists
        case equals([UInt8])
        case hasPrefix([UInt8])
        case number(ClosedRange<Int64>)
        case below(Double)
        case above(Double)
    }

    /// Returns whether a term says what the value of a field has to be.
    func names(_ field: RequestField) -> Bool {
        terms.contains { !$0.isNegated && $0.meaning.names(field) }
    }

    /// Returns whether all terms hold for a record.
    func holds(for subject: inout RecordSubject) -> Bool {
        for term in terms where term.meaning.holds(for: &subject) == term.isNegated { return false }
        return true
    }
}

extension RequestSearch.Meaning {
    fileprivate func names(_ name: RequestField) -> Bool {
        switch self {
        case .field(name, _): true
        case .any(let meanings): meanings.contains { $0.names(name) }
        default: false
        }
    }

    fileprivate func holds(for subject: inout RecordSubject) -> Bool {
        switch self {
        case .word(let word): subject.has(word)
        case .sequence(let sequence): subject.sequence == sequence
        case .field(let field, .exists): subject.value(field) != nil
        case .field(let field, .number(let range)): subject.number(field).map { range.contains($0) } ?? false
        case .field(let field, let comparison): subject.value(field).map { comparison.holds(for: $0) } ?? false
        case .any(let meanings): meanings.contains { $0.holds(for: &subject) }
        case .userAgent(let text): subject.userAgent.map { $0.span.contains(lowercase: text) } ?? false
        case .isReplaced: subject.record.replacedBy != nil
        case .time(let time, let isBefore): (subject.record.time < time) == isBefore
        case .slow(let milliseconds): Int64(subject.record.latencyMicroseconds) >= milliseconds * 1000
        case .payload(let pointer, let comparison):
            subject.payload(pointer).map { comparison.holds(for: $0) } ?? false
        }
    }
}

extension RequestSearch.Comparison {
    fileprivate func holds(for value: RecordValue) -> Bool {
        switch value {
        case .number(let number): holds(for: Array("\(number)".utf8), Double(number))
        case .text(let text): holds(for: text.map(\.lowercased), nil)
        case .json(let json): holds(for: json.map(\.lowercased), nil)
        }
    }

    fileprivate func holds(for value: JSONText.Value) -> Bool {
        if let number = value.number?.double, case .below(let limit) = self { return number < limit }
        if let number = value.number?.double, case .above(let limit) = self { return number > limit }
        return holds(for: RecordValue(value))
    }

    private func holds(for text: [UInt8], _ number: Double?) -> Bool {
        switch self {
        case .exists: true
        case .equals(let other): text == other
        case .hasPrefix(let prefix): text.starts(with: prefix)
        case .number(let range): number.map { Double(range.lowerBound)...Double(range.upperBound) ~= $0 } ?? false
        case .below(let limit): number.map { $0 < limit } ?? false
        case .above(let limit): number.map { $0 > limit } ?? false
        }
    }
}

extension RecordSubject {
    /// The value of the header field `user-agent`.
    fileprivate var userAgent: [UInt8]? { values(ofHeader: Array("user-agent".utf8)).first }

    /// Returns whether the request is known by a word: by the beginning of its token, ids or key, by its number or status,
    /// or by a part of any other text.
    fileprivate func has(_ word: [UInt8]) -> Bool {
        if body.contains(lowercase: word) { return true }
        // As people read it: a payload may spell any character as an escape.
        if body.contains(lowercase: [UInt8(ascii: "\\")]), let payload = try? JSONText.read(body, .recorded),
            payload.has(word)
        {
            return true
        }
        for field: RequestField in [.token, .apnsID, .uniqueID, .requestID, .keyID, .teamID] {
            if text(field)?.map(\.lowercased).starts(with: word) ?? false { return true }
        }
        if let number = Int64(String(decoding: word, as: UTF8.self)) {
            if number == Int64(sequence) || number == self.number(.status) { return true }
        }
        for field: RequestField in [
            .device, .collapseID, .topic, .pushType, .reason, .channel, .delivery,
        ] {
            if case .text(let text)? = value(field), text.span.contains(lowercase: word) { return true }
        }
        if !record.ruleRange.isAbsent, bytes.extracting(record.ruleRange.indices).contains(lowercase: word) {
            return true
        }
        return userAgent.map { $0.span.contains(lowercase: word) } ?? false
    }
}

extension JSONText.Value {
    /// Returns whether a key or a text in it has a word, in lower case.
    fileprivate func has(_ word: [UInt8]) -> Bool {
        switch content {
        case .string(let text): Array(text.utf8).span.contains(lowercase: word)
        case .array(let elements): elements.contains { $0.has(word) }
        case .object(let members):
            members.contains { Array($0.key.utf8).span.contains(lowercase: word) || $0.value.has(word) }
        default: false
        }
    }
}

extension Span<UInt8> {
    /// Returns whether a text in lower case occurs in this one, in any case of its ASCII letters.
    fileprivate func contains(lowercase text: [UInt8]) -> Bool {
        guard let first = text.first, count >= text.count else { return text.isEmpty }
        let text = text.span
        for start in 0...count - text.count where self[start].lowercased == first {
            var length = 1
            while length < text.count, self[start + length].lowercased == text[length] { length += 1 }
            if length == text.count { return true }
        }
        return false
    }
}
