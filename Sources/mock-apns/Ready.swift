import ArgumentParser
import NIOCore
import NIOHTTP1
import NIOPosix

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Ready: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Exit with 0 when a server is ready, else with 1: a container's health check.",
        discussion: """
            Example:
              mock-apns ready --admin http://127.0.0.1:2198
            """)

    @Option(
        help: ArgumentHelp(
            "The admin address. (default: the variable MOCK_APNS_ADMIN_URL, else http://127.0.0.1:2198)",
            valueName: "url"))
    var admin: String?

    func run() async throws {
        var variable = ProcessInfo.processInfo.environment["MOCK_APNS_ADMIN_URL"]
        // An empty one says nothing, as one that is not set.
        if variable?.isEmpty == true { variable = nil }
        let address = admin ?? variable ?? "http://127.0.0.1:2198"
        guard let url = URL(string: address), url.scheme == "http", let host = url.host(), !host.isEmpty else {
            let name = admin == nil ? "MOCK_APNS_ADMIN_URL" : "--admin"
            throw ValidationError("\(name) is \"\(address)\"; it has to be like http://127.0.0.1:2198.")
        }
        do {
            let status = try await Self.status(host: host, port: url.port ?? 80)
            guard status != .ok else { return }
            Messages.write("mock-apns: the server at \(address) answers \(status); it is not ready.")
        } catch {
            Messages.write("mock-apns: no server answers at \(address).")
        }
        throw ExitCode.failure
    }

    private static func status(host: String, port: Int) async throws -> HTTPResponseStatus {
        let limit = TimeAmount.seconds(5)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(limit)
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(IdleStateHandler(readTimeout: limit))
                    try channel.pipeline.syncOperations.addHandler(CloseOnSilence())
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { answers, requests in
            let head = HTTPRequestHead(
                version: .http1_1, method: .GET, uri: "/readyz", headers: ["host": host, "connection": "close"])
            try await requests.write(.head(head))
            try await requests.write(.end(nil))
            for try await part in answers {
                if case .head(let head) = part { return head.status }
            }
            throw ChannelError.eof
        }
    }
}

/// Ends a connection on which nothing comes.
private final class CloseOnSilence: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
