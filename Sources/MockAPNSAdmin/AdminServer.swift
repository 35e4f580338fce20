package import Logging
package import MockAPNS
import NIOCore

/// The admin listener of a server: health, metrics, the JSON API and the page, over plain HTTP/1.1.
///
/// By default it listens on the loopback interface only. Requests from web pages of other origins are refused and, if
/// there is a token, all requests without it; ``MockAPNSServer/AdminAccess`` controls this.
package final class AdminServer: Sendable {
    /// The URL it listens on, such as `http://127.0.0.1:2198`.
    package let url: String
    private let listeners: [AdminListener]
    private let streams: EventStreams

    /// The port it listens on.
    package var port: Int { listeners[0].port }

    private init(url: String, listeners: [AdminListener], streams: EventStreams) {
        self.url = url
        self.listeners = listeners
        self.streams = streams
    }

    /// Opens the listener. When this returns, requests are answered.
    ///
    /// - Parameters:
    ///   - server: the server to observe and control.
    ///   - host: the address; `nil` means `127.0.0.1` and, if available, `::1` with the same port.
    ///   - port: the port; 0 takes any free one.
    ///   - access: who may send requests.
    ///   - hasPage: whether the page is available at `/ui/`.
    ///   - logger: gets a warning if the port is not on the loopback interface and there is no token.
    /// - Throws: `StartError` if the host or port is not available, or a name or the token is invalid.
    package static func start(
        for server: MockAPNSServer, host: String? = nil, port: Int = 0,
        access: MockAPNSServer.AdminAccess = MockAPNSServer.AdminAccess(),
        hasPage: Bool = true, logger: Logger
    ) async throws(MockAPNSServer.StartError) -> AdminServer {
        try access.check()
        let address = AdminAddress()
        let streams = EventStreams()
        let router = Routes(
            server: server, address: address, streams: streams, access: access, hasPage: hasPage
        ).router
        let connections = server.otherConnections()
        let notice = TLSNotice(logger: logger, providerURL: server.url)
        let listen = { (host: String, port: Int) async throws(StartError) -> AdminListener in
            try await open(host, port, router, for: server, access) { channel in
                // Before the parser, so that discarded input is neither parsed nor kept.
                try channel.pipeline.syncOperations.addHandlers(
                    UnreadAnswers.Handler(streams.unread), FirstByteHandler(notice), LingeringClose())
                connections.add(channel)
            }
        }
        let first = try await listen(host ?? "127.0.0.1", port)
        var listeners = [first]
        if host == nil, let second = try? await listen("::1", first.port) { listeners.append(second) }
        let url = "http://\(HostText.reachable(host)):\(first.port)"
        address.set(url, isOnLoopback: first.isOnLoopback)
        server.announceAdmin(at: url)
        if access.token == nil, !first.isOnLoopback {
            logger.warning(
                "Anyone who can reach the admin port \(first.port) on \(host ?? "") can control this server and read its keys; protect it with --admin-token or the variable MOCK_APNS_ADMIN_TOKEN."
            )
        }
        return AdminServer(url: url, listeners: listeners, streams: streams)
    }

    /// Closes the listener, then its connections: requests in progress have half a second. Event streams report the
    /// last events.
    package func stop() async {
        await streams.end()
        await withTaskGroup { group in
            for listener in listeners { group.addTask { await listener.stop() } }
        }
    }

    private static func open(
        _ host: String, _ port: Int, _ router: Router, for server: MockAPNSServer,
        _ access: MockAPNSServer.AdminAccess, handlers: @escaping @Sendable (any Channel) throws -> Void
    ) async throws(StartError) -> AdminListener {
        do {
            let policy = AccessPolicy(access, serverNames: server.configuration.serverNames)
            let listener = try await AdminListener.open(host, port, router, policy, handlers: handlers)
            try? await server.acceptNotice.watch(listener.channel)
            server.listeningPorts.add(listener.channel, .admin)
            return listener
        } catch {
            throw .port(port, host: host, error, .admin, in: server.listeningPorts)
        }
    }
}
