import Logging
import MockAPNSCore
import MockAPNSTransport
import NIOCore
import Synchronization

/// A provider's connection: passes its bytes through TLS and HTTP/2 to the gateway, and returns the answers.
///
/// Work is done once per read from the socket: all requests completed by a read form one batch, decided under one lock,
/// and their answers are sent with one flush at the end of the loop's round (``LoopRounds``).
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The engine of the listener's server, or of the session that the server name belongs to.
    private(set) var engine: Engine
    let scratch: LoopScratch
    let tls: TLSConnection
    /// Created after the handshake: a client with a certificate may open more streams from the start.
    var session: HTTP2Session?
    var life = ConnectionLife() { didSet { isOpen = life.isOpen } }
    /// Whether no end of the connection has begun. Kept here because each read asks for it.
    private(set) var isOpen = false
    /// Whether nothing more is sent, because the connection ends after a GOAWAY instead of SETTINGS.
    private var isOutputEnded = false
    /// The id of the connection in the gateway, once the handshake has finished or failed.
    var connectionID = 0
    var bytesReceived = 0
    var bytesSent = 0
    /// The provider token of the previous push: nearly all pushes of a connection have the same.
    private var lastToken: ProviderToken?
    private var trustVersion = 0
    var lastRead = NIODeadline.now()
    /// Whether the last event was a read.
    private var hasJustRead = false
    var timeout: Scheduled<Void>?
    /// When the last temporary stream limit ends.
    var restoring: (end: NIODeadline, timer: Scheduled<Void>)?
    /// When the next bytes of a slow answer are sent.
    var nextDrop: Scheduled<Void>?
    /// Answers that are not due yet, by stream.
    var delayed: [Int32: DelayedAnswer] = [:]
    /// The pushes that wait for the order of a fleet, or for the upstream of a relay: their ids, by stream.
    var postponed: [Int32: Int] = [:]
    /// The connection to the upstream of a relay, once something was passed on.
    var upstream: UpstreamConnection?
    /// Answers that were not sent as they were decided; their records do not say so yet.
    var unsent: [UnsentAnswer] = []
    /// The answer being sent slowly, if any.
    var drip: Drip?
    /// The decision of rules on connections, if there are any.
    let handshakePolicy: HandshakePolicy?
    /// Whether the answer to the ClientHello is held back.
    var isHandshakeHeld = false

    /// Whether its port is for the sandbox; `nil` means the environment of the server.
    private let isSandbox: Bool?

    init(engine: Engine, sessions: Sessions, scratch: LoopScratch, isSandbox: Bool?) throws {
        self.engine = engine
        self.isSandbox = isSandbox
        self.scratch = scratch
        let hasRules = engine.gateway.withLock { $0.hasRulesOnConnect }
        handshakePolicy = hasRules || sessions.haveServerNames ? HandshakePolicy(engine, sessions) : nil
        tls = try TLSConnection(context: engine.tls, onClientHello: handshakePolicy?.judge)
        tls.rsaCertificate = { [engine, handshakePolicy] in
            (handshakePolicy?.engine ?? engine).rsaServer(handshakePolicy?.decision?.certificateFault)
        }
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        // A proxy has had the connection before.
        if context.channel.isActive { channelActive(context: context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        engine.connections.add(context.channel)
        scratch.rounds.connections += 1
        timeout = schedule(context, after: engine.timeouts.handshake) { handler, context in
            handler.handshakeTimedOut(context)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isOpen || life.reads else { return }
        lastRead = .now()
        let buffer = unwrapInboundIn(data)
        bytesReceived += buffer.readableBytes
        tls.receive(buffer.readableBytesSpan)
        process(context)
        hasJustRead = true
    }

    /// Reads what TLS has received, and answers it.
    func process(_ context: ChannelHandlerContext) {
        let fault = readRequests(context)
        if handshakePolicy != nil, life.isInHandshake, holdsHandshake(context, until: fault) { return }
        if let session {
            answer(session.requests, on: session, context)
            if !delayed.isEmpty || !postponed.isEmpty { abandonAnswers(to: session.cancelledStreams) }
            session.recycleRequests()
        }
        writePending(context)
        scratch.rounds.flushLater(context)
        if let fault { finish(context, fault) } else { settle(context) }
    }

    /// Called after each read, and once more before the channel is closed because the client has closed its side: then
    /// nothing can wait until the end of the round.
    func channelReadComplete(context: ChannelHandlerContext) {
        if !hasJustRead { context.flush() }
        hasJustRead = false
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard isOpen || life.answers else { return }
        upstream?.setReading(context.channel.isWritable)
        guard context.channel.isWritable else { return setReading(context, false) }
        setReading(context, true)
        send(context)
        settle(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let event as OrderEvent: carryOut(event.actions, context)
        case let event as DecidedEvent: answer(event.decided, context)
        case let event as UpstreamEvent: passBack(event, context)
        case is ReportEvent: if let session { engine.updateConnection(connectionID, counters: counters(of: session)) }
        case is ShutdownEvent: carryOut(life.shutDown(), context)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The peer reset the connection or disappeared: nothing can be sent any more.
        engine.logger.debug("Connection \(connectionID) ended: \(error)")
        carryOut(life.lost(), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        scratch.rounds.connections -= 1
        // Each would keep the memory of the connection until its time has come.
        for timer in [timeout, restoring?.timer, nextDrop] { timer?.cancel() }
        if let session {
            session.end()
            lastRead = .now()
            answer(session.requests, on: session, context)
            abandonAllAnswers()
            engine.closeConnection(
                connectionID, by: life.closedBy, explanation: life.explanation, counters: counters(of: session))
            leaveUpstream()
        } else {
            noteFailedHandshake(context)
        }
        life.closed()
        // Last of all: when no connection is open any more, all their records and events are there.
        if engine.connections.remove(context.channel, id: connectionID) { engine.giveBackMemorySoon() }
        context.fireChannelInactive()
    }

    // MARK: Bytes in

    /// Why a connection cannot continue after what it has just sent.
    enum End {
        case closeNotify
        case handshakeFailed(OpenSSLError)
        case tlsFailed(OpenSSLError)
        case protocolError
    }

    private func readRequests(_ context: ChannelHandlerContext) -> End? {
        while true {
            scratch.plaintext.removeAll(keepingCapacity: true)
            let result = tls.read(into: &scratch.plaintext, upTo: LoopScratch.plaintextSize)
            if let handshakePolicy, handshakePolicy.engine !== engine {
                move(context.channel, to: handshakePolicy.engine)
            }
            if !isOpen, life.isInHandshake, let facts = tls.facts { opened(context, facts) }
            // Writing has shown that the peer has gone.
            if !isOpen, life.isClosed { return nil }
            switch result {
            case .plaintext:
                let plaintext = scratch.plaintext
                if case .failed = session?.receive(plaintext.span) { return .protocolError }
            case .needsMore:
                return nil
            case .needsCertificate:
                awaitCertificate(context)
                return nil
            case .closed:
                return .closeNotify
            case .failed(let error):
                guard life.isInHandshake else { return .tlsFailed(error) }
                answerForeignProtocol()
                return .handshakeFailed(error)
            }
        }
    }

    /// Hands the connection over to a session.
    private func move(_ channel: any Channel, to other: Engine) {
        _ = engine.connections.remove(channel, id: connectionID)
        other.connections.add(channel)
        engine = other
    }

    private func opened(_ context: ChannelHandlerContext, _ facts: TLSFacts) {
        life.opened()
        timeout?.cancel()
        timeout = nil
        var facts = ConnectionFacts(facts, remoteAddress: context.channel.remoteAddress)
        facts.isSandboxPort = isSandbox
        let (opening, settings, idleAfter) = engine.openConnection(
            facts, after: handshakePolicy?.decision, channel: context.channel)
        connectionID = opening.id
        if let rejection = opening.rejection {
            engine.warn(
                .rejection,
                "Connection \(connectionID) from \(HostText.withPort(context.channel.remoteAddress)): \(rejection)")
        }
        let session = HTTP2Session(
            settings: settings, pool: scratch.requests, sendsSettings: !opening.omitsSettings)
        session.onPing = { [engine, connectionID] in engine.acknowledgesPing(on: connectionID, inFlight: $0) }
        self.session = session
        if let idleAfter { watchIdleness(context, after: idleAfter) }
        if !opening.actions.isEmpty { begin(opening.actions, on: session, stream: 0, context) }
        if opening.omitsSettings {
            // Before the acknowledgement of the client's frames.
            send(context)
            isOutputEnded = life.endsUnanswered
        }
    }

    // MARK: Requests to answers

    private func answer(
        _ requests: [ReceivedRequest], on session: HTTP2Session, _ context: ChannelHandlerContext
    ) {
        guard !requests.isEmpty else { return }
        let trustVersion = engine.trustVersion.load(ordering: .acquiring)
        if trustVersion != self.trustVersion {
            lastToken = nil
            self.trustVersion = trustVersion
        }
        parse(requests, into: &scratch.parsed)
        scratch.decisions.removeAll(keepingCapacity: true)
        let batch = Engine.Batch(requests: requests, connection: connectionID, arrived: lastRead)
        let waiting = engine.decide(batch, &scratch.parsed, into: &scratch.decisions)
        for push in waiting { postponed[Int32(push.stream)] = push.id }
        if let target = engine.relay, !waiting.isEmpty { pass(waiting, to: target, context) }
        let decisions = scratch.decisions
        for index in requests.indices {
            perform(decisions.span[index], for: requests[index].streamID, on: session, context)
        }
    }

    /// Does what was decided about a request. Inlined, since a decision that is lent to a function is copied.
    @inline(__always)
    func perform(
        _ decision: borrowing Decision, for stream: Int32, on session: HTTP2Session, _ context: ChannelHandlerContext
    ) {
        if !decision.actions.isEmpty { begin(decision.actions, on: session, stream: stream, context) }
        if let limit = decision.streamLimit { session.announce(maxConcurrentStreams: limit) }
        if let response = decision.response { return follow(response, decision.answer, on: session, context) }
        guard let answer = decision.answer else { return }
        scratch.fields.write(answer)
        session.respond(to: stream, fields: scratch.fields, body: answer.body)
    }

    /// Parses what needs no lock: the header fields and the provider tokens. The last request comes first, so that each
    /// can be removed from the end.
    private func parse(_ requests: [ReceivedRequest], into parsed: inout [ParsedRequest]) {
        for request in requests.reversed() {
            let bytes = request.bytes
            parsed.append(ParsedRequest(RequestFacts(request), bytes: bytes))
            let last = parsed.count - 1
            if let range = parsed[last].push.authorization {
                parsed[last].facts.providerToken = providerToken(bytes.extracting(range.range))
            }
        }
    }

    /// Returns the provider token of an `authorization` value: nearly always the previous one, otherwise one the server
    /// has cached, otherwise a new one, verified here so that 70 µs of ECDSA are spent outside the gateway's lock.
    private func providerToken(_ authorization: Span<UInt8>) -> ProviderToken? {
        if let lastToken, lastToken.hasAuthorization(authorization) { return lastToken }
        lastToken = engine.providerToken(authorization)
        return lastToken
    }

    // MARK: Bytes out

    /// Sends pending output.
    func send(_ context: ChannelHandlerContext, holdsGoAways: Bool = false) {
        writePending(context, holdsGoAways: holdsGoAways)
        context.flush()
    }

    /// Writes pending output, to be sent with the next flush.
    private func writePending(_ context: ChannelHandlerContext, holdsGoAways: Bool = false) {
        guard let session, !isOutputEnded else { return writeCiphertext(context) }
        // Before anything is flushed, so that a client that has an answer finds its record complete.
        defer { if session.hasAnswerFaults || !unsent.isEmpty { noteUnsentAnswers(on: session) } }
        if drip != nil { return fillDrip(from: session, context) }
        var more = true
        while more {
            scratch.output.removeAll(keepingCapacity: true)
            more = session.send(
                into: &scratch.output, limit: LoopScratch.recordSize, holdsGoAways: holdsGoAways)
            let output = scratch.output
            if !output.isEmpty {
                do { try tls.write(output.span) } catch { more = false }
            }
            writeCiphertext(context)
            // A peer that does not read gets no more until it does: its pending output stays in nghttp2, and is bounded
            // because nothing more is read from the peer either.
            more = more && context.channel.isWritable
        }
    }

    func writeCiphertext(_ context: ChannelHandlerContext) {
        let count = tls.outputCount
        guard count > 0 else { return }
        let ciphertext = scratch.rounds.buffer(for: count) { tls.takeOutput(into: &$0) }
        bytesSent += count
        context.write(wrapOutboundOut(ciphertext), promise: nil)
    }

    func setReading(_ context: ChannelHandlerContext, _ reads: Bool) {
        try? context.channel.syncOptions?.setOption(.autoRead, value: reads)
    }
}
