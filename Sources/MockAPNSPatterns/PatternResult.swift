/// What came of comparing a value with a pattern.
package enum PatternResult: Sendable, Hashable {
    /// The pattern matches the whole value.
    case matches
    /// It does not.
    case differs
    /// Its bound on work was reached before that was known.
    case undecided
}

/// Why a pattern does not compile.
package struct PatternError: Error, Sendable, Hashable, CustomStringConvertible {
    /// In PCRE2's words, as in `missing closing parenthesis`.
    package var reason: String
    /// How many Unicode scalars come before the one at which that was seen.
    package var offset: Int

    /// As in `missing closing parenthesis at character 3`.
    package var description: String { "\(reason) at character \(offset + 1)" }
}
