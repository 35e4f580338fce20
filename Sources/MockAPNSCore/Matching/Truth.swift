/// What came of asking a condition. A regular expression may stay undecided, and so may what depends on it.
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
    /// Its text.
    let text: String
    /// Whether it was not tried any more, because that had happened too often.
    let isGivenUp: Bool

    init(_ text: String, isGivenUp: Bool) {
        self.text = text
        self.isGivenUp = isGivenUp
    }
}
