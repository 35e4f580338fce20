import MockAPNSJSON

/// The text of a search: words, and conditions with a key, separated by spaces.
///
/// | Term | Holds for |
/// |---|---|
/// | `goal`, `"two words"` | a record that has them anywhere |
/// | `#295` | the push of this number |
/// | `status:410`, `status:4xx,503`, `device:alice`, `token:00fc`, … | the value of a field, or one of several |
/// | `is:refused`, `has:collapse`, `lint:RULE` | a quality, a field that is there, a finding |
/// | `larger:3k`, `slower:100ms`, `after:12:30` | a size, the time to the answer, when it came |
/// | `payload:/aps/badge>3` | a value in the payload |
/// | `-term` | a record for which the term does not hold |
extension RequestSearch {
    /// The keys that name a field.
    private static let fields: [String: RequestField] = [
        "status": .status, "device": .device, "token": .token, "topic": .topic, "type": .pushType, "reason": .reason,
        "delivery": .delivery, "collapse": .collapseID, "id": .apnsID, "rule": .decidedBy,
        "decided": .decidedBy, "by": .sentBy,
        "priority": .priority, "key": .keyID, "team": .teamID, "connection": .connection, "outcome": .outcome,
        "channel": .channel, "unique": .uniqueID,
    ]
    /// The keys that name none.
    private static let others = [
        "is", "has", "lint", "agent", "larger", "smaller", "slower", "before", "after", "payload",
    ]

    /// Maximum length of the text in bytes.
    package static let lengthLimit = 1000

    /// All keys.
    package static let keys = (fields.keys + others).sorted()

    /// Reads a search.
    ///
    /// - Parameter now: the real time; `after:12:30` is of that day, in UTC.
    /// - Throws: for a key that is misspelled, or a value that does not fit its key.
    package init(_ text: String, at now: Timestamp) throws(QueryError) {
        guard text.utf8.count <= Self.lengthLimit else {
            throw QueryError(
                key: "q", message: "q has \(text.utf8.count) bytes; expected at most \(Self.lengthLimit).")
        }
        for part in Self.parts(of: text) { try take(part, at: now) }
    }

    /// Splits a text at spaces, save those in quotation marks.
    private static func parts(of text: String) -> [String] {
        var parts: [String] = [""]
        var isQuoted = false
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if character.isWhitespace, !isQuoted { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        return parts.filter { !$0.isEmpty }
    }

    private mutating func take(_ part: String, at now: Timestamp) throws(QueryError) {
        let isNegated = part.count > 1 && part.first == "-"
        let plain = isNegated ? String(part.dropFirst()) : part
        if plain.first == "#", let sequence = Int(plain.dropFirst()) {
            return terms.append(Term(meaning: .sequence(sequence), isNegated: isNegated))
        }
        let key = plain.prefix { $0.isLetter }
        let hasKey = plain.dropFirst(key.count).first == ":"
        guard hasKey, let known = try Self.key(String(key)) else {
            terms.append(Term(meaning: .word(Self.lowercase(plain.unquoted)), isNegated: isNegated))
            return
        }
        let written = String(plain.dropFirst(key.count + 1))
        let value = written.unquoted
        if known == "lint" {
            if isNegated { throw Self.error("lint:\(value)", "works without \"-\"") }
            if value.isEmpty { throw Self.error("lint:", "needs the name of a rule") }
            lint = .rule(value)
        } else if known == "is", value == "linted", !isNegated {
            lint = lint ?? .anyWarning
        } else {
            let values = Self.fields[known] == nil ? [value] : written.splitAtCommas
            let meanings = try values.map { value throws(QueryError) in try Self.meaning(of: known, value, at: now) }
            let meaning = meanings.count == 1 ? meanings[0] : .any(meanings)
            terms.append(Term(meaning: meaning, isNegated: isNegated))
        }
    }

    /// Returns a key that there is; `nil` for the beginning of a word, such as `https`.
    private static func key(_ written: String) throws(QueryError) -> String? {
        let lowercase = written.lowercased()
        if keys.contains(lowercase) { return lowercase }
        guard let meant = MeantWord(written, among: keys) else { return nil }
        throw QueryError(key: "q", message: "q has \"\(written.shortened):\", which is no key; \(meant.question)")
    }

    private static func meaning(of key: String, _ value: String, at now: Timestamp) throws(QueryError) -> Meaning {
        let term = "\(key):\(value)"
        if value.isEmpty { throw error(term, "needs a value") }
        if let field = fields[key] { return try meaning(of: field, value, term, isRule: key == "rule") }
        switch key {
        case "is": return try quality(value, term)
        case "has":
            guard let field = fields[value], field != .decidedBy else {
                throw error(term, "expected a field, such as has:collapse, has:device, has:reason or has:id")
            }
            return .field(field, .exists)
        case "agent": return .userAgent(lowercase(value))
        case "larger", "smaller":
            let size = try size(value, term)
            return .field(.payloadBytes, .number(key == "larger" ? size...Int64.max : 0...size))
        case "slower":
            guard let milliseconds = DurationText.milliseconds(value) else {
                throw error(term, "expected a duration, such as 100ms or 2s")
            }
            return .slow(milliseconds)
        case "before", "after":
            guard let time = time(value, at: now) else {
                throw error(term, "expected a time, such as 12:30, 2026-01-31 or 2026-01-31T12:30:00Z")
            }
            return .time(time, isBefore: key == "before")
        default: return try payload(value, term)
        }
    }

    private static func meaning(
        of field: RequestField, _ value: String, _ term: String, isRule: Bool
    ) throws(QueryError) -> Meaning {
        let text = lowercase(value)
        switch field {
        case .status where text.count == 3 && text.hasSuffix("xx") && UInt8(ascii: "1")...UInt8(ascii: "5") ~= text[0]:
            let hundreds = Int64(text[0] - UInt8(ascii: "0")) * 100
            return .field(.status, .number(hundreds...hundreds + 99))
        case .token, .apnsID, .uniqueID, .delivery: return .field(field, .hasPrefix(text))
        case .decidedBy: return .field(field, .equals(isRule ? Array("rule:".utf8) + text : text))
        case _ where field.kind == .number:
            guard let number = Int64(value) else { throw error(term, "expected a number") }
            return .field(field, .number(number...number))
        default: return .field(field, .equals(text))
        }
    }

    private static func quality(_ value: String, _ term: String) throws(QueryError) -> Meaning {
        switch value {
        case "refused": return .field(.status, .number(400...999))
        case "stored": return .field(.delivery, .hasPrefix(lowercase("Stored")))
        case "background": return .field(.pushType, .equals(lowercase("background")))
        case "sent": return .field(.sentBy, .equals(lowercase("admin")))
        case "replaced": return .isReplaced
        default: throw error(term, "expected is:refused, stored, replaced, background, sent or linted")
        }
    }

    private static func size(_ value: String, _ term: String) throws(QueryError) -> Int64 {
        var digits = value.lowercased()
        if digits.last == "b" { digits.removeLast() }
        let isInKilobytes = digits.last == "k"
        if isInKilobytes { digits.removeLast() }
        guard let number = Double(digits), 0...1e9 ~= number else {
            throw error(term, "expected a size in bytes, such as 100 or 3k")
        }
        return Int64(number * (isInKilobytes ? 1024 : 1))
    }

    private static func time(_ value: String, at now: Timestamp) -> Timestamp? {
        let day = now.text.prefix { $0 != "T" }
        switch value.count {
        case 5: return Timestamp("\(day)T\(value):00Z")
        case 8...12 where value.contains(":"): return Timestamp("\(day)T\(value)Z")
        case 10: return Timestamp("\(value)T00:00:00Z")
        default: return Timestamp(value)
        }
    }

    private static func payload(_ value: String, _ term: String) throws(QueryError) -> Meaning {
        let path = value.prefix { !"=<>".contains($0) }
        guard let pointer = JSONPointer(String(path)), !pointer.parts.isEmpty else {
            throw error(term, "expected a JSON Pointer, such as payload:/aps/badge>3")
        }
        let wanted = String(value.dropFirst(path.count + 1))
        switch value.dropFirst(path.count).first {
        case nil: return .payload(pointer, .exists)
        case "=": return .payload(pointer, .equals(lowercase(wanted)))
        case let sign:
            guard let number = Double(wanted), number.isFinite else { throw error(term, "expected a number after it") }
            return .payload(pointer, sign == "<" ? .below(number) : .above(number))
        }
    }

    private static func error(_ term: String, _ problem: String) -> QueryError {
        QueryError(key: "q", message: "q has \"\(term.shortened)\": \(problem).")
    }

    private static func lowercase(_ text: String) -> [UInt8] { text.utf8.map(\.lowercased) }
}

extension String {
    /// The values between commas, save those in quotation marks; at least one.
    fileprivate var splitAtCommas: [String] {
        var values = [""]
        var isQuoted = false
        for character in self {
            if character == "\"" { isQuoted.toggle() }
            if character == ",", !isQuoted { values.append("") } else { values[values.count - 1].append(character) }
        }
        return values.map(\.unquoted)
    }

    /// The text without quotation marks around it; the last one may be missing.
    fileprivate var unquoted: String {
        guard first == "\"" else { return self }
        return String(dropFirst().last == "\"" && count > 1 ? dropFirst().dropLast() : dropFirst())
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
