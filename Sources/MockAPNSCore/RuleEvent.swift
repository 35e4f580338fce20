/// The event `rule` of the log: a rule was added or removed while the server runs.
public struct RuleEvent: Sendable {
    /// What happened.
    public enum State: String, Sendable {
        /// It is tried before all others from now on.
        case added
        /// It is tried no more.
        case removed
    }

    /// What happened.
    public var state: State
    /// When, by the scenario's clock.
    public var clock: Timestamp
    /// The rule's name.
    public var rule: String

    /// Appends the line of the log, with its line feed.
    public func appendLine(at time: Timestamp, to output: inout [UInt8]) {
        output.append(contentsOf: #"{"event":"rule","time":"#.utf8)
        output.appendJSON(time)
        output.append(contentsOf: #","clock":"#.utf8)
        output.appendJSON(clock)
        output.append(contentsOf: #","rule":"#.utf8)
        output.appendJSON(rule)
        output.append(contentsOf: #","state":"#.utf8)
        output.appendJSON(state.rawValue)
        output.append(contentsOf: "}\n".utf8)
    }
}

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

extension Rule {
    /// The same rule, with devices that it names by their places in a list named by their names.
    ///
    /// A rule that is read by itself may name devices that were declared after the scenario began, so that its places
    /// are not those of the scenario's list.
    public func naming(_ devices: [DeclaredDevice]) -> Rule {
        var rule = self
        rule.match.conditions = match.conditions.map { condition in
            guard case .device(let places) = condition else { return condition }
            let names = places.compactMap { devices[$0].name.map { ValueMatcher.text(Array($0.utf8)) } }
            return .field(.device, names.count == 1 ? names[0] : .anyOf(names))
        }
        return rule
    }
}
