extension MockAPNSWords {
    /// The event that a rule applies to.
    public enum RuleTrigger: String, MockAPNSWord {
        /// A request that was read completely.
        case push
        /// The start of a connection's TLS handshake.
        case connect
        /// A PING frame.
        case ping
        /// A push published to a broadcast channel.
        case broadcast
        /// A call that creates, reads, deletes or lists broadcast channels.
        case channels
    }
}
