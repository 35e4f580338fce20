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
}

// MARK: The JSON line

extension ChannelEvent: LogEventBody {
    func appendMembers(to line: inout [UInt8]) {
        line.appendMember("clock", clock)
        line.appendMember("channel", channel.id.description)
        line.appendMember("name", channel.name)
        line.appendMember("topic", channel.topic)
        line.appendMember("environment", channel.environment)
        line.appendMember("state", state.rawValue)
    }

    /// Fails for a state that only a later version knows. The line does not say which pushes of the channel are stored,
    /// nor when one that is deleted was created.
    init?(_ line: RecordedLine) throws(JSONText.Mistake) {
        guard let state = State(rawValue: try line.text("state")) else { return nil }
        let clock = try line.clock
        self.init(
            state: state, clock: clock,
            channel: BroadcastChannel(
                id: ChannelID(try line.text("channel")), name: try line.textIfAny("name"),
                topic: try line.textIfAny("topic") ?? "",
                isSandbox: try line.textIfAny("environment") != "production", policy: .none, createdAt: clock))
    }
}
