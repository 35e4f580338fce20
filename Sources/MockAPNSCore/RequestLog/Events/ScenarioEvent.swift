/// The event `scenario` of the log: a scenario is played from its beginning.
package struct ScenarioEvent: Sendable {
    /// What happened.
    package enum State: String, Sendable {
        /// The server has started: the first event of its run, without a scenario, too.
        case started
        /// Another scenario replaces the one before, while the server runs.
        case played
    }

    /// What happened.
    package var state: State
    /// Where the scenario's clock stands at its beginning.
    package var clock: Timestamp
    /// What the scenario is called; `nil` for one without a name, and when there is none.
    package var scenario: String?
    /// Repeats the run's random choices.
    package var seed: UInt64

    /// Appends the line of the log, with its line feed.
    package func appendLine(at time: Timestamp, to output: inout [UInt8]) {
        output.beginEvent("scenario", at: time, clock: clock)
        output.append(contentsOf: #","scenario":"#.utf8)
        output.appendJSON(scenario)
        output.append(contentsOf: #","state":"#.utf8)
        output.appendJSON(state.rawValue)
        output.append(contentsOf: ",\"seed\":\(seed)}\n".utf8)
    }
}
