import Logging
import MockAPNSCore
import MockAPNSTransport
import NIOCore
import Synchronization

/// One connection of a provider: its bytes through TLS and HTTP/2 to the gateway, and the answers back.
///
/// Everything happens once per read of the socket: all requests that were completed by it are one batch, decided under one
/// lock, and their answers leave in one flush.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case handshake
        case open
        /// GOAWAY was sent: streams that are open are answered, then the connection ends.
        case draining
        /// Our side is shut: what still comes in is discarded until the peer ends too.
        case ending
        case closed
    }

    private let engine: Engine
    private let scratch: LoopScratch
    private let tls: TLSConnection
    /// Made when the handshake is through: a client with a certificate may have more streams from the start.
    private var session: HTTP2Session?
    private var phase = Phase.handshake
    /// The connection's number in the gateway, once the handshake is through.
    private(set) var number = 0
    private var closedBy = ClosedBy.client
    private var bytesReceived = 0
    private var bytesSent = 0
    /// The provider token of the push before: nearly every push of a connection carries the same.
    private var lastToken: ProviderToken?
    private var trustVersion = 0
    private var timeout: Scheduled<Void>?

    init(engine: Engine, scratch: LoopScratch) throws {
        self.engine = engine
        self.scratch = scratch
        tls = try TLSConnection(context: engine.tls)
    }

    // MARK: Channel events

    func channelActive(context: ChannelHandlerContext) {
        engine.connections.add(context.channel)
        timeout = schedule(context, after: .seconds(10)) { handler, context in handler.handshakeTimedOut(context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase != .ending, phase != .closed else { return }
        let arrived = NIODeadline.now()
        let buffer = unwrapInboundIn(data)
        bytesReceived += buffer.readableBytes
        tls.receive(buffer.readableBytesSpan)
        let fault = readRequests(context)
        if let session {
            answer(session.requests, on: session, arrived: arrived)
            session.recycleRequests()
        }
        send(context)
        if let fault {
            finish(context, fault)
        } else if session?.openStreams == 0 {
            if phase == .draining { end(context, by: .server) }
            if session?.isPeerLeaving == true { end(context, by: .client) }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard phase == .open || phase == .draining else { return }
        if context.channel.isWritable { send(context) }
        if phase == .draining, session?.openStreams == 0, context.channel.isWritable {
            end(context, by: .server)
        } else {
            setReading(context, context.channel.isWritable)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ShutdownEvent { shutDown(context) }
        if event is ReportEvent, let session { engine.updateConnection(number, counters: counters(of: session)) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The peer reset the connection, or vanished: nothing can be sent any more.
        engine.logger.debug("Connection \(number) ended: \(error)")
        closedBy = .client
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timeout?.cancel()
        if let session {
            session.end()
            answer(session.requests, on: session, arrived: .now())
            engine.closeConnection(number, by: closedBy, counters: counters(of: session))
        }
        phase = .closed
        // Last of all: who waits until no connection is open finds the records and events of all of them.
        engine.connections.remove(context.channel)
        context.fireChannelInactive()
    }

    // MARK: Bytes in

    /// Why a connection cannot go on after what it has just sent.
    private enum End {
        case closeNotify
        case handshakeFailed(OpenSSLError)
        case tlsFailed(OpenSSLError)
        case protocolError
    }

    private func readRequests(_ context: ChannelHandlerContext) -> End? {
        while true {
            scratch.plaintext.removeAll(keepingCapacity: true)
            let result = tls.read(into: &scratch.plaintext, upTo: LoopScratch.plaintextSize)
            if phase == .handshake, let facts = tls.facts { opened(context, facts) }
            switch result {
            case .plaintext:
                let plaintext = scratch.plaintext
                if case .failed = session?.receive(plaintext.span) { return .protocolError }
            case .needsMore:
                return nil
            case .closed:
                return .closeNotify
            case .failed(let error):
                return phase == .handshake ? .handshakeFailed(error) : .tlsFailed(error)
            }
        }
    }

    private func opened(_ context: ChannelHandlerContext, _ facts: TLSFacts) {
        phase = .open
        timeout?.cancel()
        timeout = nil
        let (number, settings) = engine.openConnection(
            ConnectionFacts(facts, remoteAddress: context.channel.remoteAddress))
        self.number = number
        session = HTTP2Session(settings: settings, pool: scratch.requests)
    }

    // MARK: Requests to answers

    private func answer(_ requests: [ReceivedRequest], on session: HTTP2Session, arrived: NIODeadline) {
        guard !requests.isEmpty else { return }
        let trustVersion = engine.trustVersion.load(ordering: .acquiring)
        if trustVersion != self.trustVersion {
            lastToken = nil
            self.trustVersion = trustVersion
        }
        scratch.tokens.removeAll(keepingCapacity: true)
        for request in requests { scratch.tokens.append(providerToken(of: request)) }
        scratch.decisions.removeAll(keepingCapacity: true)
        engine.decide(
            requests, tokens: scratch.tokens, on: number, arrived: arrived, into: &scratch.decisions)
        for index in requests.indices {
            perform(scratch.decisions[index], for: requests[index].streamID, on: session)
        }
    }

    private func perform(_ decision: Decision, for stream: Int32, on session: HTTP2Session) {
        if let limit = decision.streamLimit { session.announce(maxConcurrentStreams: limit) }
        guard let answer = decision.answer else { return }
        scratch.fields.write(answer)
        session.respond(to: stream, fields: scratch.fields, body: answer.body)
    }

    /// The request's provider token: nearly always the one before, else one that the server knows, else a new one, which
    /// is verified here so that 70 µs of ECDSA are spent outside the gateway's lock.
    private func providerToken(of request: ReceivedRequest) -> ProviderToken? {
        let bytes = request.bytes
        guard let range = HeaderFields.authorization(in: bytes, headerLength: request.headerLength) else { return nil }
        let authorization = bytes.extracting(range.range)
        if let lastToken, lastToken.hasAuthorization(authorization) { return lastToken }
        lastToken = engine.providerToken(authorization)
        return lastToken
    }

    // MARK: Bytes out

    private func send(_ context: ChannelHandlerContext) {
        guard let session else {
            writeCiphertext(context)
            return context.flush()
        }
        var more = true
        while more {
            scratch.output.removeAll(keepingCapacity: true)
            more = session.send(into: &scratch.output, limit: LoopScratch.recordSize)
            let output = scratch.output
            if !output.isEmpty {
                do { try tls.write(output.span) } catch { more = false }
            }
            writeCiphertext(context)
            // A peer that does not read gets no more until it does: what it asked for stays in nghttp2, which is
            // bounded, because nothing more is read from it either.
            guard context.channel.isWritable else { break }
        }
        context.flush()
    }

    private func writeCiphertext(_ context: ChannelHandlerContext) {
        guard tls.hasOutput else { return }
        scratch.ciphertext.clear()
        tls.withOutput { span in _ = scratch.ciphertext.writeBytes(span) }
        bytesSent += scratch.ciphertext.readableBytes
        context.write(wrapOutboundOut(scratch.ciphertext), promise: nil)
    }

    private func setReading(_ context: ChannelHandlerContext, _ reads: Bool) {
        try? context.channel.syncOptions?.setOption(.autoRead, value: reads)
    }

    // MARK: The end

    /// GOAWAY `Shutdown` with the last stream that was processed; what is open is answered, then the connection ends.
    private func shutDown(_ context: ChannelHandlerContext) {
        guard phase == .open, let session else {
            if phase == .handshake { context.close(promise: nil) }
            return
        }
        phase = .draining
        session.goAway(
            lastStream: session.highestStream, errorCode: 0, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
        send(context)
        if session.openStreams == 0 { end(context, by: .server) }
    }

    private func finish(_ context: ChannelHandlerContext, _ reason: End) {
        switch reason {
        case .closeNotify:
            end(context, by: .client)
        case .protocolError:
            end(context, by: .fault)
        case .handshakeFailed(let error):
            engine.handshakeFailed(error, remoteAddress: context.channel.remoteAddress)
            end(context, by: .fault)
        case .tlsFailed(let error):
            engine.logger.debug("Connection \(number) ended in TLS: \(error)")
            end(context, by: .fault)
        }
    }

    /// The last bytes, then the end of our side; what the peer still sends is discarded until it ends too, at most for a
    /// second. Closing at once would make the kernel reset the connection, and the peer might never see what we said.
    private func end(_ context: ChannelHandlerContext, by closer: ClosedBy) {
        guard phase != .ending, phase != .closed else { return }
        phase = .ending
        closedBy = closer
        tls.sendCloseNotify()
        writeCiphertext(context)
        context.flush()
        context.close(mode: .output, promise: nil)
        setReading(context, true)
        timeout?.cancel()
        timeout = schedule(context, after: .seconds(1)) { _, context in context.close(promise: nil) }
    }

    private func handshakeTimedOut(_ context: ChannelHandlerContext) {
        engine.logger.debug("A client did not finish its TLS handshake in 10 s.")
        context.close(promise: nil)
    }

    private func schedule(
        _ context: ChannelHandlerContext, after delay: TimeAmount,
        _ body: @escaping (ConnectionHandler, ChannelHandlerContext) -> Void
    ) -> Scheduled<Void> {
        let bound = NIOLoopBound((self, context, body), eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: delay) {
            let (handler, context, body) = bound.value
            body(handler, context)
        }
    }

    private func counters(of session: HTTP2Session) -> ConnectionCounters {
        let frames = session.counters
        var counters = ConnectionCounters()
        counters.inFlight = session.openStreams
        counters.resetsSent = frames.resetsSent
        counters.resetsReceived = frames.resetsReceived
        counters.pings = frames.pings
        counters.goAwaysSent = frames.goAwaysSent
        counters.settingsSent = frames.settingsSent
        counters.settingsReceived = frames.settingsReceived
        counters.bytesReceived = bytesReceived
        counters.bytesSent = bytesSent
        return counters
    }
}
