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

    private enum State {
        case waiting
        case receiving(Request, Terms, bodyLimit: Int)
        case answering(Request.Client, Terms)
        case ended
    }

    /// What the fields of a request say of its answer.
    private struct Terms {
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

    private let router: Router
    private let policy: AccessPolicy
    private var state = State.waiting
    /// The body of the request being received, apart from the state so that it grows without being copied.
    private var body = ByteBuffer()
    /// What has arrived behind the request being answered.
    private var queue: CircularBuffer<HTTPServerRequestPart> = []
    private var isReadHeld = false
    private var isProceeding = false
    /// Why the rest of the client's input cannot be read.
    private var parserError: HTTPParserError?
    private var isInputClosed = false
    private var isStopping = false
    private var task: Task<Void, Never>?
    /// Succeeds when there is room for more output.
    private var room: EventLoopPromise<Void>?
    /// Succeeds when the latest answer has been written.
    private var written: EventLoopFuture<Void>?

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
    private func proceed(_ context: ChannelHandlerContext) {
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

    private var isAnswering: Bool { if case .answering = state { true } else { false } }

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
        let request = Request(head.method, head.uri, fields: fields)
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

    // MARK: Answers

    private func answer(_ request: Request, _ terms: Terms, _ context: ChannelHandlerContext) {
        let client = Request.Client()
        var request = request
        request.client = client
        state = .answering(client, terms)
        if isInputClosed { endSoon(client, context) }
        let writer = Writer(connection: NIOLoopBound((self, context), eventLoop: context.eventLoop))
        task = Task { [router, request] in await writer.write(router.respond(to: request)) }
    }

    private func answer(at context: ChannelHandlerContext, _ terms: Terms, _ response: Response) {
        body = ByteBuffer()
        state = .answering(Request.Client(), terms)
        begin(response, context)
    }

    /// Writes an answer as far as it is there.
    ///
    /// - Returns: whether the pieces of its body are to follow.
    @discardableResult
    private func begin(_ response: Response, _ context: ChannelHandlerContext) -> Bool {
        guard case .answering(_, let terms) = state else { return false }
        let head = HTTPResponseHead(version: .http1_1, status: response.status, headers: fields(of: response, terms))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        switch response.body {
        case .bytes(let body):
            if !terms.isForHead, body.readableBytes > 0 {
                context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
            }
        case .pieces:
            guard terms.isForHead else { return true }
        }
        end(context)
        return false
    }

    /// Returns the fields of an answer, with those that all have.
    private func fields(of response: Response, _ terms: Terms) -> HTTPHeaders {
        var fields = response.fields
        switch response.body {
        case .bytes(let body): fields.add(name: "Content-Length", value: String(body.readableBytes))
        case .pieces: if terms.isHTTP11, !terms.isForHead { fields.add(name: "Transfer-Encoding", value: "chunked") }
        }
        if terms.isLast { fields.add(name: "Connection", value: "close") }
        fields.add(name: "Date", value: HTTPDate.text(WallClock.now()))
        // Web pages must not read answers, guess their type, or cache them.
        fields.add(name: "X-Content-Type-Options", value: "nosniff")
        if !fields.contains(name: "Cache-Control") { fields.add(name: "Cache-Control", value: "no-store") }
        fields.add(name: "Cross-Origin-Resource-Policy", value: "same-origin")
        return fields
    }

    /// Writes a piece of a body; the result succeeds once there is room for the next one.
    private func append(_ piece: ByteBuffer, _ context: ChannelHandlerContext) -> EventLoopFuture<Void> {
        guard isAnswering else { return context.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(piece))), promise: nil)
        guard !context.channel.isWritable else { return context.eventLoop.makeSucceededVoidFuture() }
        let room = self.room ?? context.eventLoop.makePromise()
        self.room = room
        return room.futureResult
    }

    /// Ends the answer, and the connection if it was the last.
    private func end(_ context: ChannelHandlerContext) {
        guard case .answering(_, let terms) = state else { return }
        task = nil
        let written = context.eventLoop.makePromise(of: Void.self)
        self.written = written.futureResult
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        if terms.isLast { return close(context) }
        state = .waiting
        proceed(context)
    }

    /// Closes the connection once all is written, and, if there may be more of the client's, once it has been discarded
    /// as ``LingeringClose`` does.
    private func close(_ context: ChannelHandlerContext) {
        state = .ended
        queue = []
        if isInputClosed || isStopping {
            // Closing the output alone would make NIO drop what is yet to be written, since the input is closed.
            let written = written ?? context.eventLoop.makeSucceededVoidFuture()
            written.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        } else {
            context.close(mode: .output, promise: nil)
        }
        if isReadHeld { context.read() }
    }

    /// Writes answers from outside the event loop.
    private struct Writer: Response.Writer {
        let connection: NIOLoopBound<(HTTPConnection, ChannelHandlerContext)>

        private func onLoop<Result: Sendable>(
            _ body: @escaping @Sendable (HTTPConnection, ChannelHandlerContext) -> EventLoopFuture<Result>
        ) async throws -> Result {
            try await connection.eventLoop.flatSubmit {
                let (handler, context) = connection.value
                return body(handler, context)
            }.get()
        }

        func write(_ response: Response) async {
            do {
                let hasPieces = try await onLoop { handler, context in
                    context.eventLoop.makeSucceededFuture(handler.begin(response, context))
                }
                guard hasPieces, case .pieces(let write) = response.body else { return }
                try await write(self)
                try await onLoop { handler, context in
                    context.eventLoop.makeSucceededFuture(handler.end(context))
                }
            } catch {
                // The client has to see that the answer is not complete.
                connection.eventLoop.execute { connection.value.1.close(promise: nil) }
            }
        }

        func write(_ piece: ByteBuffer) async throws {
            try await onLoop { handler, context in handler.append(piece, context) }
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
    private func endSoon(_ client: Request.Client, _ context: ChannelHandlerContext) {
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
