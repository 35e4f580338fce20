// Which rules have applied.

extension RuleBook {
    /// A rule that has not applied.
    struct Unused: Sendable, Hashable {
        var name: String
        var trigger: Rule.Trigger
        /// Whether it was added since the scenario began.
        var isAdded: Bool
    }

    /// What is known of rules that were removed.
    struct Removed: Sendable {
        /// Maximum number of names kept of each kind.
        private static let limit = 10_000

        /// Those that had not applied.
        private(set) var unused: [Unused] = []
        private var known: Set<Unused> = []
        /// The names of those that had.
        private(set) var applied: Set<String> = []

        mutating func note(_ played: PlayedRule) {
            let rule = Unused(played)
            if played.hasApplied {
                if applied.count < Self.limit { applied.insert(rule.name) }
            } else if unused.count < Self.limit, known.insert(rule).inserted {
                unused.append(rule)
            }
        }

        /// Notes that rules had applied elsewhere.
        mutating func noteApplied(_ names: Set<String>) {
            unused.removeAll { names.contains($0.name) }
            known = Set(unused)
        }
    }

    /// The rules that have not applied, those included that were removed before they did.
    var unused: [Unused] { rules.filter { !$0.hasApplied }.map(Unused.init) + removed.unused }

    /// The names of the rules that have applied.
    var applied: [String] { rules.filter(\.hasApplied).map(\.rule.name) + removed.applied.sorted() }
}

extension RuleBook.Unused {
    fileprivate init(_ played: PlayedRule) {
        (name, trigger, isAdded) = (played.rule.name, played.rule.trigger, played.isAdded)
    }
}

/// Which rules have applied in the parts of a run that have ended, by a reset or another scenario.
struct EarlierRules: Sendable {
    /// The scenario's rules that applied before a reset.
    private var applied: Set<String> = []
    /// The rules that can no longer apply.
    private var unused = UnusedRules()

    /// Notes that a part ends.
    ///
    /// - Parameter next: the scenario that replaces its own; `nil` for a reset.
    mutating func end(_ rules: RuleBook, of scenario: Scenario, replacedBy next: Scenario?) {
        guard next.map({ $0.digest == scenario.digest }) ?? true else {
            unused = all(rules, of: scenario)
            applied = []
            return
        }
        // The scenario's own rules go on.
        applied.formUnion(rules.rules.filter { !$0.isAdded && $0.hasApplied }.map(\.rule.name))
        unused.add(
            UnusedRules(never: rules.unused.filter(\.isAdded).map(\.name), by: scenario.unusedRules))
    }

    /// Returns the rules of the whole run that never applied.
    func all(_ rules: RuleBook, of scenario: Scenario) -> UnusedRules {
        let never = rules.unused.filter { $0.isAdded || !applied.contains($0.name) }.map(\.name)
        var all = unused
        all.add(UnusedRules(never: never, by: scenario.unusedRules))
        return all
    }
}

extension Gateway {
    /// The rules that have not applied since the scenario began.
    var unusedRules: UnusedRules {
        let unused = rules.unused
        let unknown = unused.filter { replicas.rules.leavesUnknown($0.trigger) }
        return UnusedRules(
            never: unused.filter { !unknown.contains($0) }.map(\.name), unknown: unknown.map(\.name),
            by: scenario.unusedRules)
    }

    /// The rules that have not applied in the whole run.
    package var unusedRulesOfRun: UnusedRules { judgements.rules.all(rules, of: scenario) }
}
