/// The outcome of a rule for a new connection, and its delay.
package struct ConnectStep: Sendable {
    /// The outcome.
    package var outcome: ConnectOutcome
    /// How long the server waits before it answers the ClientHello.
    package var delay: Step.Delay?

    /// Creates a step.
    package init(outcome: ConnectOutcome, delay: Step.Delay? = nil) { (self.outcome, self.delay) = (outcome, delay) }
}

/// The outcome of a rule for a new connection.
package enum ConnectOutcome: Sendable {
    /// Nothing: it begins as usual.
    case pass
    /// The ClientHello is never answered.
    case stall
    /// The handshake fails with this alert (RFC 8446, section 6).
    case tlsAlert(UInt8)
    /// The server presents a certificate that no client should trust.
    case serverCertificate(ServerCertificateFault)
    /// The connection is closed in this way.
    case close(Ending)
    /// GOAWAY frames, before or after the server's SETTINGS.
    case goAway(GoAwayPlan, beforeSettings: Bool)
}
