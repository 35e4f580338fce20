import Logging
import MockAPNSCore
import MockAPNSTransport

/// How a connection begins if rules or sessions affect it: consulted on the ClientHello, kept until the connection is
/// open.
final class HandshakePolicy {
    /// The engine the connection belongs to, as far as is known.
    private(set) var engine: Engine
    private(set) var decision: ConnectDecision?
    private var hasDelayed = false
    private let sessions: Sessions

    init(_ engine: Engine, _ sessions: Sessions) { (self.engine, self.sessions) = (engine, sessions) }

    /// Returns the decision, once, if it keeps the client waiting.
    func takeDelay() -> ConnectDecision? {
        guard !hasDelayed, let decision, decision.delay > 0 || decision.handshake == .stall else { return nil }
        hasDelayed = true
        return decision
    }

    /// Decides what happens to the handshake.
    func judge(serverName: String?) -> HandshakeVerdict {
        if let session = sessions.engine(forServerName: serverName) { engine = session }
        let decision = engine.gateway.withLock { $0.connect(serverName: serverName) }
        self.decision = decision
        switch decision.handshake {
        // Of what answers a stalled ClientHello, nothing is sent.
        case .usual, .stall: return .accept
        case .alert(let number): return .alert(number)
        case .certificate(let fault):
            do { return .present(try engine.flawedServer(fault)) } catch {
                engine.logger.error("The certificate of a connection's rule cannot be created: \(error)")
                return .alert(80)
            }
        }
    }
}
