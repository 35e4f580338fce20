import Logging
import MockAPNSCore
import MockAPNSTransport
import NIOCore
import Synchronization

/// What all connections of one server share: the gateway under its lock, the keys and certificates, the log's file.
final class Engine: Sendable {
    /// What is read from files, and read again at SIGHUP.
    struct Trust: Sendable {
        var identity: Identity
        var tls: TLSContext
        /// The known signing keys, by key id.
        var keys: [String: ES256PublicKey]
        /// Whether a token's signature is verified at all.
        var verifies: Bool
    }

    let gateway: Guarded<Gateway>
    let connections = OpenConnections()
    let logger: Logger
    private let trust: Guarded<Trust>
    /// How often the trust was replaced: what a connection remembers of its provider token holds for one number.
    let trustVersion = Atomic(0)
    let logFile: LogFile?

    init(
        gateway: consuming sending Gateway, trust: Trust, logFile: LogFile?, logger: Logger
    ) {
        self.gateway = Guarded(gateway)
        self.trust = Guarded(trust)
        self.logFile = logFile
        self.logger = logger
    }

    var tls: TLSContext { trust.withLock { $0.tls } }

    var identity: Identity { trust.withLock { $0.identity } }

    /// From now on new connections and new provider tokens are judged by these keys and certificates.
    func replace(_ new: Trust) {
        trust.withLock { $0 = new }
        gateway.withLock { $0.forgetTokens() }
        trustVersion.add(1, ordering: .releasing)
    }

    // MARK: Connections

    /// Takes note of a connection; what it begins with, and after which time without a frame it counts as idle.
    func openConnection(
        _ facts: ConnectionFacts, channel: any Channel
    ) -> (opening: Opening, settings: HTTP2Session.Settings, idleAfter: TimeAmount?) {
        let now = WallClock.now()
        return gateway.withLock { gateway in
            let opening = gateway.open(facts, at: now)
            connections.add(channel, number: opening.number)
            if let connection = gateway.connections[opening.number] {
                writeLog(&gateway) { log, _ in log.write { ConnectionEvent.appendOpened(connection, to: &$0) } }
            }
            let rules = gateway.configuration.connection
            let settings = HTTP2Session.Settings(rules, streamLimit: opening.streamLimit)
            return (opening, settings, rules.idle.map { .milliseconds($0.after) })
        }
    }

    /// What to do to a connection that has been idle for too long.
    func idled(_ number: Int) -> [ConnectionAction] { gateway.withLock { $0.idled(number) } }

    /// The limit of streams to announce when another has held for its time.
    func restoreStreamLimit(on number: Int) -> Int? { gateway.withLock { $0.restoreStreamLimit(on: number) } }

    func updateConnection(_ number: Int, counters: ConnectionCounters) {
        gateway.withLock { $0.updateConnection(number, counters: counters) }
    }

    func closeConnection(_ number: Int, by closer: ClosedBy, counters: ConnectionCounters) {
        let now = WallClock.now()
        gateway.withLock { gateway in
            gateway.closeConnection(number, by: closer, counters: counters, at: now)
            guard let connection = gateway.connections[number] else { return }
            writeLog(&gateway) { log, _ in log.write { ConnectionEvent.appendClosed(connection, to: &$0) } }
        }
    }

    /// Says why a client did not get through its handshake: mostly it does not trust the authority.
    func handshakeFailed(
        _ error: OpenSSLError, certificate: TLSFacts.ClientVerification, remoteAddress: SocketAddress?
    ) {
        let client = HostText.withPort(remoteAddress)
        var advice = Self.advice(error)
        if case .unverified(_, let reason) = certificate { advice = " The client's certificate is refused: \(reason)." }
        logger.warning("The TLS handshake with \(client) failed: \(error).\(advice)")
    }

    private static func advice(_ error: OpenSSLError) -> String {
        switch error.alertReceived {
        case 42, 46, 48: " The client does not trust this server: let it trust the authority, ca.pem."
        case 70: " The client asks for a version of TLS below 1.2."
        default: ""
        }
    }

    // MARK: Requests

    /// Decides a batch under one lock, and writes its records before any of its answers leaves.
    func decide(
        _ requests: [ReceivedRequest], tokens: [ProviderToken?], on connection: Int, arrived: NIODeadline,
        into decisions: inout [Decision]
    ) {
        let now = Moment(real: WallClock.now())
        gateway.withLock { gateway in
            let latency = Int((NIODeadline.now() - arrived).nanoseconds / 1000)
            for index in requests.indices {
                let request = requests[index]
                let facts = RequestFacts(request, latencyMicroseconds: latency)
                decisions.append(
                    gateway.receive(facts, bytes: request.bytes, on: connection, providerToken: tokens[index], at: now))
            }
            writeLog(&gateway) { log, requests in log.write(requests) }
        }
    }

    private func writeLog(_ gateway: inout Gateway, _ write: (LogFile, RequestLog) -> Bool) {
        guard let logFile else { return }
        if !write(logFile, gateway.log) { gateway.countLogWriteError() }
    }

    // MARK: Provider tokens

    /// The token of an `authorization` value that is not its connection's last one: known already, or verified now.
    ///
    /// The signature is checked outside the gateway's lock, since it costs as much as many pushes.
    func providerToken(_ authorization: Span<UInt8>) -> ProviderToken? {
        let (known, generation) = gateway.withLock { ($0.rememberedToken(authorization), $0.authenticationGeneration) }
        if let known { return known }
        let token: ProviderToken
        switch ParsedProviderToken.parse(authorization) {
        case .missing:
            return nil
        case .malformed(let explanation):
            token = ProviderToken(malformed: explanation, authorization: authorization)
        case .parsed(let parsed):
            token = ProviderToken(parsed, authorization: authorization, proof: proof(of: parsed, in: authorization))
        }
        gateway.withLock { gateway in
            // Keys that were replaced meanwhile: the verdict holds for this batch, but not for later ones.
            if gateway.authenticationGeneration == generation { gateway.remember(token) }
        }
        return token
    }

    private func proof(of token: ParsedProviderToken, in authorization: Span<UInt8>) -> ProviderToken.Proof {
        let trust = trust.withLock { $0 }
        guard trust.verifies, let key = trust.keys[token.keyID] else { return .notVerified }
        let signed = authorization.extracting(token.signingInput)
        if key.verify(signature: token.signature.span, of: signed) != nil { return .verified }
        return .refused(
            .invalidProviderToken,
            "The provider token's signature was not made with key \(quoted: token.keyID) over these header and claims; sign with the private key that belongs to this key id."
        )
    }
}
