/// The log event `channel`: a broadcast channel was created or deleted, by a provider, a scenario or the API.
package struct ChannelEvent: Sendable {
    /// The kind of change.
    package enum State: String, Sendable {
        /// The channel was created.
        case created
        /// The channel was deleted, for good.
        case deleted
    }

    /// The kind of change.
    package var state: State
    /// The time on the scenario's clock.
    package var clock: Timestamp
    /// The channel.
    package var channel: BroadcastChannel

    /// Appends the log line, with its line feed.
    package func appendLine(at time: Timestamp, to output: inout [UInt8]) {
        output.beginEvent("channel", at: time, clock: clock)
        output.append(contentsOf: #","channel":"#.utf8)
        output.appendJSON(channel.id.description)
        output.append(contentsOf: #","name":"#.utf8)
        output.appendJSON(channel.name)
        output.append(contentsOf: #","topic":"#.utf8)
        output.appendJSON(channel.topic)
        output.append(contentsOf: #","environment":"\#(channel.environment)","state":"#.utf8)
        output.appendJSON(state.rawValue)
        output.append(contentsOf: "}\n".utf8)
    }
}
