import MockAPNSCore
import NIOCore

/// The life of a provider's connection, from the TLS handshake to its end: what happens goes in, what the handler has to do
/// about the end comes out. A value that knows neither sockets nor clocks.
struct ConnectionState {
    private enum Phase {
        case handshake
        case open
        /// GOAWAY was sent: streams that are open are answered, then the connection ends.
        case draining
        /// Our side is shut: what still comes in is discarded until the peer ends too.
        case ending
        /// Nothing is read or written any more, while TCP stays up.
        case silent
        case closed
    }

    /// How the handler ends the connection.
    enum Ending: Equatable {
        /// The last bytes, TLS close_notify unless that is left out, FIN; then it discards what the client still sends,
        /// until the client ends too or ``ConnectionTimeouts/closing`` has passed.
        case shut(saysGoodbye: Bool)
        /// TCP RST.
        case reset
        /// It reads and writes no more, and leaves TCP up.
        case silence
        /// It closes the socket, since nothing can be said.
        case close
    }

    /// What a server that stops does to a connection.
    enum ShutDown: Equatable {
        /// It sends GOAWAY, and answers the streams that are open.
        case goAway
        /// It closes the socket, since nothing can be said.
        case close
        /// It waits: the connection is ending already.
        case wait
    }

    /// What keeps a connection from ending that is to end.
    struct Pending {
        /// Streams that the client has opened and that were not answered yet.
        var openStreams: Int
        /// Whether an answer leaves in drops.
        var isDripping: Bool
        /// Whether the client has said that it opens no more streams.
        var isClientLeaving: Bool
    }

    private var phase = Phase.handshake
    /// Who ended it.
    private(set) var closedBy = ClosedBy.client
    /// What was wrong, when a fault ended it.
    private(set) var explanation: String?
    /// How it is to end once what is pending was sent.
    private var ordered: ConnectionAction.Ending?
    /// Whether nothing more is to be said, since the connection ends after a GOAWAY that came instead of SETTINGS.
    private(set) var hasSpoken = false

    // MARK: What may be done

    /// Whether the TLS handshake is not done yet.
    var isInHandshake: Bool { phase == .handshake }
    /// Whether what the client sends is looked at.
    var reads: Bool { phase == .handshake || phase == .open || phase == .draining }
    /// Whether requests are answered.
    var answers: Bool { phase == .open || phase == .draining }
    /// Whether new requests are welcome.
    var isOpen: Bool { phase == .open }
    var isClosed: Bool { phase == .closed }

    // MARK: What happens

    /// The TLS handshake is done.
    mutating func finishHandshake() { phase = .open }

    /// The gateway, a scenario or the API ordered this.
    mutating func take(_ action: ConnectionAction) {
        switch action {
        case .goAway(_, .drain): phase = .draining
        case .goAway(_, .close(let ending)), .close(let ending): ordered = ending
        case .goAway(_, .stayOpen), .settings, .resetStream, .ignorePings: break
        }
    }

    /// The GOAWAY that comes instead of the first SETTINGS was sent.
    ///
    /// - Parameter lastStream: its last stream.
    mutating func greetWithGoAway(lastStream: Int32) {
        hasSpoken = ordered != nil || (phase == .draining && lastStream == 0)
    }

    /// The server stops.
    mutating func shutDown() -> ShutDown {
        switch phase {
        case .open, .draining:
            phase = .draining
            closedBy = .server
            return .goAway
        case .handshake, .silent, .closed: return .close
        case .ending: return .wait
        }
    }

    /// Something was sent: how the connection ends now, if that was ordered or nothing is left to do on it.
    mutating func settle(_ pending: Pending) -> Ending? {
        if let ordered {
            self.ordered = nil
            return end(ordered)
        }
        guard pending.openStreams == 0, !pending.isDripping else { return nil }
        if phase == .draining { return end(by: .server) }
        return pending.isClientLeaving ? end(by: .client) : nil
    }

    private mutating func end(_ ordered: ConnectionAction.Ending) -> Ending? {
        switch ordered {
        case .end: return end(by: .server)
        case .truncate: return end(by: .server, saysGoodbye: false)
        case .reset:
            (phase, closedBy) = (.ending, .server)
            return .reset
        case .silent:
            (phase, closedBy) = (.silent, .server)
            return .silence
        }
    }

    /// The connection cannot or need not go on; `nil` when it is ending already.
    ///
    /// - Parameter explanation: what was wrong.
    mutating func end(by closer: ClosedBy, _ explanation: String? = nil, saysGoodbye: Bool = true) -> Ending? {
        guard phase != .ending, phase != .closed else { return nil }
        (phase, closedBy) = (.ending, closer)
        self.explanation = explanation
        return .shut(saysGoodbye: saysGoodbye)
    }

    /// The client reset the connection, or vanished.
    mutating func vanish() -> Ending {
        if phase != .ending { closedBy = .clientReset }
        return .close
    }

    /// The socket is closed.
    mutating func close() { phase = .closed }
}

/// How long a connection may take for what its client has to do.
struct ConnectionTimeouts: Sendable, Equatable {
    /// From TCP's handshake to the end of TLS's.
    var handshake = TimeAmount.seconds(10)
    /// From our end of the connection to the client's.
    var closing = TimeAmount.seconds(1)
}
