import MockAPNS
import NIOCore
import NIOHTTP1

extension HTTPConnection {
    func answer(_ request: Request, _ terms: Terms, _ context: ChannelHandlerContext) {
        let client = Request.Client()
        var request = request
        request.client = client
        state = .answering(client, terms)
        if isInputClosed { endSoon(client, context) }
        let writer = Writer(connection: NIOLoopBound((self, context), eventLoop: context.eventLoop))
        task = Task { [router, request] in await writer.write(router.respond(to: request)) }
    }

    func answer(at context: ChannelHandlerContext, _ terms: Terms, _ response: Response) {
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
    func close(_ context: ChannelHandlerContext) {
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
}
