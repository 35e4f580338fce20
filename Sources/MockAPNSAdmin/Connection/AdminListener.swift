import MockAPNS
import NIOCore
import NIOPosix

/// One listening address of the admin API, and the connections to it.
final class AdminListener: Sendable {
    /// How long requests in progress have when the listener stops, and then how long their last bytes.
    private static let grace = TimeAmount.milliseconds(500)

    let channel: any Channel
    private let connections: AdminConnections

    /// The port it listens on.
    var port: Int { channel.localAddress?.port ?? 0 }

    /// Whether only this machine can reach it.
    var isOnLoopback: Bool { channel.localAddress?.isLoopback ?? false }

    private init(_ channel: any Channel, _ connections: AdminConnections) {
        (self.channel, self.connections) = (channel, connections)
    }

    /// Listens on an address.
    ///
    /// - Parameter handlers: what comes before the parser, for each connection.
    static func open(
        _ host: String, _ port: Int, _ router: Router, _ policy: AccessPolicy,
        handlers: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> AdminListener {
        let connections = AdminConnections()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try handlers(channel)
                    let connection = HTTPConnection(router, policy)
                    connections.add(channel, connection, try connection.join(channel))
                }
            }
            .bind(host: host, port: port).get()
        return AdminListener(channel, connections)
    }

    /// Closes the address, then the connections: first those without a request in progress.
    func stop() async {
        try? await channel.close()
        let closed = connections.stop()
        let loop = channel.eventLoop
        let cancel = loop.scheduleTask(in: Self.grace) { [connections] in connections.cancel() }
        let end = loop.scheduleTask(in: Self.grace + Self.grace) { [connections] in connections.close() }
        for connection in closed { try? await connection.get() }
        cancel.cancel()
        end.cancel()
    }
}

/// The connections to a listener.
private final class AdminConnections: Sendable {
    private typealias Connection = NIOLoopBound<(HTTPConnection, ChannelHandlerContext)>

    private struct State: Sendable {
        var open: [ObjectIdentifier: (channel: any Channel, connection: Connection)] = [:]
        var isStopping = false
    }

    private let state = Guarded(State())

    func add(_ channel: any Channel, _ connection: HTTPConnection, _ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((connection, context), eventLoop: channel.eventLoop)
        let isStopping = state.withLock { state in
            state.open[ObjectIdentifier(channel)] = (channel, bound)
            return state.isStopping
        }
        channel.closeFuture.whenComplete { [self] _ in
            _ = state.withLock { $0.open.removeValue(forKey: ObjectIdentifier(channel)) }
        }
        if isStopping { channel.close(promise: nil) }
    }

    /// Lets the answers in progress be the last. Returns futures that succeed when the connections have closed.
    func stop() -> [EventLoopFuture<Void>] {
        let open = state.withLock { state in
            state.isStopping = true
            return state.open.values.map { $0 }
        }
        for (channel, bound) in open {
            channel.eventLoop.execute {
                let (connection, context) = bound.value
                if channel.isActive { connection.stop(context) } else { channel.close(promise: nil) }
            }
        }
        return open.map(\.channel.closeFuture)
    }

    func cancel() {
        for (channel, bound) in state.withLock({ Array($0.open.values) }) {
            channel.eventLoop.execute { bound.value.0.cancel() }
        }
    }

    func close() {
        for (channel, _) in state.withLock({ Array($0.open.values) }) { channel.close(promise: nil) }
    }
}

extension SocketAddress {
    /// Whether it is an address of this machine alone.
    var isLoopback: Bool {
        guard let address = ipAddress else { return false }
        return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}
