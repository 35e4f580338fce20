import MockAPNS
import MockAPNSCore
import MockAPNSJudge
import NIOCore
import NIOHTTP1

/// An answer of the admin listener.
struct Response: Sendable {
    /// Takes the pieces of a long body; returns once there is room for the next one.
    protocol Writer: Sendable {
        func write(_ piece: ByteBuffer) async throws
    }

    /// A body.
    enum Body: Sendable {
        case bytes(ByteBuffer)
        /// A long one, never in memory as a whole.
        case pieces(@Sendable (any Writer) async throws -> Void)
    }

    var status: HTTPResponseStatus
    var fields: HTTPHeaders
    var body: Body

    init(_ status: HTTPResponseStatus = .ok, _ fields: HTTPHeaders = [:], _ body: Body = .bytes(ByteBuffer())) {
        (self.status, self.fields, self.body) = (status, fields, body)
    }

    /// Creates a JSON answer.
    static func json(_ object: JSONObject, status: HTTPResponseStatus = .ok) -> Response {
        json(ByteBuffer(string: object.json), status: status)
    }

    /// Creates a JSON answer from bytes.
    static func json(_ bytes: ByteBuffer, status: HTTPResponseStatus = .ok) -> Response {
        Response(status, ["Content-Type": "application/json"], .bytes(bytes))
    }

    /// Creates the answer with a device.
    static func device(_ view: DeviceView, status: HTTPResponseStatus = .ok) -> Response {
        var json: [UInt8] = []
        view.appendJSON(to: &json)
        return .json(ByteBuffer(bytes: json), status: status)
    }

    /// Creates a text answer.
    static func text(
        _ text: String, status: HTTPResponseStatus = .ok, type: String = "text/plain; charset=utf-8"
    ) -> Response {
        Response(status, ["Content-Type": type], .bytes(ByteBuffer(string: text)))
    }

    /// Creates the answer with a page of requests; a long one is written as the client reads it.
    static func page(
        _ page: RequestPage, nearMisses: [NearMiss]? = nil, status: HTTPResponseStatus = .ok
    ) -> Response {
        var pieces = page.pieces(nearMisses: nearMisses)
        let first = ByteBuffer(bytes: pieces.next() ?? [])
        if pieces.isComplete { return json(first, status: status) }
        return Response(
            status, ["Content-Type": "application/json"],
            .pieces { [pieces] writer in
                var rest = pieces
                try await writer.write(first)
                while let piece = rest.next() { try await writer.write(ByteBuffer(bytes: piece)) }
            })
    }
}

extension Response.Body {
    /// Returns the whole body.
    func collected() async throws -> [UInt8] {
        switch self {
        case .bytes(let bytes): return Array(bytes.readableBytesView)
        case .pieces(let write):
            let collector = Collector()
            try await write(collector)
            return collector.bytes.withLock { $0 }
        }
    }

    private final class Collector: Response.Writer {
        let bytes = Guarded([UInt8]())

        func write(_ piece: ByteBuffer) async throws {
            bytes.withLock { $0.append(contentsOf: piece.readableBytesView) }
        }
    }
}
