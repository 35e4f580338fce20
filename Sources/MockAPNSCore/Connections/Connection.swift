/// What is known of a connection when it opens, or when its TLS handshake has failed.
package struct ConnectionFacts: Sendable {
    /// The client's address with its port.
    package var remoteAddress: String
    /// `TLSv1.3` or `TLSv1.2`; `nil` when the handshake failed.
    package var tlsVersion: String?
    /// The cipher suite's name; `nil` when the handshake failed.
    package var cipher: String?
    /// The protocol chosen by ALPN, if the client offered any.
    package var alpn: String?
    /// The name that the client asked for (SNI), if it did.
    package var serverName: String?
    /// The client's certificate, if it has one.
    package var clientCertificate: ClientCertificate?

    /// A connection with these properties.
    package init(
        remoteAddress: String, tlsVersion: String?, cipher: String?, alpn: String? = nil, serverName: String? = nil,
        clientCertificate: ClientCertificate? = nil
    ) {
        self.remoteAddress = remoteAddress
        self.tlsVersion = tlsVersion
        self.cipher = cipher
        self.alpn = alpn
        self.serverName = serverName
        self.clientCertificate = clientCertificate
    }
}

/// What the transport counts on a connection.
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
    /// SETTINGS frames sent, acknowledgements not counted.
    package var settingsSent = 0
    /// SETTINGS frames received, acknowledgements not counted.
    package var settingsReceived = 0
    /// Bytes received from the socket.
    package var bytesReceived = 0
    /// Bytes written to the socket.
    package var bytesSent = 0

    /// All zero.
    package init() {}
}

/// One connection as the gateway knows it, open or closed.
package struct Connection: Sendable {
    /// Unique among all connections of the server, 1 for the first.
    package let id: Int
    /// Which connection of the run it is, 1 for the first since the start or the last reset; `nil` for one that was open
    /// at a reset.
    package internal(set) var number: Int?
    /// What was known when it opened.
    package let facts: ConnectionFacts
    /// When it opened.
    package let openedAt: Timestamp
    /// When it was closed; `nil` while it is open.
    package internal(set) var closedAt: Timestamp?
    /// Who closed it, and why; `nil` while it is open.
    package internal(set) var closedBy: ClosedBy?
    /// What was wrong, in a sentence, when a fault in TLS or HTTP/2 ended it.
    package internal(set) var explanation: String?
    /// What the transport counted, as of its last report.
    package internal(set) var counters = ConnectionCounters()
    /// Requests of every kind, decided so far.
    package internal(set) var requests = 0
    /// The team that the connection is bound to.
    package internal(set) var teamID: String?
    /// How many different provider tokens were seen.
    package var providerTokens: Int { tokens.seen }

    /// How a connection begins.
    struct Terms {
        var isSandbox = true
        /// The number of the client's server name in the log.
        var serverName: UInt16 = 0
        /// The limit of streams in the first SETTINGS.
        var streamLimit = 0
        /// Whether that is the full number already.
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

    /// Nobody asks for the tokens of a closed connection, only how many they were.
    mutating func forgetTokens() {
        tokens.forget()
        updates = ProviderTokenUpdateRate()
        judgement = nil
    }

    /// Whether it is one to the sandbox.
    let isSandbox: Bool
    /// The number of the client's server name in the log.
    var serverName: UInt16
    /// The limit of streams that was announced last.
    var streamLimit: Int
    /// Whether an accepted push has nothing to raise: the full number of streams is allowed, or a scenario holds the
    /// limit.
    var hasFullLimit: Bool
    /// Whether the limit fell after a rejection, so that only an accepted push raises it.
    var isSlowedDown = false
    /// Whether a call of the admin API came on it.
    var hasCalledAdmin = false
    /// What the server was ordered to do to it.
    var orders = ConnectionOrders()
    var tokens = TokensOnConnection()
    var updates = ProviderTokenUpdateRate()
    /// The key of the first good provider token: it decides which others may follow.
    var key: Authentication.Key?
    /// The last good judgement of a provider token, good until something changes.
    var judgement: ProviderTokenJudgement?
}
