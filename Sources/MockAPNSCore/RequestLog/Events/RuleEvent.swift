/// The log event `rule`: a rule was added or removed while the server runs.
package struct RuleEvent: Sendable {
    /// The kind of change.
    package enum State: String, Sendable {
        /// The rule was added, and is tried before all others from now on.
        case added
        /// The rule was removed.
        case removed
    }

    /// The kind of change.
    package var state: State
    /// The time on the scenario's clock.
    package var clock: Timestamp
    /// The name of the rule.
    package var rule: String
    /// What it is tried on.
    package var trigger: Rule.Trigger

    /// Appends the log line, with its line feed.
    package func appendLine(at time: Timestamp, to output: inout [UInt8]) {
        output.beginEvent("rule", at: time, clock: clock)
        output.append(contentsOf: #","rule":"#.utf8)
        output.appendJSON(rule)
        output.append(contentsOf: #","on":"#.utf8)
        output.appendJSON(trigger.rawValue)
        output.append(contentsOf: #","state":"#.utf8)
        output.appendJSON(state.rawValue)
        output.append(contentsOf: "}\n".utf8)
    }
}
