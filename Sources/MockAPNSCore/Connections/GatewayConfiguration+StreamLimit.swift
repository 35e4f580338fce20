extension GatewayConfiguration {
    /// Returns the stream limit for a new connection: the full limit if the client has a certificate.
    package func initialStreamLimit(for facts: ConnectionFacts) -> Int {
        facts.clientCertificate == nil ? connection.beforeAuthentication : connection.maxConcurrentStreams
    }
}
