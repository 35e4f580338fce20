/// The event `connection` of the log: a connection was opened, or closed.
///
/// It has the members that the API gives a connection, as far as they are known at that moment. What is only known at
/// the end (`closedBy`, the counters) stands in the event of the end alone, and what the end does not change stands
/// in the event of the opening alone; the number joins the two.
public enum ConnectionEvent {
    /// What a connection did in its life, for the event of its end.
    public struct Ending: Sendable {
        /// Who closed it, and why: the name of a ``ClosedBy``.
        public var closedBy: String
        /// The team that it was bound to.
        public var teamID: String?
        /// Different provider tokens seen.
        public var providerTokens = 0
        /// Requests of every kind.
        public var requests = 0
        /// SETTINGS frames sent, acknowledgements not counted.
        public var settingsSent = 0
        /// SETTINGS frames received, acknowledgements not counted.
        public var settingsReceived = 0
        /// Streams that were open at the end.
        public var inFlight = 0
        /// RST_STREAM frames sent.
        public var resetsSent = 0
        /// RST_STREAM frames received.
        public var resetsReceived = 0
        /// PING frames received.
        public var pings = 0
        /// GOAWAY frames sent.
        public var goAwaysSent = 0
        /// Bytes received from the socket.
        public var bytesReceived = 0
        /// Bytes written to the socket.
        public var bytesSent = 0

        /// All counters are 0.
        public init(closedBy: String) { self.closedBy = closedBy }

        /// What is known of a connection that has ended.
        init(_ connection: Connection) {
            closedBy = connection.closedBy?.name ?? ""
            teamID = connection.teamID
            providerTokens = connection.providerTokens
            requests = connection.requests
            settingsSent = connection.counters.settingsSent
            settingsReceived = connection.counters.settingsReceived
            inFlight = connection.counters.inFlight
            resetsSent = connection.counters.resetsSent
            resetsReceived = connection.counters.resetsReceived
            pings = connection.counters.pings
            goAwaysSent = connection.counters.goAwaysSent
            bytesReceived = connection.counters.bytesReceived
            bytesSent = connection.counters.bytesSent
        }
    }

    /// Appends the line of a connection that was opened, with its line feed.
    public static func appendOpened(_ connection: Connection, to output: inout [UInt8]) {
        appendOpening(
            connection.id, at: connection.openedAt, remoteAddress: connection.facts.remoteAddress,
            tlsVersion: connection.facts.tlsVersion, cipher: connection.facts.cipher, alpn: connection.facts.alpn,
            serverName: connection.facts.serverName, to: &output)
        append(connection.facts.clientCertificate, to: &output)
        output.append(contentsOf: "}\n".utf8)
    }

    /// Appends the line of a connection that was closed, with its line feed; nothing for one that is still open.
    public static func appendClosed(_ connection: Connection, to output: inout [UInt8]) {
        guard let closedAt = connection.closedAt else { return }
        appendClosed(connection.id, at: closedAt, Ending(connection), to: &output)
    }

    /// Appends the line of a connection that was opened, with its line feed.
    public static func appendOpened(
        _ connection: Int, at time: Timestamp, remoteAddress: String, tlsVersion: String, cipher: String, alpn: String?,
        serverName: String?, clientCertificateSubject: String?, to output: inout [UInt8]
    ) {
        appendOpening(
            connection, at: time, remoteAddress: remoteAddress, tlsVersion: tlsVersion, cipher: cipher, alpn: alpn,
            serverName: serverName, to: &output)
        if let clientCertificateSubject {
            output.append(contentsOf: #"{"subject":"#.utf8)
            output.appendJSON(clientCertificateSubject)
            output.append(UInt8(ascii: "}"))
        } else {
            output.append(contentsOf: "null".utf8)
        }
        output.append(contentsOf: "}\n".utf8)
    }

    /// Appends the line of a connection that was closed, with its line feed.
    public static func appendClosed(
        _ connection: Int, at time: Timestamp, _ ending: Ending, to output: inout [UInt8]
    ) {
        append(connection, "closed", at: time, to: &output)
        output.append(contentsOf: #","closedBy":"#.utf8)
        output.appendJSON(ending.closedBy)
        output.append(contentsOf: #","teamID":"#.utf8)
        output.appendJSON(ending.teamID)
        let counters = [
            ("providerTokens", ending.providerTokens), ("settingsSent", ending.settingsSent),
            ("settingsReceived", ending.settingsReceived), ("requests", ending.requests), ("inFlight", ending.inFlight),
            ("resetsSent", ending.resetsSent), ("resetsReceived", ending.resetsReceived), ("pings", ending.pings),
            ("goAwaysSent", ending.goAwaysSent), ("bytesReceived", ending.bytesReceived),
            ("bytesSent", ending.bytesSent),
        ]
        for (name, count) in counters {
            output.append(contentsOf: ",\"\(name)\":\(count)".utf8)
        }
        output.append(contentsOf: "}\n".utf8)
    }

    private static func appendOpening(
        _ connection: Int, at time: Timestamp, remoteAddress: String, tlsVersion: String, cipher: String, alpn: String?,
        serverName: String?, to output: inout [UInt8]
    ) {
        append(connection, "opened", at: time, to: &output)
        output.append(contentsOf: #","remoteAddress":"#.utf8)
        output.appendJSON(remoteAddress)
        output.append(contentsOf: #","tlsVersion":"#.utf8)
        output.appendJSON(tlsVersion)
        output.append(contentsOf: #","cipher":"#.utf8)
        output.appendJSON(cipher)
        output.append(contentsOf: #","alpn":"#.utf8)
        output.appendJSON(alpn)
        output.append(contentsOf: #","serverName":"#.utf8)
        output.appendJSON(serverName)
        output.append(contentsOf: #","clientCertificate":"#.utf8)
    }

    private static func append(_ certificate: ConnectionFacts.ClientCertificate?, to output: inout [UInt8]) {
        guard let certificate else {
            output.append(contentsOf: "null".utf8)
            return
        }
        output.append(contentsOf: #"{"subject":"#.utf8)
        output.appendJSON(certificate.subject)
        output.append(contentsOf: #","serial":"#.utf8)
        output.appendJSON(certificate.serial)
        append("topics", certificate.topics.names, to: &output)
        append("environments", certificate.environments, to: &output)
        output.append(UInt8(ascii: "}"))
    }

    private static func append(_ key: String, _ texts: [String], to output: inout [UInt8]) {
        output.append(contentsOf: ",\"\(key)\":[".utf8)
        for (index, text) in texts.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output.appendJSON(text)
        }
        output.append(UInt8(ascii: "]"))
    }

    private static func append(_ connection: Int, _ state: String, at time: Timestamp, to output: inout [UInt8]) {
        output.append(contentsOf: #"{"event":"connection","time":"#.utf8)
        output.appendJSON(time)
        output.append(contentsOf: #","connection":"#.utf8)
        output.appendJSON(connection)
        output.append(contentsOf: #","state":"#.utf8)
        output.appendJSON(state)
    }
}
