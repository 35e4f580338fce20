// Expectations as text, for reports.

extension MatchExpression.Condition {
    /// The field that is tested.
    var field: String {
        switch self {
        case .device: "device"
        case .field(let field, _): field.rawValue
        case .header(let name, _): "header \(name)"
        case .payload(let pointer, _): "payload \(pointer)"
        }
    }

    /// The matcher applied to it.
    var matcher: ValueMatcher {
        switch self {
        // A match has names instead of indices.
        case .device: .exists(true)
        case .field(_, let matcher), .header(_, let matcher), .payload(_, let matcher): matcher
        }
    }
}

extension RequestMatch {
    /// The conditions, as words that follow "request": ` with status 200 and device "alice"`, or nothing.
    var words: String {
        guard !isEmpty else { return "" }
        return " with " + list(conditions.map { "\($0.field) \($0.matcher.words)" }, "and")
    }
}

extension ValueMatcher {
    /// The condition, as words that follow the name of a field.
    var words: String {
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

extension CountRange {
    /// The accepted counts: `exactly 2`, `at least 1`, `2 to 4`, `no`.
    var words: String {
        if atMost == 0 { return "no" }
        if atMost == atLeast { return "exactly \(atLeast)" }
        return rangeWords(atLeast == 0 && atMost != nil ? nil : "\(atLeast)", atMost.map { "\($0)" })
    }

    /// Returns the count with its noun: `exactly 2 requests`.
    func words(_ singular: String, _ plural: String? = nil) -> String {
        "\(words) \((atMost ?? atLeast) == 1 ? singular : plural ?? singular + "s")"
    }
}

extension Expectation.Spacing {
    /// The accepted gaps, before the word "between": `gaps of at least 1s`, `1 gap, of at least 1s,`.
    var words: String {
        let bounds = [("at least", atLeast), ("at most", atMost)].compactMap { name, bound in
            bound.map { "\(name) \($0.words)" }
        }
        let words = bounds.joined(separator: " and ")
        return gaps.map { "\(counted($0, "gap")), of \(words)," } ?? "gaps of \(words)"
    }
}

extension Expectation.Spacing.Bound {
    fileprivate var words: String {
        switch self {
        case .all(let bound): DurationText.text(bound)
        case .list(let bounds) where bounds.count == 1: DurationText.text(bounds[0])
        case .list(let bounds): "(" + bounds.map { DurationText.text($0) }.joined(separator: ", ") + ")"
        }
    }
}

/// Returns a number with its noun: `1 request`, `2 requests`.
package func counted(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
}

/// Returns a number with its noun and verb: `1 gap is`, `2 gaps are`.
func countedBe(_ count: Int, _ singular: String) -> String {
    "\(counted(count, singular)) \(count == 1 ? "is" : "are")"
}

/// Returns a list in words: `a, b and c`.
func list(_ words: [String], _ conjunction: String) -> String {
    guard words.count > 1, let last = words.last else { return words.first ?? "nothing" }
    return words.dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
}

private func rangeWords(_ least: String?, _ most: String?) -> String {
    switch (least, most) {
    case (let least?, let most?): "\(least) to \(most)"
    case (let least?, nil): "at least \(least)"
    case (nil, let most?): "at most \(most)"
    case (nil, nil): "any number of"
    }
}
