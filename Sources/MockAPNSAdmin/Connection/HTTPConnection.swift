import MockAPNS
import NIOCore
import NIOHTTP1

/// One connection to the admin listener: HTTP/1.1 (RFC 9112), one request after the other.
///
/// A request is answered when its body is complete; one that is refused for its fields, or has too large a body, at once.
/// Nothing more is read until the client has taken the answer, so that it can make neither requests nor answers pile up.
final class HTTPConnection: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPServerResponsePart

    /// How long work on an answer continues after the client has closed its side: it may still read.
    private static let patience = TimeAmount.milliseconds(100)

    enum State {
        case waiting
        case receiving(Request, Terms, bodyLimit: Int)
        case answering(Request.Client, Terms)
        case ended
    }

    /// What the fields of a request say of its answer.
    struct Terms {
        var isForHead: Bool
        /// Whether the client knows chunks, and the status 100.
        var isHTTP11: Bool
        /// Whether the connection ends after the answer.
        var isLast: Bool

        /// The same, of an answer that is the last.
        var last: Terms {
            var terms = self
            terms.isLast = true
            return terms
        }
    }

    let router: Router
    private let policy: AccessPolicy
    var state = State.waiting
    /// The body of the request being received, apart from the state so that it grows without being copied.
    var body = ByteBuffer()
    /// What has arrived behind the request being answered.
    var queue: CircularBuffer<HTTPServerRequestPart> = []
    var isReadHeld = false
    private var isProceeding = false
    /// Why the rest of the client's input cannot be read.
    private var parserError: HTTPParserError?
    var isInputClosed = false
    var isStopping = false
    var task: Task<Void, Never>?
    /// Succeeds when there is room for more output.
    var room: EventLoopPromise<Void>?
    /// Succeeds when the latest answer has been written.
    var written: EventLoopFuture<Void>?

    init(_ router: Router, _ policy: AccessPolicy) { (self.router, self.policy) = (router, policy) }

    /// Joins the pipeline of its channel, behind NIO's parser.
    func join(_ channel: any Channel) throws -> ChannelHandlerContext {
        var encoder = HTTPResponseEncoder.Configuration()
        // The framing of an answer depends on its request.
        encoder.automaticallySetFramingHeaders = false
        var limits = NIOHTTPDecoderLimitConfiguration()
        (limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (80 << 10, 1000)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withEncoderConfiguration: encoder,
            withDecoderLimitConfiguration: limits)
        try pipeline.addHandler(self)
        return try pipeline.context(handler: self)
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        queue.append(unwrapInboundIn(data))
        proceed(context)
    }

    func read(context: ChannelHandlerContext) {
        if isHeld(context) { isReadHeld = true } else { context.read() }
    }

    /// Whether nothing more is taken: an answer is in progress, or an earlier one waits until the client reads.
    private func isHeld(_ context: ChannelHandlerContext) -> Bool {
        switch state {
        case .answering: true
        case .waiting, .receiving: !context.channel.isWritable
        case .ended: false
        }
    }

    /// Takes what has arrived, up to the next request to answer.
    func proceed(_ context: ChannelHandlerContext) {
        // An answer that is there at once ends within the loop.
        guard !isProceeding else { return }
        isProceeding = true
        while !isHeld(context), let part = queue.popFirst() { take(part, context) }
        isProceeding = false
        guard !isHeld(context) else { return }
        if let parserError {
            self.parserError = nil
            let terms = Terms(isForHead: false, isHTTP11: true, isLast: true)
            return answer(at: context, terms, APIError(parserError).response)
        }
        if isInputClosed, case .waiting = state { return close(context) }
        if isReadHeld {
            isReadHeld = false
            context.read()
        }
    }

    var isAnswering: Bool { if case .answering = state { true } else { false } }

    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch (part, state) {
        case (.head(let head), .waiting):
            receive(head, context)
        case (.body(var bytes), .receiving(_, let terms, let limit)):
            body.writeBuffer(&bytes)
            if body.readableBytes > limit { answer(at: context, terms.last, APIError.tooLarge(limit).response) }
        case (.end, .receiving(var request, let terms, _)):
            request.body = Array(body.readableBytesView)
            body = ByteBuffer()
            answer(request, terms, context)
        default:
            // The rest of a request that has been answered.
            break
        }
    }

    /// Receives the fields of a request.
    ///
    /// NIO's parser reads nothing more after CONNECT or a request with `Upgrade`, expecting another protocol. HTTP/1.0
    /// clients expect the connection to end after the answer, and do not know 100 (RFC 9110, section 10.1.1).
    private func receive(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let isHTTP11 = head.version == .http1_1
        let terms = Terms(
            isForHead: head.method == .HEAD, isHTTP11: isHTTP11,
            isLast: !isHTTP11 || !head.isKeepAlive || head.method == .CONNECT || head.headers.contains(name: "Upgrade"))
        // NIO leaves the white space behind a value.
        let fields = HTTPHeaders(head.headers.map { ($0.name, $0.value.withoutOuterSpaces) })
        var request = Request(head.method, head.uri, fields: fields)
        router.prefix.strip(&request, isLocal: context.remoteAddress?.isLoopback ?? false)
        if let rejection = policy.rejection(of: AccessPolicy.Caller(request)) {
            return answer(at: context, terms, APIError(rejection).response)
        }
        let limit: Int
        switch router.bodyLimit(for: request) {
        case .success(let bytes): limit = bytes
        case .failure(let error): return answer(at: context, terms, error.response)
        }
        if let length = fields.first(name: "Content-Length"), Int(length) ?? .max > limit {
            return answer(at: context, terms.last, APIError.tooLarge(limit).response)
        }
        body = ByteBuffer()
        state = .receiving(request, terms, bodyLimit: limit)
        if isHTTP11, fields.first(name: "Expect")?.lowercased() == "100-continue" {
            let goOn = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(goOn)), promise: nil)
        }
    }

    // MARK: The end

    /// Lets the answer in progress be the last; ends the connection if there is none.
    func stop(_ context: ChannelHandlerContext) {
        isStopping = true
        if case .answering(let client, let terms) = state {
            state = .answering(client, terms.last)
        } else {
            close(context)
        }
    }

    /// Cancels the answer in progress.
    func cancel() { task?.cancel() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            isInputClosed = true
            if case .answering(let client, _) = state { endSoon(client, context) }
            proceed(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Cancels what is done for a client that has closed its side, unless it has its answer soon.
    func endSoon(_ client: Request.Client, _ context: ChannelHandlerContext) {
        context.eventLoop.scheduleTask(in: Self.patience) { client.leave() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case let error as HTTPParserError:
            guard parserError == nil else { return }
            switch state {
            case .receiving: state = .waiting
            case .ended: return
            case .waiting, .answering: break
            }
            parserError = error
            proceed(context)
        case is ByteToMessageDecoderError:
            // More has arrived behind it.
            break
        default:
            context.close(promise: nil)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            takeRoom()?.succeed()
            proceed(context)
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .answering(let client, _) = state { client.leave() }
        state = .ended
        takeRoom()?.fail(ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    private func takeRoom() -> EventLoopPromise<Void>? {
        defer { room = nil }
        return room
    }
}

@available(*, unavailable)
extension HTTPConnection: Sendable {}

extension String {
    fileprivate var withoutOuterSpaces: String {
        guard let first = utf8.first, let last = utf8.last, first <= 0x20 || last <= 0x20 else { return self }
        let isSpace = { (letter: Character) in letter == " " || letter == "\t" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
