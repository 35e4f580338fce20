// Conditions as text, for reports.

extension MatchExpression.Condition {
    /// The field that is tested.
    package var field: String {
        switch self {
        case .device: "device"
        case .field(let field, _): field.rawValue
        case .header(let name, _): "header \(name)"
        case .payload(let pointer, _): "payload \(pointer)"
        }
    }

    /// The matcher applied to it.
    package var matcher: ValueMatcher {
        switch self {
        // A match has names instead of indices.
        case .device: .exists(true)
        case .field(_, let matcher), .header(_, let matcher), .payload(_, let matcher): matcher
        }
    }
}

extension RequestMatch {
    /// The conditions, as words that follow "request": ` with status 200 and device "alice"`, or nothing.
    package var words: String {
        guard !isEmpty else { return "" }
        return " with " + list(conditions.map { "\($0.field) \($0.matcher.words)" }, "and")
    }
}

extension ValueMatcher {
    /// The condition, as words that follow the name of a field.
    package var words: String {
        switch self {
        case .text(let text): RecordValue.text(text).json
        case .number(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .bool(let bool): "\(bool)"
        case .null: "null"
        case .exists(let wanted): wanted ? "present" : "absent"
        case .prefix(let text): "beginning with \(RecordValue.text(text).json)"
        case .contains(let text): "containing \(RecordValue.text(text).json)"
        case .pattern(let text): "matching \(RecordValue.text(Array(text.utf8)).json)"
        case .range(let least, let most): rangeWords(least.map { "\($0)" }, most.map { "\($0)" })
        case .decimalRange(let least, let most): rangeWords(least.map { "\($0)" }, most.map { "\($0)" })
        case .anyOf(let matchers): list(matchers.map(\.words), "or")
        case .not(let matcher): matcher.negatedWords
        }
    }

    /// The negated condition.
    private var negatedWords: String {
        switch self {
        case .text, .number, .decimal, .bool, .null: "other than \(words)"
        case .exists(let wanted): Self.exists(!wanted).words
        case .prefix, .contains, .pattern: "not \(words)"
        case .range(let least?, nil): "below \(least)"
        case .range(nil, let most?): "above \(most)"
        case .decimalRange(let least?, nil): "below \(least)"
        case .decimalRange(nil, let most?): "above \(most)"
        case .range, .decimalRange: "outside \(words)"
        case .anyOf(let matchers): "neither \(list(matchers.map(\.words), "nor"))"
        case .not(let matcher): matcher.words
        }
    }
}
