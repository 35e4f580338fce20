/// The result of matching a value with a pattern.
package enum PatternResult: Sendable, Hashable {
    /// The pattern matches the whole value.
    case matches
    /// The pattern does not match.
    case differs
    /// The work limit was reached before that was known.
    case undecided
}

/// Why a pattern does not compile.
package struct PatternError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason in PCRE2's words, such as `missing closing parenthesis`.
    package var reason: String
    /// The number of Unicode scalars before the one where it was detected.
    package var offset: Int

    /// For example `missing closing parenthesis at character 3`.
    package var description: String { "\(reason) at character \(offset + 1)" }
}
