/// The facts about a connection when it opens, or when its TLS handshake fails.
package struct ConnectionFacts: Sendable {
    /// The client's address, including the port.
    package var remoteAddress: String
    /// `TLSv1.3` or `TLSv1.2`; `nil` if the handshake failed.
    package var tlsVersion: String?
    /// The name of the cipher suite; `nil` if the handshake failed.
    package var cipher: String?
    /// The protocol selected by ALPN, if the client offered any.
    package var alpn: String?
    /// The server name the client asked for (SNI), if any.
    package var serverName: String?
    /// The client certificate, if any.
    package var clientCertificate: ClientCertificate?
    /// Whether its port is for the sandbox; `nil` means the environment of the server.
    package var isSandboxPort: Bool?

    /// Creates empty facts of a connection.
    init() { self.init(remoteAddress: "", tlsVersion: nil, cipher: nil) }

    /// Creates the facts of a connection.
    package init(
        remoteAddress: String, tlsVersion: String?, cipher: String?, alpn: String? = nil, serverName: String? = nil,
        clientCertificate: ClientCertificate? = nil
    ) {
        self.remoteAddress = remoteAddress
        self.tlsVersion = tlsVersion
        self.cipher = cipher
        self.alpn = alpn.map(KeptText.cut)
        self.serverName = serverName.map(KeptText.cut)
        self.clientCertificate = clientCertificate
    }
}

/// The transport's counters for a connection.
package struct ConnectionCounters: Sendable, Equatable {
    /// Streams open now.
    package var inFlight = 0
    /// RST_STREAM frames sent.
    package var resetsSent = 0
    /// RST_STREAM frames received.
    package var resetsReceived = 0
    /// PING frames received.
    package var pings = 0
    /// GOAWAY frames sent.
    package var goAwaysSent = 0
    /// SETTINGS frames sent, excluding acknowledgements.
    package var settingsSent = 0
    /// SETTINGS frames received, excluding acknowledgements.
    package var settingsReceived = 0
    /// Bytes received from the socket.
    package var bytesReceived = 0
    /// Bytes written to the socket.
    package var bytesSent = 0

    /// Creates counters that are all zero.
    package init() {}
}

/// A connection, open or closed, as far as the log tells of it.
package struct Connection: Sendable {
    /// The id, unique across all connections of the server, starting at 1.
    package let id: Int
    /// The number of the connection in the run, counted from 1 since the start or the last reset; `nil` if it was open
    /// at a reset.
    package let number: Int?
    /// The facts at its opening; none if its opening is not in a recorded log.
    package let facts: ConnectionFacts
    /// When it opened; `nil` if its opening is not in a recorded log.
    package let openedAt: Timestamp?
    /// Its position among the openings of the run, starting at 1; 0 if its opening is not in a recorded log.
    let opening: Int
    /// Whether it is open.
    package let isOpen: Bool
    /// When it was closed; `nil` while it is open, or if a recorded log does not say.
    package let closedAt: Timestamp?
    /// The side that closed it, and why; `nil` while it is open, or for a reason that only a later version knows.
    package let closedBy: ClosedBy?
    /// One sentence on what was wrong, if a TLS or HTTP/2 fault or the client's certificate ended the connection.
    package let explanation: String?
    /// The transport's counters; `nil` for an open connection that has not reported them.
    package let reported: ConnectionCounters?
    /// The transport's counters as last reported.
    package var counters: ConnectionCounters { reported ?? ConnectionCounters() }
    /// The number of requests decided so far, of any kind.
    package internal(set) var requests: Int
    /// The team the connection is bound to.
    package let teamID: String?
    /// The number of distinct provider tokens seen.
    package let providerTokens: Int
}

extension Connection {
    init(_ open: OpenConnection) {
        (id, number, facts, opening, openedAt) = (open.id, open.number, open.facts, open.opening, open.openedAt)
        (isOpen, closedAt, closedBy, explanation) = (true, nil, nil, open.life.explanation)
        (reported, requests) = (open.counters, open.requests)
        (teamID, providerTokens) = (open.teamID, open.tokens.seen)
    }

    init(_ open: OpenConnection, closed end: ConnectionEnd, at time: Timestamp?) {
        (id, number, facts, opening, openedAt) = (open.id, open.number, open.facts, open.opening, open.openedAt)
        (isOpen, closedAt, closedBy, explanation) = (false, time, end.closedBy, end.explanation)
        (reported, requests) = (end.counters, open.requests)
        (teamID, providerTokens) = (end.teamID, end.providerTokens)
    }
}
