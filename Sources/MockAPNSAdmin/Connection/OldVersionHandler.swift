import NIOCore
import NIOHTTP1

/// Lets a request of HTTP/1.0 be the last of its connection: its client expects that the connection ends after the answer.
///
/// Hummingbird (2.28) does not look at the version. Keeping such a connection open would have to be agreed upon, and nothing is
/// gained by it here.
final class OldVersionHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), head.version != .http1_1 else {
            return context.fireChannelRead(data)
        }
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}

@available(*, unavailable)
extension OldVersionHandler: Sendable {}
