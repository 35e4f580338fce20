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
    /// The seed, which reproduces the random choices of the run.
    package var seed: UInt64

    /// Appends the log line, with its line feed.
    package func appendLine(at time: Timestamp, to output: inout [UInt8]) {
        output.beginEvent("scenario", at: time, clock: clock)
        output.append(contentsOf: #","scenario":"#.utf8)
        output.appendJSON(scenario)
        output.append(contentsOf: #","state":"#.utf8)
        output.appendJSON(state.rawValue)
        output.append(contentsOf: ",\"seed\":\(seed)}\n".utf8)
    }
}
