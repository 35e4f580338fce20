/// A number that a rule of lint compares with, and that can be set. Each stands beside its rule, in MockAPNSJudge.
package struct LintThreshold: Sendable, Hashable {
    /// The kind of a threshold.
    package enum Kind: Sendable {
        /// Milliseconds.
        case duration
        case percentage
        case count
        /// Seconds since 1970.
        case time
    }

    /// Its name in scenarios.
    package let name: String
    /// Its kind.
    package let kind: Kind
    /// Its value unless the scenario sets it.
    package let usual: Int64

    /// Creates a threshold.
    package init(name: String, kind: Kind, usual: Int64) {
        (self.name, self.kind, self.usual) = (name, kind, usual)
    }
}
