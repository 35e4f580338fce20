import MockAPNSCore
import NIOCore

/// The life cycle of a provider's connection, from the TLS handshake to its end: takes events, and says how the handler
/// has to close the connection. It knows neither sockets nor clocks.
struct ConnectionState {
    private enum Phase {
        case handshake
        case open
        /// GOAWAY was sent: open streams are answered, then the connection is closed.
        case draining
        /// Our side is closed: further input is discarded until the peer closes too.
        case ending
        /// Nothing is read or written any more, while TCP stays up.
        case silent
        case closed
    }

    /// How the handler closes the connection.
    enum Ending: Equatable {
        /// Sends the last bytes, TLS close_notify (unless omitted) and FIN, then discards the client's input until the
        /// client closes too or ``ConnectionTimeouts/closing`` has passed.
        case shut(sendsCloseNotify: Bool)
        /// TCP RST.
        case reset
        /// Stops reading and writing, and leaves TCP up.
        case silence
        /// Closes the socket, because nothing can be sent.
        case close
    }

    /// What a server shutdown does to a connection.
    enum ShutDown: Equatable {
        /// Sends GOAWAY and answers the open streams.
        case goAway
        /// Closes the socket, because nothing can be sent.
        case close
        /// Waits, because the connection is closing already.
        case wait
    }

    /// What delays the end of a connection.
    struct Pending {
        /// Streams opened by the client that have not been answered yet.
        var openStreams: Int
        /// Whether an answer is being sent slowly.
        var isDripping: Bool
        /// Whether the client has announced that it opens no more streams.
        var isClientLeaving: Bool
    }

    private var phase = Phase.handshake
    /// Who closed the connection.
    private(set) var closedBy = ClosedBy.client
    /// What was wrong, if a fault ended it.
    private(set) var explanation: String?
    /// How to close the connection once pending output is sent.
    private var ordered: ConnectionAction.Ending?
    /// Whether nothing more may be sent, because the connection ends after a GOAWAY instead of SETTINGS.
    private(set) var isOutputEnded = false

    // MARK: State

    /// Whether the TLS handshake is still in progress.
    var isInHandshake: Bool { phase == .handshake }
    /// Whether input from the client is processed.
    var reads: Bool { phase == .handshake || phase == .open || phase == .draining }
    /// Whether requests are answered.
    var answers: Bool { phase == .open || phase == .draining }
    /// Whether new requests are accepted.
    var isOpen: Bool { phase == .open }
    var isClosed: Bool { phase == .closed }

    // MARK: Events

    /// Records the end of the TLS handshake.
    mutating func finishHandshake() { phase = .open }

    /// Records an action ordered by the gateway, a scenario or the API.
    mutating func apply(_ action: ConnectionAction) {
        switch action {
        case .goAway(_, .drain): phase = .draining
        case .goAway(_, .close(let ending)), .close(let ending): ordered = ending
        case .goAway(_, .stayOpen), .settings, .resetStream, .ignorePings: break
        }
    }

    /// Records that the GOAWAY instead of the first SETTINGS was sent.
    ///
    /// - Parameter lastStream: the last stream of the GOAWAY.
    mutating func noteGoAwayInsteadOfSettings(lastStream: Int32) {
        isOutputEnded = ordered != nil || (phase == .draining && lastStream == 0)
    }

    /// Records a server shutdown.
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

    /// Called after sending: returns how to close the connection, if that was ordered or nothing is left to do on it.
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
        case .truncate: return end(by: .server, sendsCloseNotify: false)
        case .reset:
            (phase, closedBy) = (.ending, .server)
            return .reset
        case .silent:
            (phase, closedBy) = (.silent, .server)
            return .silence
        }
    }

    /// Ends a connection that cannot or need not continue; returns `nil` if it is closing already.
    ///
    /// - Parameter explanation: what was wrong.
    mutating func end(by closer: ClosedBy, _ explanation: String? = nil, sendsCloseNotify: Bool = true) -> Ending? {
        guard phase != .ending, phase != .closed else { return nil }
        (phase, closedBy) = (.ending, closer)
        self.explanation = explanation
        return .shut(sendsCloseNotify: sendsCloseNotify)
    }

    /// Records that the client reset the connection or disappeared.
    mutating func loseConnection() -> Ending {
        if phase != .ending { closedBy = .clientReset }
        return .close
    }

    /// Records that the socket is closed.
    mutating func close() { phase = .closed }
}

/// Time limits for what a client has to do.
struct ConnectionTimeouts: Sendable, Equatable {
    /// From the TCP handshake to the end of the TLS handshake.
    var handshake = TimeAmount.seconds(10)
    /// From our closing of the connection to the client's.
    var closing = TimeAmount.seconds(1)
}
