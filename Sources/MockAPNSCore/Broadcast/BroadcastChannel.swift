/// A broadcast channel of an app in one environment.
package struct BroadcastChannel: Sendable {
    /// Its id, as in `apns-channel-id`.
    package let id: ChannelID
    /// Its name in the scenario, if it has one.
    package var name: String?
    /// The bundle id of its app.
    package let topic: String
    /// Whether it belongs to the sandbox.
    package let isSandbox: Bool
    /// Which of its pushes are stored.
    package let policy: ChannelStorage
    /// When it was created, by the scenario's clock.
    package let createdAt: Timestamp
    /// When it was deleted, by the scenario's clock; `nil` while it exists.
    package internal(set) var deletedAt: Timestamp?

    /// Its environment, as scenarios write it.
    package var environment: String { isSandbox ? "sandbox" : "production" }

    /// Returns the channel as the API shows it.
    package func json(_ figures: ChannelFigures) -> [UInt8] {
        var json = Array(#"{"name":"#.utf8)
        json.appendJSON(name)
        json.append(contentsOf: #","channelID":"#.utf8)
        json.appendJSON(id.description)
        json.append(contentsOf: #","topic":"#.utf8)
        json.appendJSON(topic)
        json.append(contentsOf: #","environment":"\#(environment)","storage":"\#(policy.name)","createdAt":"#.utf8)
        json.appendJSON(createdAt)
        json.append(contentsOf: #","published":\#(figures.published)"#.utf8)
        json.append(
            contentsOf: #","delivered":\#(figures.delivered),"subscribers":\#(figures.subscribers),"stored":"#.utf8)
        json.append(contentsOf: (figures.stored.map { "\($0)" } ?? "null").utf8)
        json.append(UInt8(ascii: "}"))
        return json
    }
}
