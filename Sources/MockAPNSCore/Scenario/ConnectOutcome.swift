/// What a rule does about a connection that begins.
package enum ConnectOutcome: Sendable {
    /// Nothing: it begins as usual.
    case pass
    /// The handshake fails with that alert (RFC 8446, section 6).
    case tlsAlert(UInt8)
    /// The server shows a certificate that no client should trust.
    case serverCertificate(ServerCertificateFault)
    /// The connection ends in that way.
    case close(ConnectionAction.Ending)
    /// GOAWAY frames, before the server's SETTINGS or after them.
    case goAway(GoAwayPlan, beforeSettings: Bool)
}

/// What is wrong with the certificate that the server shows.
package enum ServerCertificateFault: String, Sendable, CaseIterable {
    /// Its time is over.
    case expired
    /// It is for another name.
    case otherName
    /// It comes from an authority that nobody trusts.
    case untrusted
}
