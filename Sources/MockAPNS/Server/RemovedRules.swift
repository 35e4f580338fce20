/// The names of removed rules, which records still contain: the latest ones.
struct RemovedRules: Sendable {
    /// Maximum number of names; the oldest is forgotten.
    static let limit = 10_000

    private(set) var names: Set<String> = []
    /// The names in the order in which their rules were removed; those before ``forgotten`` are no longer in ``names``.
    private var order: [String] = []
    private var forgotten = 0

    /// Adds a name.
    mutating func insert(_ name: String) {
        guard names.insert(name).inserted else { return }
        order.append(name)
        guard names.count > Self.limit else { return }
        names.remove(order[forgotten])
        forgotten += 1
        if forgotten > Self.limit {
            order.removeFirst(forgotten)
            forgotten = 0
        }
    }
}
