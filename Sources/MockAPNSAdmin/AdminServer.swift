import Hummingbird
import HummingbirdCore
package import Logging
package import MockAPNS
import NIOCore
import ServiceLifecycle

/// The admin listener of a server: health, metrics, the JSON API and the page, over plain HTTP/1.1.
///
/// By default it listens on the loopback interface only. Requests from web pages of other origins are refused and, if
/// there is a token, all requests without it; ``MockAPNSServer/AdminAccess`` controls this.
package final class AdminServer: Sendable {
    /// The URL it listens on, such as `http://127.0.0.1:2198`.
    package let url: String
    private let listeners: [Listener]
    private let streams: EventStreams

    /// One listening address.
    private struct Listener {
        let port: Int
        let isOnLoopback: Bool
        let group: ServiceGroup
        let run: Task<Void, any Error>
    }

    /// The port it listens on.
    package var port: Int { listeners[0].port }

    private init(url: String, listeners: [Listener], streams: EventStreams) {
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
        let routes = Routes(
            server: server, address: address, streams: streams, access: access, hasPage: hasPage
        ).router
        let connections = server.otherConnections()
        let notice = TLSNotice(logger: logger, providerURL: server.url)
        let policy = AccessPolicy(access, serverNames: server.configuration.serverNames)
        let channels = HTTPServerBuilder {
            AdminChannel($0, counting: connections, notice, streams.unread, policy)
        }
        let first = try await listen(host ?? "127.0.0.1", port, routes, channels, for: server, logger)
        var listeners = [first]
        if host == nil,
            let second = try? await listen("::1", first.port, routes, channels, for: server, logger)
        {
            listeners.append(second)
        }
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
        // In this order, because NIO would crash on a connection that was accepted and then abandoned.
        for listener in listeners { await listener.group.triggerGracefulShutdown() }
        for listener in listeners { _ = await listener.run.result }
    }

    private static func listen(
        _ host: String, _ port: Int, _ router: Router<BasicRequestContext>, _ channels: HTTPServerBuilder,
        for server: MockAPNSServer, _ logger: Logger
    ) async throws(StartError) -> Listener {
        let (addresses, opened) = AsyncThrowingStream<SocketAddress?, any Error>.makeStream()
        // Hummingbird logs each start and request; that is noise next to the server's own messages.
        var quiet = logger
        quiet.logLevel = .critical
        let application = Application(
            router: router,
            server: channels,
            configuration: .init(address: .hostname(host, port: port), serverName: nil),
            onServerRunning: { channel in
                try? await server.acceptNotice.watch(channel)
                server.listeningPorts.add(channel, .admin)
                opened.yield(channel.localAddress)
            },
            logger: quiet)
        var configuration = ServiceGroupConfiguration(services: [application], logger: quiet)
        configuration.maximumGracefulShutdownDuration = .milliseconds(500)
        let group = ServiceGroup(configuration: configuration)
        let run = Task {
            do { try await group.run() } catch {
                opened.finish(throwing: error)
                throw error
            }
        }
        do {
            for try await address in addresses {
                return Listener(
                    port: address?.port ?? port, isOnLoopback: address?.isLoopback ?? false, group: group, run: run)
            }
            throw StartError.unavailable("The admin port \(port) on \(host) cannot be opened.")
        } catch let error as StartError {
            throw error
        } catch {
            throw .port(port, host: host, error, .admin, in: server.listeningPorts)
        }
    }
}

extension SocketAddress {
    /// Whether only this machine can reach it.
    fileprivate var isLoopback: Bool {
        guard let address = ipAddress else { return false }
        return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}
