/// The result of testing a condition. A regular expression may stay undecided, and so may anything that depends on it.
package enum MatchResult {
    case no
    case yes
    case undecided(UndecidedPattern)

    @inline(__always)
    package init(_ holds: Bool) { self = holds ? .yes : .no }

    @inline(__always)
    package var isTrue: Bool { if case .yes = self { true } else { false } }

    @inline(__always)
    package var isFalse: Bool { if case .no = self { true } else { false } }

    /// The pattern that left it undecided.
    package var undecidedPattern: UndecidedPattern? { if case .undecided(let pattern) = self { pattern } else { nil } }

    /// Returns the opposite; undecided stays undecided.
    static prefix func ! (truth: MatchResult) -> MatchResult {
        switch truth {
        case .no: .yes
        case .yes: .no
        case .undecided: truth
        }
    }

    /// Returns whether both hold: if one is false, so is the result.
    static func && (first: MatchResult, second: @autoclosure () -> MatchResult) -> MatchResult {
        switch first {
        case .no: return .no
        case .yes: return second()
        case .undecided:
            let second = second()
            return second.isFalse ? second : first
        }
    }

    /// Returns whether at least one holds: if one is true, so is the result.
    static func || (first: MatchResult, second: @autoclosure () -> MatchResult) -> MatchResult {
        switch first {
        case .yes: return .yes
        case .no: return second()
        case .undecided:
            let second = second()
            return second.isTrue ? second : first
        }
    }
}

/// A regular expression that was undecided for some value.
package final class UndecidedPattern: Sendable {
    /// Why it was undecided.
    enum Cause {
        /// It reached its work limit.
        case limit
        /// It was not tried, because earlier patterns had used up the work limit of the request.
        case budget
        /// It was not tried again, because it had reached the limit too often.
        case givenUp
    }

    /// The text of the pattern.
    let text: String
    let cause: Cause

    init(_ text: String, _ cause: Cause) {
        self.text = text
        self.cause = cause
    }
}
