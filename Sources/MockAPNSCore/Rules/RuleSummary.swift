/// A rule as the API lists it.
package struct RuleSummary: Sendable {
    /// The name.
    package var name: String
    /// The trigger that it is tried on.
    package var trigger: RuleTrigger
    /// The number of steps.
    package var steps: Int
    /// How often it has decided; `nil` if it counts each value of a field separately.
    package var decided: Int?
    /// How often it will still decide if its conditions are met; `nil` if that is not limited, or if it counts each
    /// value of a field separately.
    package var left: Int?
    /// Whether it will never decide again.
    package var isUsedUp: Bool
    /// Whether it was added since the scenario began.
    package var isAdded: Bool
}
