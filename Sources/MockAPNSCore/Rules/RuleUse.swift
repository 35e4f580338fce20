/// Whether a rule has applied.
struct RuleUse: Sendable {
    var name: String
    /// Whether it was added since the scenario began.
    var isAdded: Bool
    var hasApplied: Bool

    init(_ inForce: RuleInForce) {
        (name, isAdded) = (inForce.rule.name, inForce.isAdded)
        hasApplied = inForce.hasApplied
    }
}

extension RuleBook {
    /// The use of the rules in force, and of removed ones. Of several rules with one name, the latest counts.
    var uses: [RuleUse] { rules.map(RuleUse.init) + removed.uses.filter { !names.contains($0.name) } }

    /// The rules that have not applied.
    var unused: [RuleUse] { uses.filter { !$0.hasApplied } }

    /// The names of the rules that have applied.
    var applied: [String] { uses.filter(\.hasApplied).map(\.name) }
}

/// Which rules have applied in the parts of a run that have ended, by a reset or another scenario.
struct EarlierRules: Sendable {
    /// The rules of earlier scenarios that never applied.
    private var ofEarlierScenarios = UnusedRules()
    /// The current scenario's own rules that applied before a reset.
    private var applied: Set<String> = []
    /// The rules added to the current scenario that had not applied before a reset.
    private var unusedAdded: [String] = []

    /// Notes that a part ends.
    ///
    /// - Parameter next: the scenario that replaces its own; `nil` for a reset.
    mutating func end(_ rules: RuleBook, of scenario: Scenario, replacedBy next: Scenario?) {
        guard next.map({ $0.digest == scenario.digest }) ?? true else {
            ofEarlierScenarios = all(rules, of: scenario)
            (applied, unusedAdded) = ([], [])
            return
        }
        let uses = rules.uses
        let unused = earlierUnused(uses) + uses.filter { $0.isAdded && !$0.hasApplied }.map(\.name)
        unusedAdded = Array(unused.prefix(UnusedRules.limit))
        applied.formUnion(uses.filter { !$0.isAdded && $0.hasApplied }.map(\.name))
    }

    /// Returns the rules of the whole run that never applied.
    func all(_ rules: RuleBook, of scenario: Scenario) -> UnusedRules {
        let uses = rules.uses
        let unused = uses.filter { !$0.hasApplied && ($0.isAdded || !applied.contains($0.name)) }.map(\.name)
        var all = ofEarlierScenarios
        all.add(UnusedRules(never: earlierUnused(uses) + unused, by: scenario.unusedRules))
        return all
    }

    /// Returns the added rules that had not applied before a reset, unless others with their names were added since.
    private func earlierUnused(_ uses: [RuleUse]) -> [String] {
        let names = Set(uses.filter(\.isAdded).map(\.name))
        return unusedAdded.filter { !names.contains($0) }
    }
}
