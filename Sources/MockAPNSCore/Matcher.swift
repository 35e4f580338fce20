/// What is asked of one value.
///
/// A value that is absent fulfils only ``exists(_:)`` with `false` and a ``not(_:)`` of what it does not fulfil.
public indirect enum Matcher: Sendable, Hashable {
    /// It is this text.
    case text([UInt8])
    /// It is this number.
    case number(Int64)
    /// It is there, or it is not.
    case exists(Bool)
    /// The text begins with this.
    case prefix([UInt8])
    /// The text has this in it.
    case contains([UInt8])
    /// The number lies between these, both included; `nil` is no bound.
    case range(atLeast: Int64?, atMost: Int64?)
    /// One of them is fulfilled.
    case anyOf([Matcher])
    /// It is not fulfilled.
    case not(Matcher)

    /// It is this text.
    public static func equals(_ text: String) -> Self { .text(Array(text.utf8)) }

    /// Whether a text fulfils it.
    func matches(_ text: Span<UInt8>) -> Bool {
        switch self {
        case .text(let wanted): text.count == wanted.count && text.hasAll(of: wanted.span, at: 0)
        case .number, .range: false
        case .exists(let wanted): wanted
        case .prefix(let wanted): text.hasAll(of: wanted.span, at: 0)
        case .contains(let wanted): text.hasSomewhere(wanted.span)
        case .anyOf(let matchers): text.fulfilsAny(of: matchers)
        case .not(let matcher): !matcher.matches(text)
        }
    }

    /// Whether a number fulfils it; `nil` is an absent one.
    func matches(_ number: Int64?) -> Bool {
        switch self {
        case .number(let wanted): number == wanted
        case .exists(let wanted): (number != nil) == wanted
        case .range(let least, let most):
            if let number { number >= least ?? .min && number <= most ?? .max } else { false }
        case .anyOf(let matchers): matchers.contains { $0.matches(number) }
        case .not(let matcher): !matcher.matches(number)
        case .text, .prefix, .contains: false
        }
    }

    /// Whether an absent value fulfils it.
    var matchesAbsence: Bool { matches(nil as Int64?) }

    /// The same with its texts in lower case, for values that are compared in lower case.
    var lowercased: Self {
        switch self {
        case .text(let text): .text(text.map(\.lowercased))
        case .prefix(let text): .prefix(text.map(\.lowercased))
        case .contains(let text): .contains(text.map(\.lowercased))
        case .anyOf(let matchers): .anyOf(matchers.map(\.lowercased))
        case .not(let matcher): .not(matcher.lowercased)
        case .number, .exists, .range: self
        }
    }
}

extension UInt8 {
    /// The small letter of an ASCII capital, else the same.
    var lowercased: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }
}

extension Span<UInt8> {
    fileprivate func hasAll(of other: Span<UInt8>, at offset: Int) -> Bool {
        guard offset + other.count <= count else { return false }
        for index in 0..<other.count where self[offset + index] != other[index] { return false }
        return true
    }

    fileprivate func hasSomewhere(_ other: Span<UInt8>) -> Bool {
        guard other.count <= count else { return false }
        for offset in 0...count - other.count where hasAll(of: other, at: offset) { return true }
        return false
    }

    fileprivate func fulfilsAny(of matchers: [Matcher]) -> Bool {
        for matcher in matchers where matcher.matches(self) { return true }
        return false
    }
}
