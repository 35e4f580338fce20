/// A stream limit that a scenario or the API holds, so that answers do not change it.
struct HeldStreamLimit: Sendable {
    /// Whether the limit is held.
    private(set) var isHeld = false
    /// The state before the limit was changed temporarily.
    private var before: (limit: Int, isHeld: Bool)?

    /// Holds an ordered limit.
    ///
    /// - Parameters:
    ///   - limit: the limit until now.
    ///   - isForAWhile: whether that limit is restored later.
    mutating func hold(insteadOf limit: Int, isForAWhile: Bool) {
        if !isForAWhile {
            before = nil
        } else if before == nil {
            before = (limit, isHeld)
        }
        isHeld = true
    }

    /// Ends all temporary limits. Returns the limit to restore, if there is one.
    mutating func timePassed() -> Int? {
        guard let before else { return nil }
        self.before = nil
        isHeld = before.isHeld
        return before.limit
    }
}
