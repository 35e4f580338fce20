/// What came of comparing a value with a pattern.
public enum PatternResult: Sendable, Hashable {
    /// The pattern matches the whole value.
    case matches
    /// It does not.
    case differs
    /// Its bound on work was reached before that was known.
    case undecided
}

/// Why a pattern does not compile.
public struct PatternError: Error, Sendable, Hashable, CustomStringConvertible {
    /// In PCRE2's words, as in `missing closing parenthesis`.
    public var reason: String
    /// How many Unicode scalars come before the one at which that was seen.
    public var offset: Int

    /// As in `missing closing parenthesis at character 3`.
    public var description: String { "\(reason) at character \(offset + 1)" }
}
