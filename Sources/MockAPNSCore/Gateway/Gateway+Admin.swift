/// Pushes sent through the admin API.
extension Gateway {
    /// Decides about a push from the admin API with the same rules, checks and devices as a provider's push. Rule
    /// actions on its stream or connection are only recorded, and nothing is delayed.
    ///
    /// - Parameter isSandbox: whether it is sent in the sandbox; `nil` for the server's environment.
    package mutating func receiveFromAdmin(
        _ request: consuming ParsedRequest, bytes: Span<UInt8>, isSandbox: Bool? = nil, at now: Moment
    ) {
        let isSandbox = isSandbox ?? configuration.environment.isSandbox(serverName: nil)
        _ = connections.beginAdmin(ConnectionFacts(), isSandbox: isSandbox, at: now.real)
        defer { connections.endAdmin() }
        let decision = receive(request, bytes: bytes, on: Connections.adminID, at: now)
        guard let response = decision.response, log.open.records.last?.outcome == .delayed else { return }
        // The push may have moved the clock.
        end(response, as: response.plan.outcome, latencyMicroseconds: nil, at: clock.time(at: now.real))
    }
}
