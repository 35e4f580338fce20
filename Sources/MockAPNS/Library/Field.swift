extension MockAPNSServer {
    /// A field of a request that can be asked about, in the words of a scenario's `when`.
    public enum Field: String, Sendable, CaseIterable {
        /// What the scenario calls the device.
        case device
        /// The device token, in hexadecimal digits of either case.
        case token
        /// `apns-topic`.
        case topic
        /// `apns-push-type`.
        case pushType
        /// `apns-priority`.
        case priority
        /// `apns-collapse-id`.
        case collapseID
        /// `apns-id`, the provider's or the server's.
        case apnsID
        /// `apns-expiration`, seconds since 1970.
        case expiration
        /// `kid` of the provider token.
        case keyID
        /// `iss` of the provider token.
        case teamID
        /// The body's text.
        case body
        /// The body's length.
        case payloadBytes
        /// The number of the connection, 1 for the first of the run.
        case connection
        /// Which request of its connection it is, 1 for the first.
        case requestOnConnection
        /// Which different provider token of its connection it has, 1 for the first.
        case providerToken
        /// Streams of the connection that are open, its own included.
        case inFlight
        /// The server name in the TLS greeting.
        case serverName
        /// Who sent it: `provider`, or `admin` for a push of the admin API.
        case sentBy
        /// The status of the answer; known once it is decided.
        case status
        /// Why not 200; known once it is decided.
        case reason
        /// What the server did; known once it is decided.
        case outcome
        /// What decided; known once it is decided.
        case decidedBy
        /// What became of the push; known once it is decided.
        case delivery
    }
}
