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
        output.beginEvent("rule", at: time, clock: clock)
        output.append(contentsOf: #","rule":"#.utf8)
        output.appendJSON(rule)
        output.append(contentsOf: #","state":"#.utf8)
        output.appendJSON(state.rawValue)
        output.append(contentsOf: "}\n".utf8)
    }
}
