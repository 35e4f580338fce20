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

// What is done to a connection beside answering: what the gateway decided, and the ways in which it ends.

extension ConnectionHandler {
    /// Does what the API or a shutdown has ordered, at once.
    func obey(_ actions: [ConnectionAction], _ context: ChannelHandlerContext) {
        guard phase == .open || phase == .draining, let session else { return }
        begin(actions, on: session, stream: 0, context)
        send(context)
        settle(context)
    }

    /// GOAWAY `Shutdown` with the last stream that has begun; what is open is answered, then the connection ends.
    func shutDown(_ context: ChannelHandlerContext) {
        guard phase == .open || phase == .draining, let session else {
            // To a client in its handshake, or one to which the server is silent, nothing can be said.
            noteFailedHandshake(context, by: .server, "The server was stopped before the TLS handshake was done.")
            if phase != .ending { context.close(promise: nil) }
            return
        }
        phase = .draining
        closedBy = .server
        session.goAway(
            lastStream: session.highestStream, errorCode: 0, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
        send(context)
        settle(context)
    }

    /// Queues the frames of actions, and remembers how the connection is to end after them.
    func begin(
        _ actions: [ConnectionAction], on session: HTTP2Session, stream: Int32, _ context: ChannelHandlerContext
    ) {
        for action in actions {
            switch action {
            case .settings(let limit, let duration):
                session.announce(maxConcurrentStreams: limit)
                if let duration {
                    _ = schedule(context, after: .milliseconds(duration)) { $0.restoreStreamLimit($1) }
                }
            case .goAway(let frames, let then):
                for frame in frames {
                    session.goAway(
                        lastStream: frame.lastStream, errorCode: frame.errorCode, debugData: frame.debugData)
                }
                switch then {
                case .drain: phase = .draining
                case .close(let ending): orderedEnding = ending
                case .stayOpen: break
                }
            case .close(let ending):
                orderedEnding = ending
            case .resetStream(let codes):
                for code in codes { session.reset(stream: stream, errorCode: code) }
            case .ignorePings(let ignores):
                session.answersPings = !ignores
            }
        }
    }

    /// Ends the connection when that was ordered, or when there is nothing left to do on it.
    func settle(_ context: ChannelHandlerContext) {
        if let orderedEnding {
            self.orderedEnding = nil
            close(context, orderedEnding)
        } else if let session, session.openStreams == 0, drip == nil {
            if phase == .draining { end(context, by: .server) }
            if session.isPeerLeaving { end(context, by: .client) }
        }
    }

    func finish(_ context: ChannelHandlerContext, _ reason: End) {
        switch reason {
        case .closeNotify:
            end(context, by: .client)
        case .protocolError:
            let fault =
                "\(session?.farewell.map(TokenSignature.removed) ?? "the client broke HTTP/2"). APNs takes HTTP/2 only (curl --http2, httpx http2=True)."
            explanation = fault
            engine.logger.warning("Connection \(number) was ended: \(fault)")
            end(context, by: .fault)
        case .handshakeFailed(let error):
            noteFailedHandshake(context, by: .handshake, handshakeFault(error))
            end(context, by: .handshake)
        case .tlsFailed(let error):
            explanation = "TLS failed: \(error)."
            engine.logger.debug("Connection \(number) ended in TLS: \(error)")
            end(context, by: .fault)
        }
    }

    private func close(_ context: ChannelHandlerContext, _ ending: ConnectionAction.Ending) {
        switch ending {
        case .end:
            end(context, by: .server)
        case .truncate:
            end(context, by: .server, saysGoodbye: false)
        case .reset:
            closedBy = .server
            phase = .ending
            // Linger on, for no time: the kernel sends RST and forgets what was not sent (RFC 9293, section 3.10.7.4).
            let options = context.channel as? any SocketOptionProvider
            options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
            context.close(promise: nil)
        case .silent:
            closedBy = .server
            phase = .silent
            abandonAllAnswers()
            timeout?.cancel()
            setReading(context, false)
        }
    }

    /// The last bytes, then the end of our side; what the peer still sends is discarded until it ends too, at most for a
    /// second. Closing at once would make the kernel reset the connection, and the peer might never see what we said.
    func end(_ context: ChannelHandlerContext, by closer: ClosedBy, saysGoodbye: Bool = true) {
        guard phase != .ending, phase != .closed else { return }
        phase = .ending
        closedBy = closer
        if saysGoodbye { tls.sendCloseNotify() }
        writeCiphertext(context)
        context.flush()
        context.close(mode: .output, promise: nil)
        setReading(context, true)
        timeout?.cancel()
        timeout = schedule(context, after: .seconds(1)) { _, context in context.close(promise: nil) }
    }

    // MARK: Time

    private func restoreStreamLimit(_ context: ChannelHandlerContext) {
        guard phase == .open, let session, !session.hasSentGoAway, let limit = engine.restoreStreamLimit(on: number)
        else { return }
        session.announce(maxConcurrentStreams: limit)
        send(context)
    }

    /// Looks again when the connection may have been idle for so long; no timer is moved when something comes.
    func watchIdleness(_ context: ChannelHandlerContext, after limit: TimeAmount) {
        timeout = schedule(context, after: lastRead + limit - .now()) { handler, context in
            guard handler.phase == .open else { return }
            // Who waits for an answer that is on its way is not idle.
            let isWaiting = !handler.delayed.isEmpty || handler.drip != nil
            if isWaiting { handler.lastRead = .now() }
            if .now() - handler.lastRead < limit { return handler.watchIdleness(context, after: limit) }
            handler.obey(handler.engine.idled(handler.number), context)
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
