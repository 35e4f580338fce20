/// The heart: what APNs decides about each request, and what it remembers.
///
/// It has no clock, no randomness of its own and no lock; the server holds it in a lock and takes that once for each batch
/// of requests.
///
/// ```swift
/// let connection = gateway.openConnection(facts, at: now)
/// let decision = gateway.receive(request, bytes: bytes, on: connection, providerToken: token, at: Moment(real: now))
/// ```
public struct Gateway: ~Copyable {
    /// What the gateway was told.
    public private(set) var configuration: GatewayConfiguration
    /// Moves whenever remembered provider tokens have to be read again, as after ``configure(_:)``.
    public private(set) var authenticationGeneration = 0
    /// The connections, open and lately closed.
    public private(set) var connections = Connections()

    private var random: SeededRandom
    private var judge = ProviderTokenJudge()
    private var tokens = ProviderTokenCache()

    /// A gateway that has seen nothing yet.
    public init(_ configuration: GatewayConfiguration, startedAt: Timestamp) {
        self.configuration = configuration
        random = SeededRandom(seed: configuration.seed)
    }

    // MARK: Connections

    /// Takes note of a new connection and gives it its number, 1 for the first. Its stream limit to begin with is
    /// ``GatewayConfiguration/initialStreamLimit(for:)``.
    public mutating func openConnection(_ facts: ConnectionFacts, at now: Timestamp) -> Int {
        let limit = configuration.initialStreamLimit(for: facts)
        return connections.open(
            facts, at: now, isSandbox: configuration.environment.isSandbox(serverName: facts.serverName),
            hasFullLimit: limit == configuration.connection.maxConcurrentStreams)
    }

    /// Takes note of a connection's end.
    public mutating func closeConnection(
        _ id: Int, by closedBy: ClosedBy, counters: ConnectionCounters, at now: Timestamp
    ) {
        connections.close(id, by: closedBy, counters: counters, at: now)
    }

    /// Takes note of what the transport counted on an open connection, before somebody looks at ``connections``.
    public mutating func updateConnection(_ id: Int, counters: ConnectionCounters) {
        connections.update(id, counters: counters)
    }

    // MARK: Provider tokens

    /// The provider token that was remembered for that value of `authorization`, byte for byte.
    public func rememberedToken(_ authorization: Span<UInt8>) -> ProviderToken? { tokens.find(authorization) }

    /// Remembers a provider token, good or not; the oldest of 1024 make room.
    public mutating func remember(_ token: ProviderToken) { tokens.insert(token) }

    // MARK: Configuration

    /// Takes a new configuration; what was recorded stays. Provider tokens have to be read again, because keys may be
    /// others now.
    public mutating func configure(_ configuration: GatewayConfiguration) {
        self.configuration = configuration
        tokens.removeAll()
        authenticationGeneration += 1
    }

    // MARK: Requests

    /// Decides about one request, and records it.
    ///
    /// - Parameters:
    ///   - request: what the transport knows about it.
    ///   - bytes: its header fields, then the stored part of its body.
    ///   - connection: the number that ``openConnection(_:at:)`` gave.
    ///   - providerToken: what was made of the `authorization` field; `nil` when there is none, or no bearer token in it.
    ///   - now: the time of the decision.
    public mutating func receive(
        _ request: RequestFacts, bytes: Span<UInt8>, on connection: Int, providerToken: ProviderToken?, at now: Moment
    ) -> Decision {
        Decision(answer: nil, streamLimit: nil)
    }
}
