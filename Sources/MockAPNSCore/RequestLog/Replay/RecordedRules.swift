/// The rules of a run in a log, and which of them have applied as far as its lines tell: a record names the rule that
/// decided, but nothing tells of rules for connections and PING frames.
struct RecordedRules: Sendable {
    private struct Known: Sendable {
        /// What it is tried on; `nil` if that is not known.
        var trigger: Rule.Trigger?
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

    mutating func replay(_ line: RuleLine) {
        latest = []
        switch line.state {
        case .added:
            // In merged logs, several servers add the same rule.
            guard known[line.rule]?.isInForce != true else { return }
            if known.updateValue(Known(trigger: line.trigger), forKey: line.rule) == nil { names.append(line.rule) }
        case .removed: known[line.rule]?.isInForce = false
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

/// An added or removed rule.
struct RuleLine {
    let state: RuleEvent.State
    let rule: String
    /// What it is tried on; `nil` in a log of an earlier version.
    let trigger: Rule.Trigger?

    /// Fails for a state that only a later version knows.
    init?(_ line: RecordedLine) throws(JSONText.Mistake) {
        guard let state = RuleEvent.State(rawValue: try line.text("state")) else { return nil }
        self.state = state
        rule = try line.text("rule")
        trigger = try line.textIfAny("on").flatMap { Rule.Trigger(rawValue: $0) }
    }
}
