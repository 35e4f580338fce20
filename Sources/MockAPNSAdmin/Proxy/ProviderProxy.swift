package import MockAPNS
import NIOCore
import NIOHTTP1

/// A proxy for providers whose host is fixed: `CONNECT` to one of Apple's hosts reaches the server itself.
///
/// It listens on the loopback interface, and never opens a connection: the one that asks becomes a provider's.
package enum ProviderProxy {
    /// Opens the proxy of a server.
    ///
    /// - Parameter port: the port; 0 takes any free one.
    /// - Throws: `StartError` if the port is not available.
    package static func start(
        for server: MockAPNSServer, port: Int
    ) async throws(MockAPNSServer.StartError) {
        let hosts = ProxyHosts(serverNames: server.configuration.serverNames)
        let connections = server.otherConnections()
        try await server.listenAsProxy(port: port) { channel, start in
            try prepare(channel, hosts, refused: { server.warnOfRefusal(byProxy: $0) }, start)
            connections.add(channel)
        }
    }

    /// Prepares a connection that was accepted.
    ///
    /// - Parameters:
    ///   - refused: gets the reason if it is refused.
    ///   - start: makes it a provider's.
    static func prepare(
        _ channel: any Channel, _ hosts: ProxyHosts, refused: @escaping (String) -> Void,
        _ start: @escaping (any Channel) throws -> Void
    ) throws {
        let (end, encoder) = (LingeringClose(), HTTPResponseEncoder())
        // What comes after the request is the provider's.
        let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
        let handler = ProxyHandler(hosts, around: [end, encoder, decoder], refused: refused, start: start)
        try channel.pipeline.syncOperations.addHandlers(end, encoder, decoder, handler)
    }
}
