/// What is known about a connection when it opens, or when its TLS handshake fails.
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
package struct ConnectionCounters: Sendable {
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

/// A connection, open or closed, as the gateway knows it.
package struct Connection: Sendable {
    /// The id, unique across all connections of the server, starting at 1.
    package let id: Int
    /// The number of the connection in the run, counted from 1 since the start or the last reset; `nil` if it was open
    /// at a reset.
    package internal(set) var number: Int?
    /// What was known when it opened.
    package let facts: ConnectionFacts
    /// When it opened.
    package let openedAt: Timestamp
    /// When it was closed; `nil` while it is open.
    package internal(set) var closedAt: Timestamp?
    /// Who closed it, and why; `nil` while it is open.
    package var closedBy: ClosedBy? { closedAt == nil ? nil : life.closedBy }
    /// One sentence on what was wrong, if a TLS or HTTP/2 fault or the client's certificate ended the connection.
    package var explanation: String? { life.explanation }
    /// The transport's counters as last reported.
    package internal(set) var counters = ConnectionCounters()
    /// The number of requests decided so far, of any kind.
    package internal(set) var requests = 0
    /// The team the connection is bound to.
    package internal(set) var teamID: String?
    /// The number of distinct provider tokens seen.
    package var providerTokens: Int { tokens.seen }

    /// The initial state of a connection.
    struct Terms {
        var isSandbox = true
        /// The index of the client's server name in the log.
        var serverName: UInt16 = 0
        /// The stream limit in the first SETTINGS.
        var streamLimit = 0
        /// Whether that is already the full limit.
        var hasFullLimit = false
    }

    init(id: Int, number: Int?, facts: ConnectionFacts, openedAt: Timestamp, _ terms: Terms) {
        self.id = id
        self.number = number
        self.facts = facts
        self.openedAt = openedAt
        isSandbox = terms.isSandbox
        serverName = terms.serverName
        streamLimit = terms.streamLimit
        hasFullLimit = terms.hasFullLimit
    }

    /// Drops the provider tokens of a closed connection. Only their number is still needed.
    mutating func forgetTokens() {
        tokens.forget()
        updates = ProviderTokenUpdateRate()
        judgement = nil
    }

    /// Whether the connection belongs to the sandbox.
    let isSandbox: Bool
    /// The index of the client's server name in the log.
    var serverName: UInt16
    /// The stream limit announced last.
    var streamLimit: Int
    /// Whether an accepted push leaves the stream limit alone: it is already the full limit, or a scenario holds it.
    var hasFullLimit: Bool
    /// Whether the limit was lowered after a rejection, so that only an accepted push raises it again.
    var isSlowedDown = false
    /// Whether an admin API request arrived on it.
    var hasCalledAdmin = false
    /// What was ordered and has happened so far.
    var life = ConnectionLife.open
    /// The weighted number of error answers so far.
    var errors = 0
    /// Whether a scenario or the API holds the stream limit.
    var heldLimit = HeldStreamLimit()
    var tokens = TokensOnConnection()
    var updates = ProviderTokenUpdateRate()
    /// The key of the first valid provider token; it determines which keys may follow.
    var key: Authentication.Key?
    /// The last positive result for a provider token, valid until something changes.
    var judgement: ProviderTokenJudgement?
}
