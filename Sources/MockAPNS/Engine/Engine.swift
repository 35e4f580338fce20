import Logging
import MockAPNSCore
import MockAPNSJudge
import MockAPNSTransport
import NIOCore
import Synchronization

/// The state shared by all connections of one server: the gateway and its lock, the keys and certificates, the log
/// file.
final class Engine: Sendable {
    /// The settings read from files, and read again on SIGHUP.
    struct Trust: Sendable {
        var identity: Identity
        /// The identity without the keys and teams of a scenario.
        var ownIdentity: Identity
        var tls: TLSContext
        /// The known signing keys, by key id.
        var keys: [String: ES256PublicKey]
        /// Whether token signatures are verified.
        var verifies: Bool
        /// Server certificates that no client should trust, made when a rule asks for them.
        var flawedServers: [FlawedServer: ServerIdentity] = [:]
    }

    let gateway: Guarded<Gateway>
    /// The other APNs that answers what no rule decides.
    let relay: RelayTarget?
    let connections = OpenConnections()
    let timeouts: ConnectionTimeouts
    let logger: Logger
    private let warnings: RepeatedWarnings
    /// The session's name; `nil` for the server itself.
    private let session: String?
    let acceptNotice: AcceptNotice
    /// Whether freed memory is about to be returned to the system.
    let givesBackMemory = Atomic(false)
    let trust: Guarded<Trust>
    /// The revoked client certificates issued through the API, by topics.
    let revokedCertificates = Guarded([[String]: RevokedCertificate]())
    /// The number of times the trust was replaced. A connection's cached provider token is valid for one version.
    let trustVersion = Atomic(0)
    let adminTokenInUse = Guarded<AdminToken?>(nil)
    let waiting = Waiting()
    /// The events that streams report in addition to requests; changed only under the gateway's lock.
    let events: Guarded<LatestEvents>
    /// Whether the results of expectations that ended early will be asked for.
    let keepsEarlierResults: Bool
    /// Whether requests are linted before the run goes on without them.
    let lintsRun: Bool
    let earlierResults = Guarded(EarlierResults())
    /// Hands pushes on to all replicas of a fleet, which decide them in one order; `nil` without a fleet.
    let ordering = Guarded<(@Sendable ([OrderedPush]) -> Void)?>(nil)
    /// The pushes that wait for that order, by their ids.
    let postponed = Guarded<[Int: PostponedPush]>([:])
    let timers: Timers
    /// The gate for all work that needs the event loops.
    let gate: Gate
    private let logFile: LogFile?
    private let timer: DueTimer
    /// Whether each rejection is logged.
    let logsRejections: Bool

    init(
        gateway: consuming sending Gateway, trust: Trust, _ shared: SessionSharedParts, configuration: Configuration
    ) {
        keepsEarlierResults = configuration.keepsEarlierResults
        lintsRun = configuration.lintsRun
        // A replica's events wait for the fleet's engine, as requests do.
        let eventLimit = configuration.replica == nil ? 0 : configuration.logLimit
        events = Guarded(LatestEvents(limit: max(LatestEvents.defaultLimit, eventLimit)))
        timeouts = configuration.timeouts
        gate = shared.gate
        timers = shared.timers
        timer = DueTimer(timers)
        self.gateway = Guarded(gateway)
        relay = shared.relay
        self.trust = Guarded(trust)
        logFile = shared.logFile
        logger = shared.logger
        warnings = shared.warnings
        session = configuration.session
        acceptNotice = AcceptNotice(logger: logger)
        logsRejections = logger.logLevel <= .debug
    }

    var tls: TLSContext { trust.withLock { $0.tls } }

    var identity: Identity { trust.withLock { $0.identity } }

    /// Replaces the keys and certificates for new connections and new provider tokens.
    func replace(_ new: Trust) throws(StartError) {
        try trust.withLock { trust throws(StartError) in
            var new = new
            do {
                // Some may have been issued since it was read.
                try new.revoke(revokedSerials)
            } catch { throw .unavailable("The certificates cannot be used: \(error).") }
            trust = new
        }
        gateway.withLock { $0.forgetTokens() }
        trustVersion.add(1, ordering: .releasing)
    }

    /// Logs a warning that clients can cause.
    func warn(_ kind: RepeatedWarnings.Kind, _ message: String) {
        warnings.warn(kind, session.map { SessionLogHandler.message(message, of: $0) } ?? message)
    }

    // MARK: The gateway

    /// The work that remains after a transaction on the gateway.
    struct Transaction {
        /// The real time.
        let real: Timestamp
        fileprivate var orders: [ConnectionOrder] = []
        /// Pattern events to be logged.
        fileprivate var patterns: [PatternEvent] = []

        fileprivate init(real: Timestamp) { self.real = real }

        /// Records effects: their lines go to the log, their orders to the connections.
        mutating func note(_ effects: [GatewayEffect], _ lines: inout LogLines) {
            for effect in effects {
                switch effect {
                case .event(let event): lines.append(event, at: real)
                case .connections(let orders): self.orders += orders
                case .pattern(let event): patterns.append(event)
                }
            }
        }
    }

    /// Runs a transaction on the gateway under its lock, after everything that is due by now. On return the lines are
    /// written; the loops of the connections carry out orders afterwards.
    func transact<Result: Sendable>(
        _ body: (inout Gateway, inout LogLines, inout Transaction) -> Result
    ) -> Result {
        proceed(body).result
    }

    /// Like ``transact(_:)``, but returns when the connections have carried out their orders.
    func transactAndSettle<Result: Sendable>(
        _ body: (inout Gateway, inout LogLines, inout Transaction) -> Result
    ) async -> Result {
        let (result, channels) = proceed(body)
        await gate.use { await OpenConnections.settle(channels) }
        return result
    }

    private func proceed<Result: Sendable>(
        _ body: (inout Gateway, inout LogLines, inout Transaction) -> Result
    ) -> (result: Result, ordered: [any Channel]) {
        var transaction = Transaction(real: WallClock.now())
        var woken: [(id: Int, end: Waiting.End)] = []
        let (result, isLogDue) = gateway.withLock { gateway in
            defer {
                woken = Self.takeWoken(&gateway)
                // Under the lock, so that the loop with the newer information comes last.
                let due = gateway.nextDue
                if timer.isSet(otherThan: due) { timer.set(due) { [weak self] in self?.transact { _, _, _ in } } }
            }
            return collect(&gateway) { gateway, lines in
                // When the server starts; later, nothing is left over here.
                if gateway.hasEffects { transaction.note(gateway.takeEffects(), &lines) }
                if let due = gateway.nextDue, due <= transaction.real {
                    transaction.note(gateway.advance(to: transaction.real), &lines)
                }
                let result = body(&gateway, &lines, &transaction)
                if gateway.hasEffects { transaction.note(gateway.takeEffects(), &lines) }
                return result
            }
        }
        if isLogDue { count(lostLines: logFile?.write()) }
        let orders = transaction.orders
        let channels = orders.isEmpty ? nil : gate.use { connections.deliver(orders) }
        for (id, end) in woken { waiting.end(id, end) }
        for event in transaction.patterns { logger.warning("\(event)") }
        return (result, channels ?? [])
    }

    /// Returns the waits that are over, with the current log.
    private static func takeWoken(_ gateway: inout Gateway) -> [(id: Int, end: Waiting.End)] {
        let woken = gateway.takeWoken()
        guard !woken.isEmpty else { return [] }
        let log = gateway.log.snapshot
        return woken.map { wait in (wait.id, wait.found.map { .found($0, log) } ?? .lookAgain) }
    }

    private func collect<Result: Sendable>(
        _ gateway: inout Gateway, _ body: (inout Gateway, inout LogLines) -> Result
    ) -> (result: Result, isLogDue: Bool) {
        func proceed(_ lines: inout LogLines) -> Result {
            lines.begin(after: gateway.log.latestSequence)
            let result = body(&gateway, &lines)
            let others = lines.takeEvents()
            if !others.isEmpty { events.withLock { kept in for event in others { kept.append(event) } } }
            return result
        }
        guard let logFile else {
            var none = LogLines(isKept: false)
            return (proceed(&none), false)
        }
        let (result, isDue) = logFile.collect { proceed(&$0) }
        return (result, isDue)
    }

    // MARK: The log file

    /// Writes the lines that were held back.
    func releaseLog() { count(lostLines: logFile?.release()) }

    /// Reopens the log file.
    func reopenLog() {
        let lost = logFile?.reopen { now in
            gateway.withLock { gateway in
                now()
                return gateway.continuation
            }
        }
        count(lostLines: lost)
    }

    /// Writes the remaining lines and closes the log file.
    func closeLog() { count(lostLines: logFile?.close()) }

    /// The loss of lines in the log file.
    var logLoss: LogLoss? { logFile?.loss }

    private func count(lostLines: Int?) {
        guard let lostLines, lostLines > 0 else { return }
        gateway.withLock { $0.countLogWriteErrors(lostLines) }
    }

    // MARK: Connections

    /// Records a new connection; returns how it starts, and after how long without a frame it counts as idle.
    ///
    /// - Parameter decision: what the rules on connections decided, if there are any.
    func openConnection(
        _ facts: ConnectionFacts, after decision: ConnectDecision?, channel: any Channel
    ) -> (opening: OpeningInstructions, settings: HTTP2Session.Settings, idleAfter: TimeAmount?) {
        transact { gateway, _, transaction in
            let opening = gateway.open(facts, after: decision, at: transaction.real)
            connections.add(channel, id: opening.id)
            let rules = gateway.configuration.connection
            var settings = HTTP2Session.Settings(rules, streamLimit: opening.streamLimit)
            if relay != nil { settings.storedBodyLimit = RelayTarget.bodyLimit }
            return (opening, settings, rules.idle.map { .milliseconds($0.after) })
        }
    }

    /// Returns what to do to a connection that has been idle for too long.
    func idled(_ connection: Int) -> [ConnectionAction] { gateway.withLock { $0.idled(connection) } }

    /// Returns what to do to a connection when the server stops.
    func shutDown(_ connection: Int, lastStream: Int32) -> [ConnectionAction] {
        gateway.withLock { $0.shutDown(connection, lastStream: lastStream) }
    }

    /// Returns the stream limit to announce when a temporary one has run out.
    func restoreStreamLimit(on connection: Int) -> Int? { gateway.withLock { $0.restoreStreamLimit(on: connection) } }

    /// Returns whether a PING is acknowledged.
    func acknowledgesPing(on connection: Int, inFlight: Int) -> Bool {
        gateway.withLock { $0.ping(on: connection, inFlight: inFlight) }
    }

    func updateConnection(_ connection: Int, counters: ConnectionCounters) {
        gateway.withLock { $0.updateConnection(connection, counters: counters) }
    }

    func closeConnection(_ connection: Int, by closer: ClosedBy, explanation: String?, counters: ConnectionCounters) {
        transact { gateway, _, transaction in
            gateway.closeConnection(
                connection, by: closer, explanation: explanation, counters: counters, at: transaction.real)
        }
    }

    /// Records a connection whose TLS handshake failed; returns its id.
    func noteFailedHandshake(
        _ facts: ConnectionFacts, after decision: ConnectDecision?, by closer: ClosedBy, explanation: String,
        counters: ConnectionCounters
    ) -> Int {
        transact { gateway, _, transaction in
            gateway.noteFailedHandshake(
                facts, after: decision, by: closer, explanation: explanation, counters: counters,
                at: transaction.real)
        }
    }

    // MARK: Requests

    /// The requests completed by one read from a connection's socket.
    struct Batch {
        let requests: [ReceivedRequest]
        /// The id of the connection in the gateway.
        let connection: Int
        /// When the requests were read.
        let arrived: NIODeadline
    }

    /// Decides a batch under one lock, and writes its records before any of its answers is sent.
    ///
    /// - Parameter parsed: the parsed requests, the last one first; empty afterwards.
    /// - Returns: those that wait for the fleet's order; their decisions are empty.
    func decide(
        _ batch: Batch, _ parsed: inout [ParsedRequest], into decisions: inout [Decision]
    ) -> [OrderedPush] {
        let (refused, adminCaller, waiting) = transact { gateway, lines, transaction in
            let first = gateway.log.latestSequence + 1
            var now = gateway.moment(at: transaction.real)
            let latency = Int((NIODeadline.now() - batch.arrived).nanoseconds / 1000)
            for received in batch.requests {
                guard !parsed.isEmpty else { break }
                parsed[parsed.count - 1].facts.latencyMicroseconds = latency
                decisions.append(
                    gateway.receive(parsed.removeLast(), bytes: received.bytes, on: batch.connection, at: now))
                lines.appendRequests(of: gateway.log)
                if gateway.hasEffects {
                    transaction.note(gateway.takeEffects(), &lines)
                    now = gateway.moment(at: transaction.real)
                }
            }
            return (
                logsRejections ? (first, gateway.log.snapshot) : nil, gateway.takeAdminCaller(), gateway.takePostponed()
            )
        }
        if !waiting.isEmpty, relay == nil { submit(waiting, arrived: batch.arrived) }
        if let adminCaller { warnOfAdminCall(on: adminCaller) }
        if let (first, log) = refused { logRefusals(in: log, from: first) }
        return waiting
    }

    /// Handles the end of an answer's delay. Returns what to do in addition to sending it; `nil` if the connection has
    /// closed.
    func due(_ response: PlannedResponse, arrived: NIODeadline) -> [ConnectionAction]? {
        transact { gateway, _, transaction in
            let latency = Int((NIODeadline.now() - arrived).nanoseconds / 1000)
            return gateway.due(
                response, latencyMicroseconds: latency, at: gateway.moment(at: transaction.real).clock)
        }
    }

    /// Records that a delayed answer will never be sent.
    func abandon(_ response: PlannedResponse, as outcome: Outcome) {
        transact { gateway, _, transaction in
            gateway.abandon(response, as: outcome, at: gateway.moment(at: transaction.real).clock)
        }
    }

    /// Changes the records of answers on a connection that were not sent as they were decided.
    func noteUnsent(_ answers: [UnsentAnswer], on connection: Int) {
        transact { gateway, _, transaction in
            gateway.noteUnsent(answers, on: connection, at: gateway.moment(at: transaction.real).clock)
        }
    }

    // MARK: Provider tokens

    /// The time by which provider tokens are judged now.
    var timeOfProviderTokens: Timestamp { gateway.withLock { $0.timeOfProviderTokens(at: WallClock.now()) } }

    /// Returns the token for an `authorization` value that differs from the last one on its connection, from the cache
    /// or newly verified.
    ///
    /// The signature is verified outside the gateway's lock, since that takes as long as many pushes.
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
            // If the keys were replaced meanwhile, the verdict holds for this batch but not for later ones.
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
            "The provider token's signature was not made with key \(quoted: token.keyID) over this header and these claims; sign with the private key that belongs to this key id, for the default identity the one in this server's own folder of certificates."
        )
    }
}
