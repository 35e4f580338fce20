import Logging
import MockAPNSCore
import MockAPNSTransport
import NIOCore

// Failed handshakes. These connections have an id and a record too, because the number of attempts is worth knowing.

extension ConnectionHandler {
    /// Continues the handshake once the certificate with an RSA key is there.
    func awaitCertificate(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        engine.identity.rsaServer.whenSettled { [gate = engine.gate] in
            // The loops may have ended meanwhile.
            _ = gate.use {
                loop.execute {
                    let (handler, context) = bound.value
                    guard handler.life.isInHandshake else { return }
                    handler.process(context)
                }
            }
        }
    }

    /// Handles a client that took too long.
    func handshakeTimedOut(_ context: ChannelHandlerContext) {
        let limit = Duration.nanoseconds(engine.timeouts.handshake.nanoseconds)
        carryOut(
            life.handshakeTimedOut("The client did not finish the TLS handshake within \(limit / .seconds(1)) s."),
            context)
    }

    /// Returns whether a rule holds back the answer to the ClientHello; at first, sees to its end.
    ///
    /// - Parameter fault: what ends the connection after that answer.
    func holdsHandshake(_ context: ChannelHandlerContext, until fault: End?) -> Bool {
        if isHandshakeHeld { return true }
        guard let decision = handshakePolicy?.takeDelay() else { return false }
        isHandshakeHeld = true
        timeout?.cancel()
        timeout = nil
        guard decision.handshake != .stall else { return true }
        timeout = schedule(context, after: .milliseconds(decision.delay)) { handler, context in
            handler.isHandshakeHeld = false
            handler.timeout = handler.schedule(context, after: handler.engine.timeouts.handshake) { handler, context in
                handler.handshakeTimedOut(context)
            }
            handler.writeCiphertext(context)
            context.flush()
            if let fault { handler.finish(context, fault) }
        }
        return true
    }

    /// Records a failed handshake, once. A client that sent nothing only probed the port, and is not recorded.
    func noteFailedHandshake(_ context: ChannelHandlerContext) {
        guard session == nil, connectionID == 0, bytesReceived > 0 else { return }
        let explanation = life.explanation ?? unfinishedHandshake
        var counters = ConnectionCounters()
        (counters.bytesReceived, counters.bytesSent) = (bytesReceived, bytesSent)
        let facts = ConnectionFacts(
            remoteAddress: HostText.withPort(context.channel.remoteAddress), tlsVersion: nil, cipher: nil,
            serverName: tls.serverName)
        connectionID = engine.noteFailedHandshake(
            facts, after: handshakePolicy?.decision, by: life.closedBy, explanation: explanation, counters: counters)
        engine.warn(.handshake, "Connection \(connectionID) from \(facts.remoteAddress): \(explanation)")
    }

    /// The statement that the client left, and possible reasons.
    private var unfinishedHandshake: String {
        if isHandshakeHeld, let rule = handshakePolicy?.decision?.rule {
            return "The client left before the TLS handshake was answered, which the rule \"\(rule)\" held back."
        }
        let fact = "The client left the TLS handshake unfinished"
        if case .certificate? = handshakePolicy?.decision?.handshake, let rule = handshakePolicy?.decision?.rule {
            return "\(fact); the rule \"\(rule)\" presented a certificate that is not to be trusted."
        }
        // The certificate is in the first bytes the server sends.
        guard bytesSent > 0 else { return "\(fact)." }
        return "\(fact) after the server's certificate was sent; a client that does not trust ca.pem may do that."
    }

    /// Returns a hint for a client certificate that was rejected with OpenSSL's number.
    private static func advice(onRejection code: Int32) -> String {
        switch code {
        case TLSFacts.hasExpired: " Renew it; `mock-apns certs` renews client.pem."
        case TLSFacts.isRevoked: " The scenario lists it in clientCertificates.revoked, or it is client-revoked.pem."
        case TLSFacts.isNotYetValid: " The clock of this machine may be wrong."
        default:
            " Trusted are ca.pem and what the scenario lists in authentication.clientCertificates.authorities."
        }
    }

    /// The fault of a client that spoke another protocol than TLS, if the protocol is known.
    private var foreignFault: String? {
        guard let spoken = ForeignProtocol(tls.foreignStart) else { return nil }
        let admin = spoken == .http1 ? engine.adminURL.map(ProviderPortAnswer.sentence) ?? "" : ""
        return spoken.sentence + admin
    }

    /// Answers a client that spoke HTTP/1.1 instead of TLS, so that it reads why.
    func answerForeignProtocol() {
        guard let spoken = ForeignProtocol(tls.foreignStart), let foreignFault else { return }
        if let answer = spoken.answer(foreignFault) { tls.replaceOutput(with: answer) }
    }

    /// Returns what was wrong, and a hint.
    func handshakeFault(_ error: OpenSSLError) -> String {
        if let decision = handshakePolicy?.decision, let rule = decision.rule {
            switch decision.handshake {
            case .alert(let alert): return "The rule \"\(rule)\" ended the TLS handshake with the alert \(alert)."
            case .certificate:
                return
                    "The rule \"\(rule)\" presented a certificate that is not to be trusted; the client said: \(error)."
            case .usual, .stall: break
            }
        }
        if case .unverified(let code, let reason) = tls.clientVerification {
            return
                "The TLS handshake failed: the client's certificate was rejected: \(reason).\(Self.advice(onRejection: code))"
        }
        if let foreignFault { return foreignFault }
        let advice =
            switch error.alertReceived {
            case 42, 46, 48: " The client does not trust this server: let it trust the authority, ca.pem."
            case 70: " The client asks for a version of TLS below 1.2."
            default: ""
            }
        return "The TLS handshake failed: \(error).\(advice)"
    }
}
