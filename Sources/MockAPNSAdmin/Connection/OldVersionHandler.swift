import NIOCore
import NIOHTTP1

/// Makes an HTTP/1.0 request the last of its connection: its client expects the connection to close after the answer.
///
/// Hummingbird (2.28) ignores the version. Keeping such a connection open would have to be negotiated, and there is
/// nothing to gain from it here.
final class OldVersionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), head.version != .http1_1 else {
            return context.fireChannelRead(data)
        }
        head.headers.replaceOrAdd(name: "connection", value: "close")
        // Its client does not know 100 (RFC 9110, section 10.1.1).
        head.headers.remove(name: "expect")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}

@available(*, unavailable)
extension OldVersionHandler: Sendable {}
