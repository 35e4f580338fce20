import MockAPNSCore
import NIOCore
import NIOHTTP1

/// Reads the request of a client of the proxy, and makes the connection a provider's or says why not.
final class ProxyHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// How long a client may take for its request.
    private static let timeLimit = TimeAmount.seconds(10)

    private let hosts: ProxyHosts
    /// The handlers that read and write HTTP/1.1; the last one is the parser.
    private let others: [any RemovableChannelHandler]
    private let refused: (String) -> Void
    private let start: (any Channel) throws -> Void
    /// Whether the request has been answered, or is being.
    private var isAnswered = false
    private var isAccepted = false
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - others: the handlers that read and write HTTP/1.1; the last one is the parser.
    ///   - refused: gets the reason if the client is refused.
    ///   - start: makes the connection a provider's.
    init(
        _ hosts: ProxyHosts, around others: [any RemovableChannelHandler], refused: @escaping (String) -> Void,
        start: @escaping (any Channel) throws -> Void
    ) {
        (self.hosts, self.others, self.refused, self.start) = (hosts, others, refused, start)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.timeLimit) { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isAnswered else { return }
        switch unwrapInboundIn(data) {
        case .head(let head) where head.method != .CONNECT:
            refuse(
                context, .methodNotAllowed,
                "This is a proxy for CONNECT alone; the admin API of mock-apns and its providers have ports of their own."
            )
        case .head(let head):
            if let (status, sentence) = hosts.refusal(of: head.uri) {
                refuse(context, status, sentence)
            } else {
                isAccepted = true
            }
        case .body: break
        case .end: if isAccepted { accept(context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, !isAnswered else { return context.close(promise: nil) }
        refuse(context, .badRequest, "This is a proxy; it reads CONNECT in HTTP/1.1, and did not understand this.")
    }

    /// Lets the connection be a provider's from here on.
    private func accept(_ context: ChannelHandlerContext) {
        isAnswered = true
        let pipeline = context.pipeline.syncOperations
        let (channel, decoder) = (context.channel, others.last)
        for other in others.dropLast() { _ = pipeline.removeHandler(other) }
        // An answer to CONNECT has no length, which the encoder would add.
        channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n"), promise: nil)
        do { try start(channel) } catch { return context.close(promise: nil) }
        _ = pipeline.removeHandler(self)
        // Last, because it passes on what it has read beyond the request.
        if let decoder { _ = pipeline.removeHandler(decoder) }
    }

    private func refuse(_ context: ChannelHandlerContext, _ status: HTTPResponseStatus, _ sentence: String) {
        isAnswered = true
        refused(sentence)
        let text = ByteBuffer(string: sentence + "\n")
        var head = HTTPResponseHead(version: .http1_1, status: status)
        head.headers.add(name: "content-type", value: "text/plain; charset=utf-8")
        head.headers.add(name: "content-length", value: String(text.readableBytes))
        head.headers.add(name: "connection", value: "close")
        if status == .methodNotAllowed { head.headers.add(name: "allow", value: "CONNECT") }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(text))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        // Its side is read to the end, so that the client gets the answer.
        try? context.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        context.close(mode: .output, promise: nil)
    }
}

@available(*, unavailable)
extension ProxyHandler: Sendable {}
