/// A rule as the API lists it.
public struct RuleSummary: Sendable {
    /// Its name.
    public var name: String
    /// What it is tried on.
    public var trigger: Rule.Trigger
    /// How many steps it has.
    public var steps: Int
    /// Whether it will never decide anything again.
    public var isUsedUp: Bool
}
