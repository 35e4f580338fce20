/// The rules that were removed most recently: records may still name them, and reports name those that never applied.
struct RemovedRules: Sendable {
    private struct Removal: Sendable {
        var rule: RuleUse
        let number: Int
    }

    /// Maximum number of names; the oldest is forgotten.
    static let limit = 10_000

    /// The latest removal of each name.
    private var removals: [String: Removal] = [:]
    /// All removals in order; those before ``firstKept`` are forgotten, and those of names removed again no longer count.
    private var order: [(name: String, number: Int)] = []
    private var firstKept = 0
    private var latestNumber = 0
    /// The latest removal from a book before the current one.
    private var latestBefore = 0

    /// The names.
    var names: Set<String> { Set(removals.keys) }

    /// The number of names.
    var count: Int { removals.count }

    /// The use of the rules removed from the current book, in order of removal.
    var uses: [RuleUse] {
        order[firstKept...].compactMap { name, number in
            guard number > latestBefore, let removal = removals[name], removal.number == number else { return nil }
            return removal.rule
        }
    }

    /// Notes that other rules are in force, by a reset or another scenario. Only names are remembered of those removed
    /// before.
    mutating func beginBook() { latestBefore = latestNumber }

    /// Adds a rule.
    mutating func insert(_ rule: RuleUse) {
        latestNumber += 1
        removals[rule.name] = Removal(rule: rule, number: latestNumber)
        order.append((rule.name, latestNumber))
        while removals.count > Self.limit {
            if isLatest(order[firstKept]) { removals[order[firstKept].name] = nil }
            firstKept += 1
        }
        if order.count > 2 * Self.limit {
            order = order[firstKept...].filter(isLatest)
            firstKept = 0
        }
    }

    private func isLatest(_ removal: (name: String, number: Int)) -> Bool {
        removals[removal.name]?.number == removal.number
    }

    /// Notes that rules with these names have applied on a replica of a fleet.
    mutating func noteApplied(_ names: Set<String>) {
        for name in names { removals[name]?.rule.hasApplied = true }
    }
}
