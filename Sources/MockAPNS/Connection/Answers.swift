import MockAPNSCore
import MockAPNSTransport

// Conversions between Core and Transport: header fields, bodies and facts.

extension FieldBlock {
    /// Writes the header fields of an answer: only the status and the ids, as APNs sends them.
    mutating func write(_ answer: Answer) {
        reset(status: Int(answer.status))
        append(answer.nameOfID, count: APNSID.length) { answer.apnsID.append(to: &$0) }
        writeRest(of: answer)
    }

    /// Writes the header fields of an answer, with an unusual `apns-id` or none if the scenario asks for that.
    mutating func write(_ answer: Answer, _ hostility: Hostility?) {
        switch hostility {
        case .noAPNsID: reset(status: Int(answer.status))
        case .otherCaseAPNsID:
            reset(status: Int(answer.status))
            let id = answer.apnsID.inOtherCase
            append(answer.nameOfID, count: APNSID.length) { id.append(to: &$0) }
        case nil, .emptyBody, .splitBody, .emptyLastData, .notJSON, .trailers, .informational, .settingsFlood,
            .unknownFrame, .windowStall:
            return write(answer)
        }
        writeRest(of: answer)
    }

    /// Writes an answer defined by the scenario.
    mutating func write(_ response: ScriptedAnswer) {
        reset(status: response.status)
        for field in response.fields { append(Array(field.name.utf8).span, Array(field.value.utf8).span) }
    }

    private mutating func writeRest(of answer: Answer) {
        if let channelID = answer.call?.channelID { append("apns-channel-id", channelID.span) }
        if answer.namesContentType, answer.reason != nil || answer.call?.body != nil {
            append("content-type", Array("application/json".utf8).span)
        }
        if let uniqueID = answer.uniqueID {
            append("apns-unique-id", count: APNSID.length) { uniqueID.append(to: &$0) }
        }
    }
}

extension Answer {
    /// The name of the field with the id of the request.
    fileprivate var nameOfID: StaticString { call == nil ? "apns-id" : "apns-request-id" }

    /// The body; `nil` for an answer without one.
    var body: [UInt8]? {
        guard !omitsBody else { return nil }
        guard let reason else { return call?.body }
        return timestamp.map(reason.body(timestamp:)) ?? reason.body
    }
}

extension RequestFacts {
    /// Creates the transport's facts about a request.
    init(_ request: ReceivedRequest) {
        self.init(
            streamID: UInt32(request.streamID), headerLength: request.headerLength, bodyLength: request.bodyLength,
            inFlight: request.openStreams)
        fault = request.fault.map(Fault.init)
        headerListSize = request.headerListSize
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
            case .broken(let fault): .broken(fault.sentence)
            }
    }
}

extension UnsentAnswer {
    /// Creates what the transport says of an answer.
    init(_ fault: AnswerFault, of response: PlannedResponse?) {
        let kind: Kind =
            switch fault.kind {
            case .refused(let reason): .refused(reason)
            case .connectionEnded: .connectionEnded
            case .settingsLeftOut: .settingsLeftOut
            }
        self.init(stream: UInt32(fault.stream), kind, of: response)
    }
}

extension ConnectionFacts.ClientCertificate {
    /// Creates the topics and environments of a client certificate.
    init(_ certificate: PeerCertificate) {
        self.init(
            subject: certificate.subject, serial: certificate.serial, commonName: certificate.commonName,
            userID: certificate.userID,
            Extensions(
                topics: certificate.topics, voIPBundle: certificate.voipBundle,
                isDevelopment: certificate.isDevelopment, isProduction: certificate.isProduction))
    }
}

extension HTTP2Session.Settings {
    /// Creates the first SETTINGS of a connection.
    init(_ rules: GatewayConfiguration.ConnectionSettings, streamLimit: Int) {
        self.init()
        maxConcurrentStreams = streamLimit
        headerTableSize = UInt32(rules.headerTableSize)
        maxHeaderListSize = rules.maxHeaderListSize
        initialWindowSize = UInt32(rules.initialWindowSize)
    }
}

extension ProtocolFault {
    /// The mistake of the client, for its records and for standard error.
    var sentence: String {
        switch self {
        case .http1(let request):
            var said = TokenSignature.removed(from: "Unexpected HTTP/1.x request: \(request)")
            while said.hasSuffix(" ") { said.removeLast() }
            let isProxied = request.hasPrefix("CONNECT ")
            return "\(said). \(isProxied ? ForeignProtocol.connect.advice : Self.onlyHTTP2)"
        case .binary: return ForeignProtocol.binary.sentence
        case .preface:
            return
                "The client speaks neither HTTP/2 nor HTTP/1.1: there is no connection preface (RFC 9113, section 3.4). "
                + Self.onlyHTTP2
        case .frame(let what): return "The client broke HTTP/2: \(what)."
        }
    }

    private static let onlyHTTP2 = "APNs takes HTTP/2 only (curl --http2, httpx http2=True, Go ForceAttemptHTTP2)."
}
