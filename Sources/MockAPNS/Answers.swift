import MockAPNSCore
import MockAPNSTransport

// Where what Core decides and what Transport carries meet: header fields, bodies and facts, each in the other's terms.

extension FieldBlock {
    /// The header fields of an answer: the status and the ids, nothing else, as APNs sends them.
    mutating func write(_ answer: Answer) {
        reset(status: Int(answer.status))
        append("apns-id", count: APNSID.length) { answer.apnsID.append(to: &$0) }
        if let uniqueID = answer.uniqueID {
            append("apns-unique-id", count: APNSID.length) { uniqueID.append(to: &$0) }
        }
    }
}

extension Answer {
    /// The body, for an answer that has one.
    var body: [UInt8]? {
        guard let reason else { return nil }
        return timestamp.map(reason.body(timestamp:)) ?? reason.body
    }
}

extension RequestFacts {
    /// What the transport knows of a request beside its bytes.
    init(_ request: ReceivedRequest, latencyMicroseconds: Int) {
        self.init(
            streamID: UInt32(request.streamID), headerLength: request.headerLength, bodyLength: request.bodyLength,
            inFlight: request.openStreams, fault: request.fault.map(Fault.init),
            latencyMicroseconds: latencyMicroseconds)
    }
}

extension RequestFacts.Fault {
    init(_ fault: ReceivedRequest.Fault) {
        self =
            switch fault {
            case .headerListTooLarge: .headerListTooLarge
            case .refused: .refused
            case .malformed(let text): .malformed(text)
            case .cancelled: .cancelled
            case .ignored: .ignored
            }
    }
}

extension ConnectionFacts.ClientCertificate {
    /// What a client certificate says about its topics and environments.
    init(_ certificate: PeerCertificate) {
        let named = certificate.topics + [certificate.voipBundle].compactMap { $0 }
        let topics = named.isEmpty ? [certificate.userID].compactMap { $0 } : named
        self.init(
            subject: certificate.subject, serial: certificate.serial, topics: TopicList(topics),
            isForSandbox: certificate.isDevelopment, isForProduction: certificate.isProduction)
    }
}

extension HTTP2Session.Settings {
    /// The first SETTINGS of a connection.
    init(_ configuration: GatewayConfiguration, for facts: ConnectionFacts) {
        self.init()
        maxConcurrentStreams = configuration.initialStreamLimit(for: facts)
    }
}

extension ConnectionEvent {
    /// The line of a connection that opened.
    static func appendOpened(_ number: Int, _ facts: ConnectionFacts, at time: Timestamp, to output: inout [UInt8]) {
        appendOpened(
            number, at: time, remoteAddress: facts.remoteAddress, tlsVersion: facts.tlsVersion, cipher: facts.cipher,
            alpn: facts.alpn, serverName: facts.serverName, clientCertificateSubject: facts.clientCertificate?.subject,
            to: &output)
    }

    /// The line of a connection that ended.
    static func appendClosed(_ connection: Connection, at time: Timestamp, to output: inout [UInt8]) {
        var ending = Ending(closedBy: connection.closedBy?.name ?? "")
        ending.teamID = connection.teamID
        ending.providerTokens = connection.providerTokens
        ending.requests = connection.requests
        ending.resetsSent = connection.counters.resetsSent
        ending.resetsReceived = connection.counters.resetsReceived
        ending.pings = connection.counters.pings
        ending.goAwaysSent = connection.counters.goAwaysSent
        ending.bytesReceived = connection.counters.bytesReceived
        ending.bytesSent = connection.counters.bytesSent
        appendClosed(connection.id, at: time, ending, to: &output)
    }
}
