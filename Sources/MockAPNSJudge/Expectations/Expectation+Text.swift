import MockAPNSCore

// Expectations as text, for reports.

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
