/// Pushes that the admin API sends, in the server itself.
extension Gateway {
    /// Decides about a push of the admin API, by the same rules, checks and devices as one of a provider. What a rule does
    /// to its stream or its connection is only recorded, and nothing is delayed.
    ///
    /// - Returns: what changed about its record after that was written; mostly nothing.
    package mutating func receiveFromAdmin(
        _ request: consuming ParsedRequest, bytes: Span<UInt8>, at now: Moment
    ) -> RecordChange? {
        let terms = Connection.Terms(
            isSandbox: configuration.environment.isSandbox(serverName: nil), serverName: 0, streamLimit: .max,
            hasFullLimit: true)
        connections.beginAdmin(ConnectionFacts(remoteAddress: "", tlsVersion: nil, cipher: nil), at: now.real, terms)
        defer { connections.endAdmin() }
        let decision = receive(request, bytes: bytes, on: Connections.adminID, at: now)
        guard let response = decision.response, log.open.records.last?.outcome == .delayed else { return nil }
        return end(response, as: response.plan.outcome, latencyMicroseconds: nil)
    }
}
