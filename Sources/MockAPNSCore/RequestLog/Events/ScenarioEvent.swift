/// The log event `scenario`: a scenario begins.
package struct ScenarioEvent: Sendable {
    /// Why the scenario begins.
    package enum State: String, Sendable {
        /// The server started. This is the first event of its run, even without a scenario.
        case started
        /// The scenario replaces another while the server runs.
        case played
    }

    /// Why the scenario begins.
    package var state: State
    /// The time on the scenario's clock at its beginning.
    package var clock: Timestamp
    /// The name of the scenario; `nil` if it has none or there is no scenario.
    package var scenario: String?
    /// The seed, which reproduces the random choices of the run; `nil` in a log that does not have it.
    package var seed: UInt64?
}

// MARK: The JSON line

extension ScenarioEvent: LogEventBody {
    func appendMembers(to line: inout [UInt8]) {
        line.appendMember("clock", clock)
        line.appendMember("scenario", scenario)
        line.appendMember("state", state.rawValue)
        line.append(contentsOf: #","seed":\#(seed.map(String.init) ?? "null")"#.utf8)
    }

    /// Fails for a state that only a later version knows.
    init?(_ line: RecordedLine) throws(JSONText.Mistake) {
        guard let state = State(rawValue: try line.text("state")) else { return nil }
        self.init(
            state: state, clock: try line.clock, scenario: try line.textIfAny("scenario"), seed: line.seed)
    }
}
