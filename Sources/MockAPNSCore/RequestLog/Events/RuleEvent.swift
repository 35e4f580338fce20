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
    /// The trigger that it is tried on; `nil` in a log of an earlier version.
    package var trigger: RuleTrigger?
    /// A rule that was added, as it was written; `nil` in a log of an earlier version.
    package var definition: JSONText.Value?
}

// MARK: The JSON line

extension RuleEvent: LogEventBody {
    func appendMembers(to line: inout [UInt8]) {
        line.appendMember("clock", clock)
        line.appendMember("rule", rule)
        line.appendMember("on", trigger?.rawValue)
        line.appendMember("state", state.rawValue)
        if let definition { line.appendMember("definition", definition) }
    }

    /// Fails for a state that only a later version knows.
    init?(_ line: RecordedLine) throws(JSONText.Mistake) {
        guard let state = State(rawValue: try line.text("state")) else { return nil }
        self.init(
            state: state, clock: try line.clock, rule: try line.text("rule"),
            trigger: try line.textIfAny("on").flatMap { RuleTrigger(rawValue: $0) },
            definition: line.memberIfAny("definition")?.value)
    }
}
