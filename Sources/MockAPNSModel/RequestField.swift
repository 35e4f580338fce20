extension MockAPNSWords {
    /// A field of a request that conditions can test, named as in a scenario's `when`.
    public enum RequestField: String, MockAPNSWord {
        /// The device's name.
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
        /// `apns-unique-id` of the answer; known after the decision.
        case uniqueID
        /// `apns-expiration`, seconds since 1970.
        case expiration
        /// `kid` of the provider token.
        case keyID
        /// `iss` of the provider token.
        case teamID
        /// The text of the body.
        case body
        /// The length of the body.
        case payloadBytes
        /// The number of the connection, 1 for the first in the run.
        case connection
        /// The number of the request on its connection, 1 for the first.
        case requestOnConnection
        /// The number of its provider token among the distinct ones of its connection, 1 for the first.
        case providerToken
        /// Number of open streams on the connection, including its own.
        case inFlight
        /// The server name from the TLS ClientHello.
        case serverName
        /// The sender: `provider`, or `admin` for a push of the admin API.
        case sentBy
        /// The call about broadcast channels; without a condition on it, only pushes to devices match.
        case call
        /// The id of the broadcast channel, or its name in the scenario.
        case channel
        /// `apns-request-id` of a call about broadcast channels, the provider's or the server's.
        case requestID
        /// The status of the answer; known after the decision.
        case status
        /// The reason for a rejection; known after the decision.
        case reason
        /// The outcome; known after the decision.
        case outcome
        /// The source of the decision; known after it.
        case decidedBy
        /// The delivery status of the push; known after the decision.
        case delivery
    }
}
