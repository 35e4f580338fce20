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

// What is done to a connection apart from answering: the gateway's actions, and the ways it is closed.

extension ConnectionHandler {
    /// Carries out orders of the API or a shutdown at once.
    func carryOut(_ actions: [ConnectionAction], _ context: ChannelHandlerContext) {
        guard state.answers, let session else { return }
        begin(actions, on: session, stream: 0, context)
        send(context)
        settle(context)
    }

    /// Sends GOAWAY `Shutdown` with the last stream started. Open streams are answered, then the connection is closed.
    func shutDown(_ context: ChannelHandlerContext) {
        switch state.shutDown() {
        case .goAway:
            guard let session else { return }
            session.goAway(
                lastStream: session.highestStream, errorCode: 0, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
            send(context)
            settle(context)
        case .close:
            noteFailedHandshake(context, by: .server, "The server was stopped before the TLS handshake was done.")
            context.close(promise: nil)
        case .wait: break
        }
    }

    /// Queues the frames of actions, and remembers how the connection is to be closed after them.
    func begin(
        _ actions: [ConnectionAction], on session: HTTP2Session, stream: Int32, _ context: ChannelHandlerContext
    ) {
        for action in actions {
            state.apply(action)
            switch action {
            case .settings(let limit, let duration):
                session.announce(maxConcurrentStreams: limit)
                scheduleRestoring(context, after: duration.map { .milliseconds($0) })
            case .goAway(let frames, _):
                for frame in frames {
                    session.goAway(
                        lastStream: frame.lastStream, errorCode: frame.errorCode, debugData: frame.debugData)
                }
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
        let pending = ConnectionState.Pending(
            openStreams: session?.openStreams ?? 0, isDripping: drip != nil,
            isClientLeaving: session?.isPeerLeaving ?? false)
        guard let ending = state.settle(pending) else { return }
        // Send the answers made before the end first.
        context.flush()
        carryOut(ending, context)
    }

    func finish(_ context: ChannelHandlerContext, _ reason: End) {
        switch reason {
        case .closeNotify:
            carryOut(state.end(by: .client), context)
        case .protocolError:
            let fault = protocolFault
            let address = HostText.withPort(context.channel.remoteAddress)
            engine.warn(.protocolFault, "Connection \(connectionID) from \(address) was ended: \(fault)")
            carryOut(state.end(by: .fault, fault), context)
        case .handshakeFailed(let error):
            noteFailedHandshake(context, by: .handshake, handshakeFault(error))
            carryOut(state.end(by: .handshake), context)
        case .tlsFailed(let error):
            engine.logger.debug("Connection \(connectionID) ended in TLS: \(error)")
            carryOut(state.end(by: .fault, "TLS failed: \(error)."), context)
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

    /// Closes the connection in this way.
    func carryOut(_ ending: ConnectionState.Ending?, _ context: ChannelHandlerContext) {
        switch ending {
        case .shut(let sendsCloseNotify):
            // Closing at once would make the kernel reset the connection, and the peer might never see what we sent.
            if sendsCloseNotify { tls.sendCloseNotify() }
            writeCiphertext(context)
            context.flush()
            context.close(mode: .output, promise: nil)
            setReading(context, true)
            timeout?.cancel()
            timeout = schedule(context, after: engine.timeouts.closing) { _, context in context.close(promise: nil) }
        case .reset:
            // Linger with a timeout of zero: the kernel sends RST and drops unsent data (RFC 9293, section 3.10.7.4).
            let options = context.channel as? any SocketOptionProvider
            options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
            context.close(promise: nil)
        case .silence:
            abandonAllAnswers()
            timeout?.cancel()
            setReading(context, false)
        case .close:
            context.close(promise: nil)
        case nil: break
        }
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
        guard state.isOpen, let session, !session.hasSentGoAway, let limit = engine.restoreStreamLimit(on: connectionID)
        else { return }
        session.announce(maxConcurrentStreams: limit)
        send(context)
    }

    /// Checks again when the connection may have become idle. No timer is moved when data arrives.
    func watchIdleness(_ context: ChannelHandlerContext, after limit: TimeAmount) {
        timeout = schedule(context, after: lastRead + limit - .now()) { handler, context in
            guard handler.state.isOpen else { return }
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
