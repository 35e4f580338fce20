import NIOCore

/// Closes a connection on which nothing more will be written: further input is discarded until the client closes its
/// side, or for a limited time.
///
/// Closing at once instead would make the kernel send RST for unread input, and the client might lose the answer.
final class LingeringClose: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// How long the client may be silent before its side is closed too.
    static let silence = TimeAmount.seconds(1)
    /// The maximum time that input is discarded for a client that keeps sending.
    static let limit = TimeAmount.seconds(10)

    private var isLingering = false
    private var hasRead = false
    private var deadline = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event as? ChannelEvent {
        case .outputClosed where !isLingering:
            isLingering = true
            deadline = .now() + Self.limit
            schedule(context)
            context.read()
        case .inputClosed where isLingering:
            context.close(promise: nil)
        default:
            break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isLingering { hasRead = true } else { context.fireChannelRead(data) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // The parser and what follows it read no more.
        if isLingering { context.read() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    private func schedule(_ context: ChannelHandlerContext) {
        hasRead = false
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.silence) { [self] in
            if hasRead, .now() < deadline { schedule(context) } else { context.close(promise: nil) }
        }
    }
}

@available(*, unavailable)
extension LingeringClose: Sendable {}
