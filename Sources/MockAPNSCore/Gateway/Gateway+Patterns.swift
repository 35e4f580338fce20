/// Reports undecided regular expressions.
extension Gateway {
    /// Maximum number of rules whose patterns a record names.
    private static let explainedRules = 3

    /// Adds to the latest record which rules did not apply because a pattern was undecided.
    @inline(never)
    mutating func explainUndecidedRules() {
        let undecided = rules.takeUndecided()
        for (rule, pattern) in undecided.prefix(Self.explainedRules) {
            let why: Explanation =
                "Rule \(quoted: rule) did not apply: its pattern \(quoted: pattern.text) was undecided\(pattern.cause.words)"
            log.explain(why.utf8.span)
        }
        let others = undecided.count - Self.explainedRules
        if others > 0 {
            let more: Explanation = "Nor did \(others) more, for the same reason."
            log.explain(more.utf8.span)
        }
    }

    /// Reports the pattern events.
    mutating func notePatternEvents() { for event in patterns.takeEvents() { tell(.pattern(event)) } }
}

extension UndecidedPattern.Cause {
    /// The end of a sentence that says that a pattern was undecided.
    fileprivate var words: String {
        switch self {
        case .limit: ", because it reached its work limit."
        case .budget: ", because other patterns had used up the work allowed for one request."
        case .givenUp: " \(PatternContext.undecidedLimit) times and is no longer tried."
        }
    }
}
