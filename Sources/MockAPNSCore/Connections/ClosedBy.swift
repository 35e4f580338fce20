/// The side that closed a connection, and why: the `closedBy` member of its record.
package enum ClosedBy: String, Sendable, CaseIterable {
    /// The client: TLS close or FIN.
    case client
    /// The client or the network: TCP RST, or the peer disappeared.
    case clientReset
    /// This server, on shutdown.
    case server
    /// This server, after the client violated HTTP/2, or TLS after the handshake.
    case fault
    /// The client or this server, during the TLS handshake.
    case handshake
    /// This server, because of the client's certificate.
    case certificate
    /// This server, after too many error answers: ``GatewayConfiguration/ConnectionSettings/closeAfterErrors``.
    case errors
    /// This server, because the connection was idle: ``GatewayConfiguration/ConnectionSettings/idle``.
    case idle
    /// This server, after a GOAWAY ordered by a scenario or the API.
    case goAway
    /// This server, ordered by a scenario or the API: TLS close and FIN.
    case end
    /// As ``end``, but FIN without TLS close.
    case truncate
    /// As ``end``, but TCP RST.
    case reset
    /// This server, after going silent on the connection, ordered by a scenario or the API.
    case silent
    /// This server, after the upstream of a relay had closed its connection.
    case upstream

    /// Whether the client ended the connection, or the way to it.
    package var isClients: Bool { self == .client || self == .clientReset }

    /// The outcome of a request that the connection had not answered by then.
    package var outcomeOfUnanswered: Outcome { isClients ? .cancelled : .closed }

    /// The value in the log.
    package var name: String { rawValue }

    init(_ ending: Ending) {
        self =
            switch ending {
            case .end: .end
            case .truncate: .truncate
            case .reset: .reset
            case .silent: .silent
            }
    }
}
