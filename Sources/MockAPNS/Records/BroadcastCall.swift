extension MockAPNSServer {
    /// A call about broadcast channels.
    public enum BroadcastCall: String, Sendable, CaseIterable {
        /// Creates a channel.
        case create
        /// Reads the configuration of a channel.
        case read
        /// Deletes a channel.
        case delete
        /// Lists the channels of an app.
        case list
        /// Publishes a push to a channel.
        case publish
    }
}
