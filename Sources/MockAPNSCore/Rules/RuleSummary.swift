/// A rule as the API lists it.
package struct RuleSummary: Sendable {
    /// Its name.
    package var name: String
    /// What it is tried on.
    package var trigger: Rule.Trigger
    /// How many steps it has.
    package var steps: Int
    /// Whether it will never decide anything again.
    package var isUsedUp: Bool
}
