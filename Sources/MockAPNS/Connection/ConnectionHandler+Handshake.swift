import Logging
import MockAPNSCore
import MockAPNSTransport
import NIOCore

// Handshakes that fail. Such a connection has a number and a record too: how often a provider tried is worth knowing.

extension ConnectionHandler {
    /// The client took too long.
    func handshakeTimedOut(_ context: ChannelHandlerContext) {
        let limit = Duration.nanoseconds(engine.timeouts.handshake.nanoseconds)
        noteFailedHandshake(
            context, by: .handshake, "The client did not finish the TLS handshake within \(limit / .seconds(1)) s.")
        context.close(promise: nil)
    }

    /// Takes note of a handshake that failed, once. Who has sent no byte only looked whether somebody listens here.
    func noteFailedHandshake(_ context: ChannelHandlerContext, by closer: ClosedBy, _ explanation: String) {
        guard session == nil, number == 0, bytesReceived > 0 else { return }
        var counters = ConnectionCounters()
        (counters.bytesReceived, counters.bytesSent) = (bytesReceived, bytesSent)
        let facts = ConnectionFacts(
            remoteAddress: HostText.withPort(context.channel.remoteAddress), tlsVersion: nil, cipher: nil,
            serverName: tls.serverName)
        number = engine.noteFailedHandshake(
            facts, after: beginning?.connecting, by: closer, explanation: explanation, counters: counters)
        engine.logger.warning("Connection \(number) from \(facts.remoteAddress): \(explanation)")
    }

    /// That the client left, and why it may have done so.
    var unfinishedHandshake: String {
        let fact = "The client left the TLS handshake unfinished"
        if case .certificate? = beginning?.connecting?.handshake, let rule = beginning?.connecting?.rule {
            return "\(fact); the rule \"\(rule)\" showed a certificate that nobody should trust."
        }
        // The certificate is in the first bytes that the server sends.
        guard bytesSent > 0 else { return "\(fact)." }
        return "\(fact) after the server's certificate was sent; a client that does not trust ca.pem may do that."
    }

    /// What was wrong, and what helps.
    func handshakeFault(_ error: OpenSSLError) -> String {
        if let connecting = beginning?.connecting, let rule = connecting.rule {
            switch connecting.handshake {
            case .alert(let alert): return "The rule \"\(rule)\" ended the TLS handshake with the alert \(alert)."
            case .certificate:
                return "The rule \"\(rule)\" showed a certificate that nobody should trust; the client said: \(error)."
            case .usual: break
            }
        }
        if case .unverified(_, let reason) = tls.clientVerification {
            return "The TLS handshake failed: the client's certificate is refused: \(reason)."
        }
        if error.isPlainHTTP {
            let admin = engine.adminURL.map { " The admin API is at \($0)." } ?? ""
            return "The client spoke plain HTTP; the address begins with https://.\(admin)"
        }
        let advice =
            switch error.alertReceived {
            case 42, 46, 48: " The client does not trust this server: let it trust the authority, ca.pem."
            case 70: " The client asks for a version of TLS below 1.2."
            default: ""
            }
        return "The TLS handshake failed: \(error).\(advice)"
    }
}
