import MockAPNSCore
import MockAPNSTransport

// What the transport reports, in the terms of the gateway; and the settings of a connection.

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
