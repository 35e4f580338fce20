import MockAPNSCore
import MockAPNSPatterns

/// Reads a matcher: a scalar, or an object for more than equality.
extension ScenarioReader {
    /// The keys of a matcher.
    enum MatcherKey: String, CaseIterable {
        case equals, prefix, contains, matches, exists, oneOf, atLeast, atMost, not
    }

    /// Reads the value of a field in a `when` or MATCH.
    mutating func matcher(_ value: Value, _ domain: MatchDomain) -> ValueMatcher? {
        guard let members = value.object else { return scalar(value, domain) }
        var found: ValueMatcher?
        readMembers(of: value, "a matcher", MatcherKey.self) { reader, key, value in
            if let matcher = reader.part(key, value, domain) { found = matcher }
        }
        let keys = members.compactMap { MatcherKey(rawValue: $0.key) }
        if keys.contains(.atLeast) || keys.contains(.atMost), keys.allSatisfy({ $0 == .atLeast || $0 == .atMost }) {
            return domain.hasNumbers ? range(value, domain) : nil
        }
        if keys.count > 1 {
            noteKey(
                keys[1].rawValue, of: value,
                "cannot be combined with \"\(keys[0].rawValue)\"; expected one of them, because a matcher has one condition"
            )
        }
        if members.allSatisfy({ $0.key == "$comment" }) {
            note(value.offset, "has no condition; expected \(Self.list(Self.keys(for: domain), "or"))")
        }
        return found
    }

    private static func keys(for domain: MatchDomain) -> [String] {
        MatcherKey.allCases.filter { key in
            switch key {
            case .prefix, .contains, .matches: domain.hasTexts
            case .atLeast, .atMost: domain.hasNumbers
            default: true
            }
        }.map(\.rawValue)
    }

    private mutating func part(_ key: MatcherKey, _ value: Value, _ domain: MatchDomain) -> ValueMatcher? {
        switch key {
        case .equals: return scalar(value, domain)
        case .exists: return bool(value).map { .exists($0) }
        case .not: return matcher(value, domain).map { .not($0) }
        case .oneOf:
            let matchers = list(value, of: "values", atLeast: 1) { $0.matcher($1, domain) }
            return .anyOf(matchers)
        case .prefix, .contains, .matches:
            guard domain.hasTexts else {
                return unsuited(value, "texts", "a number; expected \(Self.list(Self.keys(for: domain), "or"))")
            }
            guard let text = text(value) else { return nil }
            if key == .prefix { return .prefix(Array(text.utf8)) }
            if key == .contains { return .contains(Array(text.utf8)) }
            return pattern(text, value, domain)
        case .atLeast, .atMost:
            guard domain.hasNumbers else {
                return unsuited(value, "numbers", "a text; expected \(Self.list(Self.keys(for: domain), "or"))")
            }
            _ = bound(value, domain)
            return nil
        }
    }

    private mutating func unsuited(_ value: Value, _ what: String, _ found: String) -> ValueMatcher? {
        note(value.offset, "is for \(what), but the field is \(found)")
        return nil
    }

    private mutating func pattern(_ text: String, _ value: Value, _ domain: MatchDomain) -> ValueMatcher? {
        guard text.unicodeScalars.count <= Pattern.longest else {
            note(value.offset, "is too long; expected a regular expression of at most \(Pattern.longest) characters")
            return nil
        }
        do {
            let pattern = try Pattern(text)
            guard let word = domain.words.first(where: { pattern.isUndecided(for: $0) }) else { return .pattern(text) }
            note(
                value.offset, "is \(value.forPeople), which takes too much work to compare with \(word)",
                isCrossReference: true)
        } catch {
            note(
                value.offset,
                "is \(value.forPeople), which does not compile: \(error.description.shortened); expected a regular expression",
                isCrossReference: true)
        }
        return nil
    }

    /// Reads a bound, which has to be a number.
    private mutating func bound(_ value: Value, _ domain: MatchDomain) -> JSONText.Number? {
        if let number = value.number, number.double != nil {
            if case .json = domain.kind { return number }
            if number.int64 != nil { return number }
        }
        if case .json = domain.kind {
            wrong(value, expected: "a number")
        } else {
            wrong(value, expected: "a whole number")
        }
        return nil
    }

    private mutating func range(_ value: Value, _ domain: MatchDomain) -> ValueMatcher? {
        let least = value["atLeast"]?.number
        let most = value["atMost"]?.number
        if let one = least?.double, let other = most?.double, one > other {
            noteKey(
                "atMost", of: value, "is less than \"atLeast\", so no value can match", isCrossReference: true)
        }
        if [least, most].allSatisfy({ $0 == nil || $0?.int64 != nil }) {
            return .range(atLeast: least?.int64, atMost: most?.int64)
        }
        return .decimalRange(atLeast: least?.double, atMost: most?.double)
    }

    /// Reads a value for equality; `null` means absent, except in a payload, where it means `null`.
    private mutating func scalar(_ value: Value, _ domain: MatchDomain) -> ValueMatcher? {
        if value.isNull {
            if case .json = domain.kind { return .null }
            if domain.canBeAbsent { return .exists(false) }
        }
        switch domain.kind {
        case .text:
            return text(value, "a string, or a matcher such as {\"prefix\": \"com.\"}").map { .text(Array($0.utf8)) }
        case .device:
            guard deviceIndex(value) != nil, let name = value.string else { return nil }
            return .text(Array(name.utf8))
        case .words(let words, let what), .texts(let words, let what):
            if let text = value.string, words.contains(text) { return .text(Array(text.utf8)) }
            wrongWord(value, words, expected: words.count > 12 ? what : "\(what): \(Self.list(words, "or"))")
            return nil
        case .decider(let words): return decider(value, words)
        case .number(let range): return integer(value, in: range).map { .number(Int64($0)) }
        case .numbers(let numbers):
            if let number = value.int64, numbers.contains(number) { return .number(number) }
            let texts = numbers.reversed().map(String.init)
            wrong(value, expected: "\(texts.dropLast().joined(separator: ", ")) or \(texts.last ?? "")")
            return nil
        case .json: return jsonScalar(value)
        }
    }

    private mutating func jsonScalar(_ value: Value) -> ValueMatcher? {
        switch value.content {
        case .string(let text): return .text(Array(text.utf8))
        case .bool(let bool): return .bool(bool)
        case .number(let number):
            if let number = number.int64 { return .number(number) }
            if let number = number.double { return .decimal(number) }
            wrong(value, expected: "a number that fits into 64 bits")
        default: wrong(value, expected: "a string, a number, true, false, null or a matcher")
        }
        return nil
    }

    private mutating func decider(_ value: Value, _ words: [String]) -> ValueMatcher? {
        // No record has that of a rule alone.
        let others = words.filter { $0 != DecidedBy.rule.name }
        let known = others + ["rule:NAME"]
        guard let text = value.string else {
            wrong(value, expected: Self.list(known, "or"))
            return nil
        }
        if text.utf8.starts(with: "rule:".utf8) {
            let name = String(text.dropFirst(5))
            if !names.rules.contains(name) {
                undeclared(value, "rule", names.nearest(to: name, among: names.rules).map { "rule:" + $0 })
            }
            return .text(Array(text.utf8))
        }
        if others.contains(text) { return .text(Array(text.utf8)) }
        wrongWord(value, known, expected: Self.list(known, "or"))
        return nil
    }
}

extension Pattern {
    /// Whether matching a word takes too much work.
    fileprivate func isUndecided(for word: String) -> Bool {
        let bytes = Array(word.utf8)
        return match(bytes.span, in: PatternMemory()) == .undecided
    }
}
