/// The log event `connection`: a connection was opened or closed.
///
/// It has the members of a connection in the API, as far as they are known at that time. What is known only at the end
/// (`closedBy`, `explanation`, the counters) appears only in the closing event, and what the end does not change
/// appears only in the opening event; the id joins the two.
package enum ConnectionEvent {
    /// Appends the line for an opened connection, with its line feed.
    package static func appendOpened(_ connection: Connection, to output: inout [UInt8]) {
        let facts = connection.facts
        append(connection, "opened", at: connection.openedAt, to: &output)
        let texts: [(String, String?)] = [
            ("remoteAddress", facts.remoteAddress), ("tlsVersion", facts.tlsVersion), ("cipher", facts.cipher),
            ("alpn", facts.alpn), ("serverName", facts.serverName),
        ]
        for (name, text) in texts {
            output.append(contentsOf: ",\"\(name)\":".utf8)
            output.appendJSON(text)
        }
        output.append(contentsOf: #","clientCertificate":"#.utf8)
        append(facts.clientCertificate, to: &output)
        output.append(contentsOf: "}\n".utf8)
    }

    /// Appends the line for a closed connection, with its line feed; nothing if it is still open.
    package static func appendClosed(_ connection: Connection, to output: inout [UInt8]) {
        guard let closedAt = connection.closedAt else { return }
        append(connection, "closed", at: closedAt, to: &output)
        output.append(contentsOf: #","closedBy":"#.utf8)
        output.appendJSON(connection.closedBy?.name)
        output.append(contentsOf: #","explanation":"#.utf8)
        output.appendJSON(connection.explanation)
        output.append(contentsOf: #","teamID":"#.utf8)
        output.appendJSON(connection.teamID)
        let counters = ConnectionCounters.members.map { ($0, connection.counters[keyPath: $1]) }
        for (name, count) in [
            ("providerTokens", connection.providerTokens), ("requests", connection.requests),
        ] + counters {
            output.append(contentsOf: ",\"\(name)\":\(count)".utf8)
        }
        output.append(contentsOf: "}\n".utf8)
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

    private static func append(
        _ connection: Connection, _ state: String, at time: Timestamp, to output: inout [UInt8]
    ) {
        output.beginEvent("connection", at: time)
        let number = connection.number.map(String.init) ?? "null"
        output.append(contentsOf: #","connection":\#(number),"connectionID":\#(connection.id)"#.utf8)
        output.append(contentsOf: #","state":"#.utf8)
        output.appendJSON(state)
    }
}

extension ConnectionCounters {
    /// The members of the closing event.
    static var members: [(name: String, field: WritableKeyPath<Self, Int>)] {
        [
            ("settingsSent", \.settingsSent), ("settingsReceived", \.settingsReceived), ("inFlight", \.inFlight),
            ("resetsSent", \.resetsSent), ("resetsReceived", \.resetsReceived), ("pings", \.pings),
            ("goAwaysSent", \.goAwaysSent), ("bytesReceived", \.bytesReceived), ("bytesSent", \.bytesSent),
        ]
    }
}
