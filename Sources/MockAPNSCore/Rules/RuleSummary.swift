/// A rule as the API lists it.
package struct RuleSummary: Sendable {
    /// Its name.
    package var name: String
    /// What it is tried on.
    package var trigger: Rule.Trigger
    /// How many steps it has.
    package var steps: Int
    /// How often it has decided; `nil` when it counts each value of a field by itself.
    package var decided: Int?
    /// How often it still will, if its conditions are met; `nil` when that has no limit, or when it counts each value of a
    /// field by itself.
    package var left: Int?
    /// Whether it will never decide anything again.
    package var isUsedUp: Bool
}
