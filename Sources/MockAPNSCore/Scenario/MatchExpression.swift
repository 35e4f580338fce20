/// Conditions on a request, a connection or a PING: `when` of a rule, and MATCH of an expectation. All conditions must
/// hold; without conditions it always holds.
package struct MatchExpression: Sendable, Hashable {
    /// A single condition.
    package enum Condition: Sendable, Hashable {
        /// The device is one of these, by their indices in the scenario, in ascending order, at least one.
        case device([Int])
        /// The field of the record matches. Texts of device tokens and `apns-id` are in lower case here.
        case field(RequestField, ValueMatcher)
        /// The header field with this name, in lower case, matches.
        case header(String, ValueMatcher)
        /// The value at this pointer in the payload matches.
        case payload(JSONPointer, ValueMatcher)
    }

    /// The conditions, in the order of the file.
    package var conditions: [Condition]

    /// Creates an expression with these conditions.
    package init(_ conditions: [Condition] = []) { self.conditions = conditions }

    /// The number of regular expressions.
    package var patternCount: Int {
        conditions.reduce(0) { count, condition in
            switch condition {
            case .device: count
            case .field(_, let matcher), .header(_, let matcher), .payload(_, let matcher): count + matcher.patternCount
            }
        }
    }

    /// The only devices for which it can hold; `nil` if it may hold for any.
    package var onlyDevices: [Int]? {
        for case .device(let indices) in conditions { return indices }
        return nil
    }

    /// Returns the only texts of a field for which it can hold, such as topics used to look up rules; `nil` if it may
    /// hold for any.
    package func onlyTexts(of field: RequestField) -> [[UInt8]]? {
        for case .field(field, let matcher) in conditions {
            if let texts = matcher.onlyTexts { return texts }
        }
        return nil
    }
}

/// A test of one value of a request. An absent value matches only ``exists(_:)`` with `false`, and ``not(_:)`` of a
/// matcher that it does not match.
package indirect enum ValueMatcher: Sendable, Hashable {
    /// Equals this text.
    case text([UInt8])
    /// Equals this whole number.
    case number(Int64)
    /// Equals this number; in payloads only.
    case decimal(Double)
    /// Equals this boolean; in payloads only.
    case bool(Bool)
    /// Is `null`; in payloads only.
    case null
    /// Is present, or absent.
    case exists(Bool)
    /// A text that starts with this.
    case prefix([UInt8])
    /// A text that contains this.
    case contains([UInt8])
    /// A text that matches this regular expression as a whole, in PCRE2 syntax. The expression compiles.
    case pattern(String)
    /// A number in this range, bounds included; `nil` means no bound.
    case range(atLeast: Int64?, atMost: Int64?)
    /// The same with fractions; in payloads only.
    case decimalRange(atLeast: Double?, atMost: Double?)
    /// At least one of these matches.
    case anyOf([ValueMatcher])
    /// This does not match.
    case not(ValueMatcher)

    /// Returns a matcher for this text.
    package static func equals(_ text: String) -> Self { .text(Array(text.utf8)) }

    /// The only texts that match; `nil` if there may be others.
    package var onlyTexts: [[UInt8]]? {
        switch self {
        case .text(let text): return [text]
        case .anyOf(let matchers):
            var texts: [[UInt8]] = []
            for matcher in matchers {
                guard case .text(let text) = matcher else { return nil }
                texts.append(text)
            }
            return texts
        default: return nil
        }
    }

    /// The number of regular expressions.
    var patternCount: Int {
        switch self {
        case .pattern: 1
        case .anyOf(let matchers): matchers.reduce(0) { $0 + $1.patternCount }
        case .not(let matcher): matcher.patternCount
        default: 0
        }
    }

    /// The numbers from which on a matcher may match or no longer match: if any number matches, one of these does, or the
    /// smallest there is. After the greatest number comes the smallest again.
    package var tellingNumbers: [Int64] {
        switch self {
        case .number(let number): [number, number &+ 1]
        case .range(let least, let most): [least, most.map { $0 &+ 1 }].compactMap { $0 }
        case .anyOf(let matchers): matchers.flatMap(\.tellingNumbers)
        case .not(let matcher): matcher.tellingNumbers
        default: []
        }
    }
}
