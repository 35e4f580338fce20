/// The event `rule` of the log: a rule was added or removed while the server runs.
package struct RuleEvent: Sendable {
    /// What happened.
    package enum State: String, Sendable {
        /// It is tried before all others from now on.
        case added
        /// It is tried no more.
        case removed
    }

    /// What happened.
    package var state: State
    /// When, by the scenario's clock.
    package var clock: Timestamp
    /// The rule's name.
    package var rule: String

    /// Appends the line of the log, with its line feed.
    package func appendLine(at time: Timestamp, to output: inout [UInt8]) {
        output.beginEvent("rule", at: time, clock: clock)
        output.append(contentsOf: #","rule":"#.utf8)
        output.appendJSON(rule)
        output.append(contentsOf: #","state":"#.utf8)
        output.appendJSON(state.rawValue)
        output.append(contentsOf: "}\n".utf8)
    }
}
