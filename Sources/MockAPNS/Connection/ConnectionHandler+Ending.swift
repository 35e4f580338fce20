import Logging
import MockAPNSCore
import MockAPNSTransport
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

// Actions on a connection apart from answering: the gateway's, and the ways to close it.

extension ConnectionHandler {
    /// Carries out orders at once.
    func carryOut(_ actions: [ConnectionAction], _ context: ChannelHandlerContext) {
        guard life.answers, let session else { return }
        begin(actions, on: session, stream: 0, context)
        send(context)
        settle(context)
    }

    /// Queues the frames of actions, and remembers how the connection is to be closed after them.
    func begin(
        _ actions: [ConnectionAction], on session: HTTP2Session, stream: Int32, _ context: ChannelHandlerContext
    ) {
        for action in actions {
            switch life.apply(action) {
            case .settings(let limit, let duration):
                session.announce(maxConcurrentStreams: limit)
                scheduleRestoring(context, after: duration.map { .milliseconds($0) })
            case .goAway(let frames, _, _):
                for frame in frames {
                    session.goAway(
                        lastStream: frame.lastStream, errorCode: frame.errorCode, debugData: frame.debugData)
                }
                session.ignoreStreams(above: Int32(clamping: life.lastStream))
            case .close: break
            case .resetStream(let codes):
                for code in codes { session.reset(stream: stream, errorCode: code) }
            case .ignorePings(let ignores):
                session.answersPings = !ignores
            }
        }
    }

    /// Closes the connection if that was ordered, or if nothing is left to do on it.
    func settle(_ context: ChannelHandlerContext) {
        let isClientLeaving = session?.isPeerLeaving ?? false
        if isOpen, !isClientLeaving { return }
        let action = life.settle(
            .init(
                openStreams: session?.openStreams ?? 0, isDripping: drip != nil, isClientLeaving: isClientLeaving))
        guard action != .goOn else { return }
        // Send the answers made before the end first.
        context.flush()
        carryOut(action, context)
    }

    func finish(_ context: ChannelHandlerContext, _ reason: End) {
        switch reason {
        case .closeNotify:
            carryOut(life.end(by: .client), context)
        case .protocolError:
            let fault = protocolFault
            let address = HostText.withPort(context.channel.remoteAddress)
            engine.warn(.protocolFault, "Connection \(connectionID) from \(address) was ended: \(fault)")
            carryOut(life.end(by: .fault, fault), context)
        case .handshakeFailed(let error):
            carryOut(life.end(by: .handshake, handshakeFault(error)), context)
        case .tlsFailed(let error):
            engine.logger.debug("Connection \(connectionID) ended in TLS: \(error)")
            carryOut(life.end(by: .fault, "TLS failed: \(error)."), context)
        }
    }

    /// How the client broke the protocol, and a hint.
    var protocolFault: String {
        guard let fault = session?.fault else { return "The client broke HTTP/2." }
        guard case .http1(let request) = fault else { return fault.sentence }
        let isForAdmin = request.split(separator: " ").last.map { AdminPath.isOne(of: $0.utf8) } ?? false
        let admin = isForAdmin ? engine.adminURL.map { " \(AdminPath.sentence(url: $0))" } ?? "" : ""
        return fault.sentence + admin
    }

    /// Carries out what follows from an event in the connection's life.
    func carryOut(_ action: ConnectionLife.Action, _ context: ChannelHandlerContext) {
        // A client that leaves the handshake is recorded when its socket closes.
        if session == nil, !life.closedBy.isClients { noteFailedHandshake(context) }
        switch action {
        case .goOn: break
        case .goAway:
            guard let session else { return }
            carryOut(engine.shutDown(connectionID, lastStream: session.highestStream), context)
        case .close(.end):
            tls.sendCloseNotify()
            closeOutput(context)
        case .close(.truncate): closeOutput(context)
        case .close(.reset):
            // Linger with a timeout of zero: the kernel sends RST and drops unsent data (RFC 9293, section 3.10.7.4).
            let options = context.channel as? any SocketOptionProvider
            options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
            context.close(promise: nil)
        case .close(.silent):
            abandonAllAnswers()
            timeout?.cancel()
            setReading(context, false)
        case .drop:
            context.close(promise: nil)
        }
    }

    /// Sends FIN, and discards the client's input until the client closes too or ``ConnectionTimeouts/closing`` has
    /// passed: closing at once would make the kernel reset the connection, and the client might never see what was sent.
    private func closeOutput(_ context: ChannelHandlerContext) {
        writeCiphertext(context)
        context.flush()
        context.close(mode: .output, promise: nil)
        setReading(context, true)
        timeout?.cancel()
        timeout = schedule(context, after: engine.timeouts.closing) { _, context in context.close(promise: nil) }
    }

    // MARK: Time

    /// Waits for the end of the last temporary stream limit with one timer; a permanent limit ends the wait.
    private func scheduleRestoring(_ context: ChannelHandlerContext, after duration: TimeAmount?) {
        let end = duration.map { .now() + $0 }
        if let restoring, let end, restoring.end >= end { return }
        restoring?.timer.cancel()
        restoring = end.map { end in
            (
                end,
                schedule(context, after: end - .now()) {
                    $0.restoring = nil
                    $0.restoreStreamLimit($1)
                }
            )
        }
    }

    private func restoreStreamLimit(_ context: ChannelHandlerContext) {
        guard isOpen, let session, !session.hasSentGoAway, let limit = engine.restoreStreamLimit(on: connectionID)
        else { return }
        session.announce(maxConcurrentStreams: limit)
        send(context)
    }

    /// Checks again when the connection may have become idle. No timer is moved when data arrives.
    func watchIdleness(_ context: ChannelHandlerContext, after limit: TimeAmount) {
        timeout = schedule(context, after: lastRead + limit - .now()) { handler, context in
            guard handler.isOpen else { return }
            // A client that waits for a pending answer is not idle.
            let isWaiting = !handler.delayed.isEmpty || !handler.postponed.isEmpty || handler.drip != nil
            if isWaiting { handler.lastRead = .now() }
            if .now() - handler.lastRead < limit { return handler.watchIdleness(context, after: limit) }
            handler.carryOut(handler.engine.idled(handler.connectionID), context)
        }
    }

    func schedule(
        _ context: ChannelHandlerContext, after delay: TimeAmount,
        _ body: @escaping (ConnectionHandler, ChannelHandlerContext) -> Void
    ) -> Scheduled<Void> {
        let bound = NIOLoopBound((self, context, body), eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: delay) {
            let (handler, context, body) = bound.value
            body(handler, context)
        }
    }

    func counters(of session: HTTP2Session) -> ConnectionCounters {
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
