import MockAPNSCore

/// The rules of a run in a log, and which of them have applied as far as its lines tell: a record names the rule that
/// decided, but nothing tells of rules for connections and PING frames.
struct RecordedRules: Sendable {
    private struct Known: Sendable {
        /// The trigger that it is tried on; `nil` if that is not known.
        var trigger: RuleTrigger?
        var hasApplied = false
        var isInForce = true
    }

    /// The latest rule of each name, and all names in order.
    private var known: [String: Known] = [:]
    private var names: [String] = []
    /// The name of the latest rule that decided, since it often is the same.
    private var latest: [UInt8] = []

    init(of scenario: Scenario) {
        names = scenario.rules.map(\.name)
        for rule in scenario.rules { known[rule.name] = Known(trigger: rule.trigger) }
    }

    /// Notes that a rule has decided a request. Another of several merged logs may have removed it.
    mutating func noteApplied(_ name: [UInt8]) {
        guard name != latest else { return }
        latest = name
        known[String(decoding: name, as: UTF8.self)]?.hasApplied = true
    }

    mutating func replay(_ event: RuleEvent) {
        latest = []
        switch event.state {
        case .added:
            // In merged logs, several servers add the same rule.
            guard known[event.rule]?.isInForce != true else { return }
            if known.updateValue(Known(trigger: event.trigger), forKey: event.rule) == nil { names.append(event.rule) }
        case .removed: known[event.rule]?.isInForce = false
        }
    }

    /// Returns the rules that have not applied.
    ///
    /// - Parameters:
    ///   - hasConnections: whether connections were opened.
    ///   - hasPings: whether PING frames came, or may have.
    func unused(hasConnections: Bool, hasPings: Bool, by policy: UnusedRules.Policy) -> UnusedRules {
        var (never, unknown): ([String], [String]) = ([], [])
        for name in names {
            guard let rule = known[name], !rule.hasApplied else { continue }
            let mayHaveApplied =
                switch rule.trigger {
                case .push, .broadcast, .channels: false
                case .connect: hasConnections
                case .ping: hasPings
                case nil: true
                }
            if mayHaveApplied { unknown.append(name) } else { never.append(name) }
        }
        return UnusedRules(never: never, unknown: unknown, by: policy)
    }
}
