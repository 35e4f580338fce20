/// Who ended a connection, and why: the member `closedBy` of its record.
///
/// The transport only knows the first five. Where the server ended a connection because the gateway had decided so, it
/// says ``server``, and the gateway puts its reason there instead.
package enum ClosedBy: String, Sendable, CaseIterable {
    /// The client: TLS close or FIN.
    case client
    /// The client, or the network: TCP RST, or nothing at all any more.
    case clientReset
    /// This server, since it shuts down.
    case server
    /// This server, after the client had broken HTTP/2, or TLS after the handshake.
    case fault
    /// The client or this server, in the TLS handshake.
    case handshake
    /// This server, because of the client's certificate.
    case certificate
    /// This server, after too many errors: ``GatewayConfiguration/Connection/closeAfterErrors``.
    case errors
    /// This server, since nothing had happened for long: ``GatewayConfiguration/Connection/idle``.
    case idle
    /// This server, after a GOAWAY that a scenario or the API ordered.
    case goAway
    /// This server, as a scenario or the API ordered: TLS close and FIN.
    case end
    /// The same: FIN without TLS close.
    case truncate
    /// The same: TCP RST.
    case reset
    /// This server, after it had been silent on the connection, as a scenario or the API ordered.
    case silent

    /// The word in the log.
    package var name: String { rawValue }

    init(_ ending: ConnectionAction.Ending) {
        self =
            switch ending {
            case .end: .end
            case .truncate: .truncate
            case .reset: .reset
            case .silent: .silent
            }
    }
}
