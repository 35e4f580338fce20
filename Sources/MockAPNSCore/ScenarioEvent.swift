/// The event `scenario` of the log: another scenario takes the place of the one before, while the server runs.
public struct ScenarioEvent: Sendable {
    /// Where the scenario's clock stands at its beginning.
    public var clock: Timestamp
    /// What the scenario is called.
    public var scenario: String?

    /// What happened: the value of `state`.
    static let state = "played"

    /// Appends the line of the log, with its line feed.
    public func appendLine(at time: Timestamp, to output: inout [UInt8]) {
        output.append(contentsOf: #"{"event":"scenario","time":"#.utf8)
        output.appendJSON(time)
        output.append(contentsOf: #","clock":"#.utf8)
        output.appendJSON(clock)
        output.append(contentsOf: #","scenario":"#.utf8)
        output.appendJSON(scenario)
        output.append(contentsOf: #","state":"#.utf8)
        output.appendJSON(Self.state)
        output.append(contentsOf: "}\n".utf8)
    }
}
