/// What is asked of a request, a connection or a PING: `when` of a rule, and MATCH of an expectation. All conditions
/// must hold; none at all holds always.
package struct MatchExpression: Sendable, Hashable {
    /// What is asked of one thing.
    package enum Condition: Sendable, Hashable {
        /// The device is one of these, by their indices in the scenario's list; in ascending order, at least one.
        case device([Int])
        /// The field of the record fulfils this. Texts of device tokens and `apns-id` are in lower case here.
        case field(RequestField, ValueMatcher)
        /// The header field of that name, in lower case, fulfils this.
        case header(String, ValueMatcher)
        /// What the pointer leads to in the payload fulfils this.
        case payload(JSONPointer, ValueMatcher)
    }

    /// All that must hold, in the order of the file.
    package var conditions: [Condition]

    /// These must hold.
    package init(_ conditions: [Condition] = []) { self.conditions = conditions }

    /// How many regular expressions are in it.
    var patternCount: Int {
        conditions.reduce(0) { count, condition in
            switch condition {
            case .device: count
            case .field(_, let matcher), .header(_, let matcher), .payload(_, let matcher): count + matcher.patternCount
            }
        }
    }

    /// The only devices that it can hold for; `nil`: perhaps any.
    package var onlyDevices: [Int]? {
        for case .device(let indices) in conditions { return indices }
        return nil
    }

    /// The only texts of a field that it can hold for, such as topics by which rules are looked up; `nil`: perhaps any.
    package func onlyTexts(of field: RequestField) -> [[UInt8]]? {
        for case .field(field, let matcher) in conditions {
            if let texts = matcher.onlyTexts { return texts }
        }
        return nil
    }
}

/// What is asked of one value of a request. An absent value fulfils only ``exists(_:)`` with `false`, and a ``not(_:)``
/// of what it does not fulfil.
package indirect enum ValueMatcher: Sendable, Hashable {
    /// It is this text.
    case text([UInt8])
    /// It is this whole number.
    case number(Int64)
    /// It is this number; in payloads only.
    case decimal(Double)
    /// It is true, or false; in payloads only.
    case bool(Bool)
    /// It is `null`; in payloads only.
    case null
    /// It is there, or it is not.
    case exists(Bool)
    /// The text begins with this.
    case prefix([UInt8])
    /// The text has this in it.
    case contains([UInt8])
    /// The whole text is one of this regular expression, in the syntax of PCRE2. It compiles.
    case pattern(String)
    /// The number lies between these, both included; `nil` is no bound.
    case range(atLeast: Int64?, atMost: Int64?)
    /// As before, with fractions; in payloads only.
    case decimalRange(atLeast: Double?, atMost: Double?)
    /// One of them is fulfilled.
    case anyOf([ValueMatcher])
    /// It is not fulfilled.
    case not(ValueMatcher)

    /// It is this text.
    package static func equals(_ text: String) -> Self { .text(Array(text.utf8)) }

    /// The only texts that fulfil it; `nil` when there may be others.
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

    /// How many regular expressions are in it.
    var patternCount: Int {
        switch self {
        case .pattern: 1
        case .anyOf(let matchers): matchers.reduce(0) { $0 + $1.patternCount }
        case .not(let matcher): matcher.patternCount
        default: 0
        }
    }

    /// Whether a text fulfils it, as far as that can be told without a regular expression; `nil`: it cannot.
    func holds(forText text: [UInt8]) -> Bool? {
        switch self {
        case .text(let wanted): return text == wanted
        case .prefix(let wanted): return text.starts(with: wanted)
        case .contains(let wanted): return text.span.hasSomewhere(wanted.span)
        case .exists(let wanted): return wanted
        case .pattern: return nil
        case .anyOf(let matchers):
            let results = matchers.map { $0.holds(forText: text) }
            return results.contains(true) ? true : results.contains(nil) ? nil : false
        case .not(let matcher): return matcher.holds(forText: text).map { !$0 }
        case .number, .decimal, .bool, .null, .range, .decimalRange: return false
        }
    }

    /// Whether an absent value fulfils it.
    var holdsForAbsence: Bool {
        switch self {
        case .exists(let wanted): !wanted
        case .anyOf(let matchers): matchers.contains(where: \.holdsForAbsence)
        case .not(let matcher): !matcher.holdsForAbsence
        default: false
        }
    }

    /// Whether a whole number fulfils it.
    func holds(forNumber number: Int64) -> Bool {
        switch self {
        case .number(let wanted): number == wanted
        case .exists(let wanted): wanted
        case .range(let least, let most): number >= least ?? .min && number <= most ?? .max
        case .anyOf(let matchers): matchers.contains { $0.holds(forNumber: number) }
        case .not(let matcher): !matcher.holds(forNumber: number)
        default: false
        }
    }

    /// Numbers one of which fulfils it if any does at all: its bounds and their neighbours.
    var tellingNumbers: [Int64] {
        switch self {
        case .number(let number): [number, number.advanced(orSame: -1), number.advanced(orSame: 1)]
        case .range(let least, let most):
            [least, most].flatMap { bound in
                bound.map { [$0, $0.advanced(orSame: -1), $0.advanced(orSame: 1)] } ?? []
            }
        case .anyOf(let matchers): matchers.flatMap(\.tellingNumbers)
        case .not(let matcher): matcher.tellingNumbers
        default: []
        }
    }
}

extension Int64 {
    fileprivate func advanced(orSame distance: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(distance)
        return overflow ? self : sum
    }
}
