/// Broadcast channels that are created and deleted by other means than the calls of a provider. ``takeEffects()`` reports
/// each change.
extension Gateway {
    /// Creates a channel.
    ///
    /// - Parameter now: the time on the scenario's clock.
    /// - Returns: `nil` if a channel with its name exists, or one with its id exists or existed, or there are too many.
    package mutating func declare(_ channel: DeclaredChannel, at now: Timestamp) -> BroadcastChannel? {
        let name = channel.name.isEmpty ? nil : channel.name
        if let name, let number = state.channels.number(named: name), state.channels[number]?.deletedAt == nil {
            return nil
        }
        declaredChannels += 1
        let new = BroadcastChannel(
            id: channel.id ?? ids.channelID(ofDeclared: declaredChannels - 1), name: name, topic: channel.topic,
            isSandbox: channel.isSandbox ?? configuration.environment.isSandbox(serverName: nil),
            policy: channel.policy, createdAt: now)
        guard state.channels.admits(new) else { return nil }
        record(.channel(ChannelEvent(state: .created, clock: now, channel: new)))
        return new
    }

    /// Returns the channel with this number.
    package func channel(_ number: Int) -> BroadcastChannel? { state.channels[number] }

    /// Returns the figures of the channel with this number at a time of the scenario's clock.
    package func figures(ofChannel number: Int, at now: Timestamp) -> ChannelFigures {
        state.subscriptions.figures(of: number, at: now)
    }

    /// Deletes the channel with this number for good.
    ///
    /// - Parameter now: the time on the scenario's clock.
    package mutating func delete(channel number: Int, at now: Timestamp) {
        guard let channel = state.channels[number] else { return }
        record(.channel(ChannelEvent(state: .deleted, clock: now, channel: channel)))
    }

    /// Turns the broadcast capability of an app on or off. Turning it off deletes all its channels.
    mutating func turnBroadcast(_ isOn: Bool, for topic: String, at now: Timestamp) {
        setBroadcast(isOn, for: topic)
        guard !isOn else { return }
        for number in state.channels.numbers(of: topic) { delete(channel: number, at: now) }
    }
}
