/// Whether a condition holds. A regular expression may stay undecided, and so may what depends on it.
enum Truth {
    case no
    case yes
    case undecided(UndecidedPattern)

    @inline(__always)
    init(_ holds: Bool) { self = holds ? .yes : .no }

    @inline(__always)
    var isTrue: Bool { if case .yes = self { true } else { false } }

    @inline(__always)
    var isFalse: Bool { if case .no = self { true } else { false } }

    /// The pattern that left it undecided.
    var undecidedPattern: UndecidedPattern? { if case .undecided(let pattern) = self { pattern } else { nil } }

    /// The opposite; what is undecided stays so.
    static prefix func ! (truth: Truth) -> Truth {
        switch truth {
        case .no: .yes
        case .yes: .no
        case .undecided: truth
        }
    }

    /// Whether both hold: what is false makes it false, whatever the other is.
    static func && (first: Truth, second: @autoclosure () -> Truth) -> Truth {
        switch first {
        case .no: return .no
        case .yes: return second()
        case .undecided:
            let second = second()
            return second.isFalse ? second : first
        }
    }

    /// Whether one of them holds: what is true makes it true, whatever the other is.
    static func || (first: Truth, second: @autoclosure () -> Truth) -> Truth {
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
final class UndecidedPattern: Sendable {
    /// Why it was undecided.
    enum Cause {
        /// It reached the limit of its work.
        case limit
        /// It was not tried, since patterns before it had taken the work that one request may cost.
        case budget
        /// It was not tried any more, because it had reached the limit too often.
        case givenUp
    }

    /// Its text.
    let text: String
    let cause: Cause

    init(_ text: String, _ cause: Cause) {
        self.text = text
        self.cause = cause
    }
}
