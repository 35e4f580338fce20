public import Logging
import MockAPNSCore
import MockAPNSTransport
package import NIOCore
import NIOPosix
import Synchronization

/// A mock of the Apple Push Notification service: it serves providers over TLS and HTTP/2, and judges pushes as APNs
/// would.
///
/// ```swift
/// let apns = try await MockAPNSServer.start()
/// // … point a provider at apns.url, let it trust apns.certificateAuthority.pem …
/// await apns.stop()
/// ```
///
/// Any number of servers can run in one process; nothing is global.
public final class MockAPNSServer: Sendable {
    /// The first provider address, `https://127.0.0.1:2197`.
    public var url: String {
        // A collector serves no providers.
        ports.first.map { "https://\(HostText.reachable(configuration.host)):\($0)" } ?? ""
    }
    /// The host of ``url``, without brackets.
    public var host: String { HostText.reachable(configuration.host).filter { $0 != "[" && $0 != "]" } }
    /// The provider ports, in the order of the configuration.
    public var ports: [Int] { listening.withLock { $0.ports } }
    /// The ports for the management of broadcast channels, in the order of the configuration.
    public var managementPorts: [Int] { listening.withLock { $0.managementPorts } }
    /// The address of the proxy for providers whose host is fixed, such as `http://127.0.0.1:2199`; `nil` without one.
    package var proxyURL: String? { listening.withLock { $0.proxyPort }.map { "http://127.0.0.1:\($0)" } }
    /// Their addresses, such as `https://127.0.0.1:2195`.
    package var managementURLs: [String] {
        managementPorts.map { "https://\(HostText.reachable(configuration.host)):\($0)" }
    }
    /// The environment that the server plays: by its configuration, else by the scenario.
    package var environment: MockAPNSWords.Environment { engine.gateway.withLock { $0.configuration.environment } }
    /// Their environments, in the same order: `sandbox`, `production`, or `serverName` if the name that a client asks for
    /// decides.
    package var managementEnvironments: [String] {
        let own = environment.rawValue
        return configuration.managementPorts.map { port in
            switch port.environment {
            case .sandbox: "sandbox"
            case .production: "production"
            case .serverName, nil: own
            }
        }
    }
    /// A topic that the provider certificate is valid for: that of the examples, if possible.
    package var certificateTopic: String {
        let identity = identity
        return identity.clientTopics.contains(identity.topic)
            ? identity.topic : identity.clientTopics.first ?? identity.topic
    }
    /// The seed of this run's random choices and generated ids; the same seed repeats them.
    public var seed: UInt64 { engine.gateway.withLock { $0.configuration.seed } }
    /// The configuration that the server was started with.
    public let configuration: Configuration

    let engine: Engine
    /// The scenario being played, as last read.
    let loaded: Guarded<LoadedScenario>
    /// The seed if neither the configuration nor the scenario has one.
    let drawnSeed: UInt64
    /// The sessions of this server; a session cannot have sessions of its own.
    package let sessions = Sessions()
    /// This server's link to its fleet.
    let membership = Guarded<(any FleetMembership)?>(nil)
    /// The performer of calls of other members of the fleet.
    let fleetPerformer = Guarded<CallPerformer?>(nil)
    /// The repeated pushes of the API in progress.
    let repeatedPushes = RepeatedPushes()
    /// The start of the recording that is on.
    let recording = Guarded<RecordingStart?>(nil)
    private let shared: SessionSharedParts
    /// Whether this server shuts down the event loops when it stops.
    private let ownsLoops: Bool
    private let listening = Guarded(Listening())
    private let isServing = Atomic(true)
    private let stopping = SharedTask()
    private let closingListeners = SharedTask()

    /// The listeners for providers.
    private struct Listening: Sendable {
        var listeners: [any Channel] = []
        var ports: [Int] = []
        var managementPorts: [Int] = []
        var proxyPort: Int?
    }

    /// The identity: authority, certificates, signing key, ids.
    package var identity: Identity { engine.identity }

    /// Opens the listeners; once this returns, pushes are answered.
    ///
    /// - Parameters:
    ///   - configuration: addresses, identity, trust and log.
    ///   - logger: receives messages for people, such as failed handshakes or a log that cannot be written.
    /// - Throws: ``StartError`` with one line that says what to do; `CancellationError` if the task is canceled while
    ///   the scenario is read.
    public static func start(
        _ configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "mock-apns") { _ in SwiftLogNoOpLogHandler() }
    ) async throws -> MockAPNSServer {
        let server = try await prepare(configuration, logger: logger)
        do { try await server.listen() } catch {
            await server.stop()
            throw error
        }
        return server
    }

    /// Makes a server that does not listen before ``listen()``: the replica of a fleet joins it first.
    ///
    /// - Throws: like ``start(_:logger:)``.
    package static func prepare(_ configuration: Configuration, logger: Logger) async throws -> MockAPNSServer {
        OpenSSLConfiguration.skipCleanup()
        var configuration = configuration
        // The upstream verifies them, by keys that are not known here.
        if configuration.relay != nil, configuration.chosen.authentication == nil {
            configuration.authentication = .decode
        }
        let loaded = try await LoadedScenario.read(configuration)
        let trust = try Engine.Trust.read(configuration, loaded, logger: logger)
        let logFile = try configuration.log.map { destination throws(StartError) in
            try LogFile(destination, isHeld: configuration.holdsLog, logger: logger)
        }
        var shared = SessionSharedParts(threads: configuration.threads, logFile: logFile, logger: logger)
        if let relay = configuration.relay {
            let target = try RelayTarget(relay)
            guard !(target.isThisMachine && configuration.ports.contains(target.port)) else {
                throw StartError.malformed("The upstream \(target.authority) is this server itself.")
            }
            shared.relay = target
        }
        return MockAPNSServer(configuration, loaded, trust, shared, ownsLoops: true)
    }

    /// Opens a separate server that shares event loops, identity and log file with this one.
    ///
    /// - Parameters:
    ///   - name: the session's name, which its lines in the log contain.
    ///   - loaded: the scenario to play.
    ///   - port: its provider port; 0 for any free one.
    /// - Throws: ``StartError``.
    func openSession(_ name: String, playing loaded: LoadedScenario, port: Int) async throws -> MockAPNSServer {
        var configuration = configuration
        configuration.ports = [port]
        configuration.session = name
        configuration.managementPorts = []
        configuration.scenario = nil
        // They are in the certificate already, and the session's scenario may have others.
        configuration.topics = []
        configuration.logLimit = min(configuration.logLimit, Sessions.logLimit)
        var shared = shared
        shared.logFile = shared.logFile.map { LogFile(name, in: $0) }
        shared.logger = SessionLogHandler.logger(shared.logger, of: name)
        let server = MockAPNSServer(configuration, loaded, try trust(for: loaded), shared, ownsLoops: false)
        try await server.listen()
        return server
    }

    private init(
        _ configuration: Configuration, _ loaded: LoadedScenario, _ trust: Engine.Trust, _ shared: SessionSharedParts,
        ownsLoops: Bool
    ) {
        self.configuration = configuration
        self.loaded = Guarded(loaded)
        self.shared = shared
        self.ownsLoops = ownsLoops
        drawnSeed = UInt64.random(in: 1...(1 << 53 - 1))
        let now = WallClock.now()
        var gateway = Gateway(
            GatewayConfiguration(configuration, loaded.scenario, seed: drawnSeed), scenario: loaded.scenario,
            startedAt: now)
        if configuration.lintsRun { gateway.keepRequestsForLint() }
        if let relay = shared.relay { gateway.beginRelaying(withCertificate: relay.hasCertificate) }
        gateway.start(at: now)
        engine = Engine(
            gateway: gateway, trust: trust, shared, configuration: configuration)
    }

    /// Opens the listeners of a server that was prepared; once this returns, pushes are answered.
    package func listen() async throws(StartError) {
        var new = Listening()
        do throws(StartError) {
            let providers = bootstrap(startOfProviders())
            let use = configuration.session.map { PortUse.session($0) } ?? .provider
            for port in configuration.ports {
                let opened = try await Listeners.open(
                    host: configuration.host, port: port, use, in: shared.ports, on: providers)
                new.listeners += opened
                for port in opened.map(\.localPort) where !new.ports.contains(port) { new.ports.append(port) }
            }
            for management in configuration.managementPorts {
                let opened = try await Listeners.open(
                    host: configuration.host, port: management.port, .management, in: shared.ports,
                    on: bootstrap(startOfProviders(isSandbox: management.isSandbox)))
                new.listeners += opened
                new.managementPorts.append(opened[0].localPort)
            }
        } catch {
            for listener in new.listeners { try? await listener.close() }
            throw error
        }
        listening.withLock { [new] in $0 = new }
        // Starts the log, unless a connection already has; a server that fails to start leaves no trace in it.
        engine.transact { _, _, _ in }
    }

    /// What makes a connection that was accepted a provider's, on its event loop.
    package typealias StartOfProvider = @Sendable (any Channel) throws -> Void

    /// Opens a port on the loopback interface whose connections become a provider's once they have asked for it.
    ///
    /// - Parameters:
    ///   - port: the port; 0 takes any free one.
    ///   - accepted: prepares a connection that was accepted; it gets what makes it a provider's.
    package func listenAsProxy(
        port: Int, _ accepted: @escaping @Sendable (any Channel, @escaping StartOfProvider) throws -> Void
    ) async throws(StartError) {
        let start = startOfProviders()
        let opened = try await Listeners.open(
            host: nil, port: port, .proxy, in: shared.ports, on: bootstrap { try accepted($0, start) })
        listening.withLock { listening in
            listening.listeners += opened
            listening.proxyPort = opened[0].localPort
        }
        // A server that has begun to stop has closed its other listeners already.
        if !isReady { for listener in opened { try? await listener.close() } }
    }

    /// Logs why the proxy has refused a client. Few clients show the body of the answer, which says it, too.
    package func warnOfRefusal(byProxy why: String) { engine.warn(.proxy, "The proxy refused a client. \(why)") }

    /// Sends GOAWAY `Shutdown` on every connection, waits up to 5 s for open streams, and stops. If it is already
    /// stopping, returns when it has stopped.
    public func stop() async { await stop(waiting: .seconds(5)) }

    /// Stops like ``stop()``, with another time limit for open streams.
    package func stop(waiting limit: Duration) async {
        isServing.store(false, ordering: .releasing)
        await stopping.run { [self] in await shutDown(waiting: limit) }
    }

    /// Ends everything in this order: repeated pushes, no new sessions, sessions and listeners, connections, waits, the
    /// log, and last the event loops, which all the others need.
    private func shutDown(waiting limit: Duration) async {
        repeatedPushes.close()
        await sessions.close()
        // At the same time as the server's own connections, so that the time limit holds for both.
        async let sessionsEnd: Void = sessions.endAll(waiting: limit)
        await stopListening()
        let connections = engine.connections
        connections.shutDown()
        await connections.untilEmpty(within: TimeAmount(limit), on: engine.timers)
        for channel in connections.all { channel.close(promise: nil) }
        await connections.untilEmpty(within: .seconds(5), on: engine.timers)
        await sessionsEnd
        engine.waiting.stop()
        engine.closeLog()
        if ownsLoops { shared.warnings.reportOmitted() }
        guard ownsLoops else { return }
        await shared.gate.close()
        try? await shared.group.shutdownGracefully()
    }

    /// Closes the listeners. When this returns, the ports are free; connections stay open.
    func stopListening() async {
        await closingListeners.run { [self] in
            for listener in listening.withLock({ $0.listeners }) { try? await listener.close() }
        }
    }

    /// Releases the lines of the log held back by ``Configuration/holdsLog``.
    package func releaseLog() { engine.releaseLog() }

    /// Reopens the log file, so that it can be rotated: after renaming it, later lines go to a new file. Does nothing
    /// without a log or with one on standard output.
    package func reopenLog() { engine.reopenLog() }

    /// The lines missing from the log file because they could not be written; `nil` if it is complete.
    package var logLoss: LogLoss? { engine.logLoss }

    /// The ports on which this server and its sessions listen.
    package var listeningPorts: ListeningPorts { shared.ports }

    /// Reports when listeners of this server have to pause.
    package var acceptNotice: AcceptNotice { engine.acceptNotice }

    /// Counts connections other than a provider's, so that their memory is returned after a peak.
    package func otherConnections() -> OtherConnections { OtherConnections { [engine] in engine.giveBackMemorySoon() } }

    /// Returns memory to the system soon, because much was freed.
    package func giveBackMemorySoon() { engine.giveBackMemorySoon() }

    /// Whether the listeners are open.
    public var isReady: Bool { isServing.load(ordering: .acquiring) }

    /// Returns what makes a connection a provider's.
    ///
    /// - Parameter isSandbox: whether connections are of the sandbox; `nil` means the environment of the server.
    private func startOfProviders(isSandbox: Bool? = nil) -> StartOfProvider {
        { [shared, sessions, engine] channel in
            guard let box = shared.scratches[ObjectIdentifier(channel.eventLoop)] else {
                throw ChannelError.inappropriateOperationForState
            }
            let scratch = box.value ?? LoopScratch()
            box.value = scratch
            let handler = try ConnectionHandler(
                engine: engine, sessions: sessions, scratch: scratch, isSandbox: isSandbox)
            try channel.pipeline.syncOperations.addHandler(handler)
        }
    }

    /// Returns what opens listeners on the event loops of this server.
    private func bootstrap(_ accepted: @escaping StartOfProvider) -> ServerBootstrap {
        ServerBootstrap(group: shared.group)
            .serverChannelInitializer { [notice = engine.acceptNotice] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(notice: notice))
                }
            }
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // One read per turn of the event loop, as large as useful: the requests it completes are one batch.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 65_536)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try accepted(channel) }
            }
    }
}
