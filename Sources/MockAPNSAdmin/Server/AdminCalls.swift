import HTTPTypes
import Hummingbird
package import Logging
package import MockAPNS
import MockAPNSCore
import NIOCore
import NIOEmbedded

extension MockAPNSServer {
    /// Lets the other members of a fleet make calls of the admin API on this server, through the same routes as those
    /// of its listener.
    package func acceptFleetCalls(logger: Logger) {
        let calls = AdminCalls(self, logger: logger)
        performer = { await calls.perform($0) }
    }
}

/// Carries out calls of the admin API without a connection.
private struct AdminCalls: Sendable {
    private let responder: RouterResponder<BasicRequestContext>
    private let context: BasicRequestContext

    init(_ server: MockAPNSServer, logger: Logger) {
        var quiet = logger
        quiet.logLevel = .critical
        let routes = Routes(server: server, address: AdminAddress(), streams: EventStreams())
        responder = routes.sessionRouter.buildResponder()
        // There is no connection; nothing is ever read from or written to this channel.
        context = BasicRequestContext(source: .init(channel: EmbeddedChannel(), logger: quiet))
    }

    func perform(_ call: FleetCall) async -> FleetAnswer {
        let target = call.name.path(call.values) + (call.query.isEmpty ? "" : "?\(call.query)")
        let head = HTTPRequest(
            method: HTTPRequest.Method(call.name.method), scheme: "http", authority: nil, path: target)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: call.body)))
        do {
            let response = try await CallOrigin.$isConnection.withValue(false) {
                try await responder.respond(to: request, context: context)
            }
            let collected = CollectedBody()
            try await response.body.write(CollectingWriter(collected: collected))
            return FleetAnswer(status: response.status.code, body: collected.bytes.withLock { $0 })
        } catch {
            let failure = APIError(status: .internalServerError, code: "failed", message: "\(error)")
            return FleetAnswer(status: 500, body: Array(failure.object.json.utf8))
        }
    }
}

/// The bytes of an answer.
private final class CollectedBody: Sendable {
    let bytes = Guarded([UInt8]())
}

/// Writes the bytes of an answer into memory.
private struct CollectingWriter: ResponseBodyWriter {
    let collected: CollectedBody

    mutating func write(_ buffer: ByteBuffer) async throws {
        collected.bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
