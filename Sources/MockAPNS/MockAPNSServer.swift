public import Logging
import MockAPNSCore
import MockAPNSTransport
import NIOCore
import NIOPosix
import Synchronization

/// A mock of the Apple Push Notification service: TLS and HTTP/2 towards providers, judged as APNs would judge.
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
    public let url: String
    /// The host of ``url``, without brackets.
    public var host: String { HostText.reachable(configuration.host).filter { $0 != "[" && $0 != "]" } }
    /// The ports on which providers are served, in the configuration's order.
    public let ports: [Int]
    /// The topic for which the provider certificate is good; a scenario's first topic may be another.
    package var certificateTopic: String { engine.trust.withLock { $0.ownIdentity.topic } }
    /// The seed of this run's random choices and generated ids; the same seed repeats them.
    public var seed: UInt64 { engine.gateway.withLock { $0.configuration.seed } }
    /// What the server was started with.
    public let configuration: Configuration

    let engine: Engine
    /// The scenario that is played, as it was read last.
    let loaded: Guarded<LoadedScenario>
    /// The seed where neither configuration nor scenario has one.
    let drawnSeed: UInt64
    /// The sessions within this server; none can be opened in a session.
    package let sessions = Sessions()
    /// The names of rules that were removed; records still have them.
    let removedRules = Guarded(Set<String>())
    private let shared: SharedParts
    /// Whether the loops end with this server.
    private let ownsLoops: Bool
    private let listeners: [any Channel]
    private let isServing = Atomic(true)

    /// The identity: authority, certificates, signing key, ids.
    package var identity: Identity { engine.identity }

    /// Opens the listeners; when this returns, pushes are answered.
    ///
    /// - Parameters:
    ///   - configuration: addresses, identity, trust and log.
    ///   - logger: gets what people should know: failed handshakes, a log that cannot be written.
    /// - Throws: ``StartError`` with one line that says what to do; `CancellationError` when the task is cancelled while the
    ///   scenario is read.
    public static func start(
        _ configuration: Configuration = Configuration(),
        logger: Logger = Logger(label: "mock-apns") { _ in SwiftLogNoOpLogHandler() }
    ) async throws -> MockAPNSServer {
        let loaded = try await LoadedScenario.apart(configuration)
        let trust = try Engine.Trust.read(configuration, loaded, logger: logger)
        let logFile = try configuration.log.map { destination throws(StartError) in
            try LogFile(destination, isHeld: configuration.holdsLog, logger: logger)
        }
        let shared = SharedParts(threads: configuration.threads, logFile: logFile, logger: logger)
        do {
            return try await MockAPNSServer(configuration, loaded, trust, shared, ownsLoops: true)
        } catch {
            try? await shared.group.shutdownGracefully()
            _ = logFile?.close()
            throw error
        }
    }

    /// Opens a server of its own that shares loops, identity and the log's file with this one.
    ///
    /// - Parameters:
    ///   - name: the session's name, which its lines in the log have.
    ///   - loaded: what it plays.
    ///   - port: its provider port; 0 takes any free one.
    /// - Throws: ``StartError``.
    func openSession(_ name: String, playing loaded: LoadedScenario, port: Int) async throws -> MockAPNSServer {
        var configuration = configuration
        configuration.ports = [port]
        configuration.scenario = nil
        configuration.logLimit = min(configuration.logLimit, Sessions.logLimit)
        var shared = shared
        shared.logFile = shared.logFile.map { LogFile(name, in: $0) }
        return try await MockAPNSServer(configuration, loaded, try trust(for: loaded), shared, ownsLoops: false)
    }

    private init(
        _ configuration: Configuration, _ loaded: LoadedScenario, _ trust: Engine.Trust, _ shared: SharedParts,
        ownsLoops: Bool
    ) async throws {
        self.configuration = configuration
        self.loaded = Guarded(loaded)
        self.shared = shared
        self.ownsLoops = ownsLoops
        drawnSeed = UInt64.random(in: 1...(1 << 53 - 1))
        let now = WallClock.now()
        var gateway = Gateway(
            GatewayConfiguration(configuration, loaded.scenario, seed: drawnSeed), scenario: loaded.scenario,
            startedAt: now)
        gateway.start(at: now)
        let engine = Engine(
            gateway: gateway, trust: trust, logFile: shared.logFile, loop: shared.group.next(),
            configuration: configuration, logger: shared.logger)
        var listeners: [any Channel] = []
        do {
            let bootstrap = Self.bootstrap(shared, sessions, engine: engine)
            for port in configuration.ports {
                listeners += try await Listeners.open(host: configuration.host, port: port, on: bootstrap)
            }
        } catch {
            for listener in listeners { try? await listener.close() }
            throw error
        }
        // The log begins, if no connection was quicker; a server that does not start leaves no trace in it.
        engine.transact { _, _, _ in }
        self.engine = engine
        self.listeners = listeners
        var ports: [Int] = []
        for port in listeners.map(\.localPort) where !ports.contains(port) { ports.append(port) }
        self.ports = ports
        url = "https://\(HostText.reachable(configuration.host)):\(ports[0])"
    }

    /// Says GOAWAY `Shutdown` to every connection, waits up to 5 s for streams that are open, and ends.
    public func stop() async { await stop(waiting: .seconds(5)) }

    /// The same, with another limit for streams that are open.
    package func stop(waiting limit: Duration) async {
        guard isServing.exchange(false, ordering: .acquiringAndReleasing) else { return }
        await sessions.endAll(waiting: limit)
        for listener in listeners { try? await listener.close() }
        let connections = engine.connections
        for channel in connections.all { channel.pipeline.fireUserInboundEventTriggered(ShutdownEvent()) }
        await connections.untilEmpty(within: TimeAmount(limit), on: engine.loop)
        for channel in connections.all { channel.close(promise: nil) }
        await connections.untilEmpty(within: .seconds(5), on: engine.loop)
        engine.waiting.stop()
        if ownsLoops { try? await shared.group.shutdownGracefully() }
        engine.closeLog()
    }

    /// Lets the log's lines go that ``Configuration/holdsLog`` holds.
    package func releaseLog() { engine.releaseLog() }

    /// Opens the log's file again, so that it can be rotated: whoever has given it another name finds what comes from now
    /// on in a new file. Without a log, or with one on standard output, nothing happens.
    package func reopenLog() { engine.reopenLog() }

    /// What the log's file lacks, because it could not be written; `nil` when it has every line.
    package var logLoss: LogLoss? { engine.logLoss }

    /// Tells people when listeners of this server have to pause.
    package var acceptNotice: AcceptNotice { engine.acceptNotice }

    /// Counts connections that are no provider's, so that their memory is given back after a peak.
    package func otherConnections() -> OtherConnections { OtherConnections { [engine] in engine.giveBackMemorySoon() } }

    /// Whether the listeners are open.
    public var isReady: Bool { isServing.load(ordering: .acquiring) }

    private static func bootstrap(_ shared: SharedParts, _ sessions: Sessions, engine: Engine) -> ServerBootstrap {
        ServerBootstrap(group: shared.group)
            .serverChannelInitializer { [notice = engine.acceptNotice] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(notice: notice))
                }
            }
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // One read for each turn of the loop, as large as is worth having: what it completes is one batch.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 65_536)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let box = shared.scratches[ObjectIdentifier(channel.eventLoop)] else {
                        throw ChannelError.inappropriateOperationForState
                    }
                    let scratch = box.value ?? LoopScratch()
                    box.value = scratch
                    let handler = try ConnectionHandler(engine: engine, sessions: sessions, scratch: scratch)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
    }
}
