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
        /// The identity without what a scenario says of keys and teams.
        var ownIdentity: Identity
        var tls: TLSContext
        /// The known signing keys, by key id.
        var keys: [String: ES256PublicKey]
        /// Whether a token's signature is verified at all.
        var verifies: Bool
        /// Server certificates that no client should trust, made when a rule asks for them.
        var flawedServers: [ServerCertificateFault: ServerIdentity] = [:]
    }

    let gateway: Guarded<Gateway>
    let connections = OpenConnections()
    let timeouts: ConnectionTimeouts
    let logger: Logger
    let acceptNotice: AcceptNotice
    /// Whether memory is to be given back in a moment.
    let givesBackMemory = Atomic(false)
    let trust: Guarded<Trust>
    /// How often the trust was replaced: what a connection remembers of its provider token holds for one number.
    let trustVersion = Atomic(0)
    let adminTokenInUse = Guarded<AdminToken?>(nil)
    let waiting = Waiting()
    /// What streams of events tell beside requests; changed under the gateway's lock only.
    let otherEvents = Guarded(OtherEvents())
    /// Whether somebody will ask what came of expectations that ended before the run did.
    let keepsEarlierResults: Bool
    let earlierResults = Guarded(EarlierResults())
    /// One of the server's loops, for what belongs to no connection.
    let loop: any EventLoop
    private let logFile: LogFile?
    private let timer: DueTimer
    /// Whether each refusal is told to people.
    let tellsRefusals: Bool

    init(
        gateway: consuming sending Gateway, trust: Trust, logFile: LogFile?, loop: any EventLoop,
        configuration: Configuration, logger: Logger
    ) {
        keepsEarlierResults = configuration.keepsEarlierResults
        timeouts = configuration.timeouts
        self.loop = loop
        timer = DueTimer(loop)
        self.gateway = Guarded(gateway)
        self.trust = Guarded(trust)
        self.logFile = logFile
        self.logger = logger
        acceptNotice = AcceptNotice(logger: logger)
        tellsRefusals = logger.logLevel <= .debug
    }

    var tls: TLSContext { trust.withLock { $0.tls } }

    var identity: Identity { trust.withLock { $0.identity } }

    /// From now on new connections and new provider tokens are judged by these keys and certificates.
    func replace(_ new: Trust) {
        trust.withLock { $0 = new }
        gateway.withLock { $0.forgetTokens() }
        trustVersion.add(1, ordering: .releasing)
    }

    // MARK: The gateway

    /// What one transaction on the gateway leaves to be done.
    struct Transaction {
        /// The time of day.
        let real: Timestamp
        fileprivate var orders: [ConnectionOrder] = []
        /// What is to be told to people.
        fileprivate var patterns: [PatternEvent] = []

        fileprivate init(real: Timestamp) { self.real = real }

        /// Takes note of what happened: its lines go to the log, its orders to their connections.
        mutating func note(_ effects: [GatewayEffect], _ lines: inout LogLines) {
            for effect in effects {
                switch effect {
                case .connections(let orders): self.orders += orders
                case .pattern(let event): patterns.append(event)
                default: break
                }
                lines.append(.effect(effect), at: real)
            }
        }
    }

    /// A transaction on the gateway, under its lock, after what is due by now. When this returns, the lines are written;
    /// orders to connections are carried out by their loops afterwards.
    func transact<Result: Sendable>(
        _ body: (inout Gateway, inout LogLines, inout Transaction) -> Result
    ) -> Result {
        proceed(body).result
    }

    /// As ``transact(_:)``; returns when the connections have carried out their orders.
    func transactAndSettle<Result: Sendable>(
        _ body: (inout Gateway, inout LogLines, inout Transaction) -> Result
    ) async -> Result {
        let (result, channels) = proceed(body)
        await OpenConnections.settle(channels)
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
                // Under the lock, so that of two loops the one that knows better comes last.
                let due = gateway.nextDue
                if timer.isSet(otherThan: due) { timer.set(due) { [weak self] in self?.transact { _, _, _ in } } }
            }
            return collect(&gateway) { gateway, lines in
                // That the server has started; later, nothing is left for here.
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
        let channels = transaction.orders.isEmpty ? [] : connections.deliver(transaction.orders)
        for (id, end) in woken { waiting.end(id, end) }
        for event in transaction.patterns { logger.warning("\(event)") }
        return (result, channels)
    }

    /// Those who need not wait any longer, with the log of this moment.
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
            let others = lines.takeOtherEvents()
            if !others.isEmpty { otherEvents.withLock { kept in for event in others { kept.append(event) } } }
            return result
        }
        guard let logFile else {
            var none = LogLines(isKept: false)
            return (proceed(&none), false)
        }
        let (result, isDue) = logFile.collect { proceed(&$0) }
        return (result, isDue)
    }

    // MARK: The log's file

    /// Lets the lines go that were held.
    func releaseLog() { count(lostLines: logFile?.release()) }

    /// Opens the log's file again.
    func reopenLog() {
        let lost = logFile?.reopen { now in
            gateway.withLock { gateway in
                now()
                return gateway.continuation
            }
        }
        count(lostLines: lost)
    }

    /// Writes what the log still lacks, and closes it.
    func closeLog() { count(lostLines: logFile?.close()) }

    /// What the log's file lacks.
    var logLoss: LogLoss? { logFile?.loss }

    private func count(lostLines: Int?) {
        guard let lostLines, lostLines > 0 else { return }
        gateway.withLock { $0.countLogWriteErrors(lostLines) }
    }

    // MARK: Connections

    /// Takes note of a connection; what it begins with, and after which time without a frame it counts as idle.
    ///
    /// - Parameter connecting: what the rules on connections said of it, if there are any.
    func openConnection(
        _ facts: ConnectionFacts, after connecting: Connecting?, channel: any Channel
    ) -> (opening: Opening, settings: HTTP2Session.Settings, idleAfter: TimeAmount?) {
        transact { gateway, lines, transaction in
            let opening = gateway.open(facts, after: connecting, at: transaction.real)
            connections.add(channel, number: opening.id)
            if let connection = gateway.connections[opening.id] {
                lines.append(.opened(connection), at: transaction.real)
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

    /// Whether a PING is acknowledged.
    func acknowledgesPing(on number: Int, inFlight: Int) -> Bool {
        gateway.withLock { $0.ping(on: number, inFlight: inFlight) }
    }

    func updateConnection(_ number: Int, counters: ConnectionCounters) {
        gateway.withLock { $0.updateConnection(number, counters: counters) }
    }

    func closeConnection(_ number: Int, by closer: ClosedBy, explanation: String?, counters: ConnectionCounters) {
        transact { gateway, lines, transaction in
            gateway.closeConnection(
                number, by: closer, explanation: explanation, counters: counters, at: transaction.real)
            guard let connection = gateway.connections[number] else { return }
            lines.append(.closed(connection), at: transaction.real)
        }
    }

    /// Takes note of a connection that did not get through its TLS handshake; its number.
    func noteFailedHandshake(
        _ facts: ConnectionFacts, after connecting: Connecting?, by closer: ClosedBy, explanation: String,
        counters: ConnectionCounters
    ) -> Int {
        transact { gateway, lines, transaction in
            let number = gateway.noteFailedHandshake(
                facts, after: connecting, by: closer, explanation: explanation, counters: counters,
                at: transaction.real)
            if let connection = gateway.connections[number] {
                lines.append(.opened(connection), at: transaction.real)
                lines.append(.closed(connection), at: transaction.real)
            }
            return number
        }
    }

    // MARK: Requests

    /// The requests that were completed by one read of a connection's socket.
    struct Batch {
        let requests: [ReceivedRequest]
        /// The connection's id in the gateway.
        let connection: Int
        /// When they were read.
        let arrived: NIODeadline
    }

    /// Decides a batch under one lock, and writes its records before any of its answers leaves.
    ///
    /// - Parameter parsed: what each request says, the last one first; empty afterwards.
    func decide(_ batch: Batch, _ parsed: inout [ParsedRequest], into decisions: inout [Decision]) {
        let (refused, adminCaller) = transact { gateway, lines, transaction in
            let first = gateway.log.latestSequence + 1
            var now = gateway.moment(at: transaction.real)
            let latency = Int((NIODeadline.now() - batch.arrived).nanoseconds / 1000)
            for received in batch.requests {
                guard var request = parsed.popLast() else { break }
                request.facts.latencyMicroseconds = latency
                decisions.append(
                    gateway.receive(request, bytes: received.bytes, on: batch.connection, at: now))
                lines.appendRequests(of: gateway.log)
                if gateway.hasEffects {
                    transaction.note(gateway.takeEffects(), &lines)
                    now = gateway.moment(at: transaction.real)
                }
            }
            return (tellsRefusals ? (first, gateway.log.snapshot) : nil, gateway.takeAdminCaller())
        }
        if let adminCaller { warnOfAdminCall(on: adminCaller) }
        if let (first, log) = refused { tellRefusals(in: log, from: first) }
    }

    /// The delay of an answer has passed: what to do now beside sending it; `nil` when its connection has ended.
    func due(_ response: PlannedResponse, arrived: NIODeadline) -> [ConnectionAction]? {
        transact { gateway, lines, transaction in
            let latency = Int((NIODeadline.now() - arrived).nanoseconds / 1000)
            guard let due = gateway.due(response, latencyMicroseconds: latency) else { return nil }
            note(due.change, gateway.moment(at: transaction.real), &lines)
            return due.actions
        }
    }

    /// A delayed answer will never be sent.
    func abandon(_ response: PlannedResponse, as outcome: Outcome) {
        transact { gateway, lines, transaction in
            note(gateway.abandon(response, as: outcome), gateway.moment(at: transaction.real), &lines)
        }
    }

    func note(_ change: RecordChange?, _ now: Moment, _ lines: inout LogLines) {
        guard let change else { return }
        lines.append(.effect(.update(sequence: change.sequence, change.update, clock: now.clock)), at: now.real)
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
            "The provider token's signature was not made with key \(quoted: token.keyID) over these header and claims; sign with the private key that belongs to this key id, for the default identity the one in this server's own folder of certificates."
        )
    }
}
