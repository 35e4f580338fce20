import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Adds a body like that of all other errors to the answer to invalid HTTP/1.1: Hummingbird answers it before routing,
/// with an empty 400.
final class ParserErrorHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var error: HTTPParserError?

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError { self.error = error }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // No other 400 is empty.
        guard let error, case .head(var head) = unwrapOutboundIn(data), head.status == .badRequest,
            head.headerFields[.contentLength] == "0"
        else { return context.write(data, promise: promise) }
        let body = ByteBuffer(
            string: APIError.badRequest(
                "badHTTP", "This is not an HTTP/1.1 request: \(error.fault). The connection is closed.", pointer: ""
            ).object.json)
        head.headerFields[.contentLength] = String(body.readableBytes)
        head.headerFields[.contentType] = "application/json"
        context.write(wrapOutboundOut(.head(head)), promise: promise)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
    }
}

@available(*, unavailable)
extension ParserErrorHandler: Sendable {}

extension HTTPParserError {
    /// A description of the error, for people.
    fileprivate var fault: String {
        switch self {
        case .invalidEOFState: "it ends too early"
        case .headerOverflow: "its header fields are too long, or too many"
        case .closedConnection: "something follows a request whose Connection field made it the last"
        // The parser's name for the HTTP/2 preface.
        case .paused: "this port speaks HTTP/1.1, not HTTP/2"
        case .invalidVersion: "its version is not HTTP/1.1; this port speaks plain HTTP/1.1, not TLS"
        case .invalidMethod: "it does not begin with an HTTP method; this port speaks plain HTTP/1.1, not TLS"
        case .invalidURL: "its target is not a path"
        case .lfExpected: "a line does not end with CR and LF"
        case .invalidHeaderToken, .invalidCharactersUsed: "a header field has a character that is not allowed there"
        case .invalidContentLength: "its Content-Length is not a number"
        case .unexpectedContentLength: "it has both Content-Length and Transfer-Encoding"
        case .invalidChunkSize: "the size of a chunk is not a number"
        default: "it cannot be parsed (\(self))"
        }
    }
}
