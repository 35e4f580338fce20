/// The fixed parts of a record's JSON, in order: the text between one value and the next.
enum RecordKey: Int, CaseIterable {
    case sequence
    case replica
    case replicaSequence
    case time
    case clock
    case connection
    case connectionID
    case stream
    case method
    case path
    case token
    case device
    case headers
    case topic
    case pushType
    case priority
    case expiration
    case collapseID
    case apnsID
    case uniqueID
    case inFlight
    case payload
    case noPayload
    case onlyText
    case noText
    case payloadBase64
    case payloadBytes
    case sentBy
    case authentication
    case keyID
    case teamID
    case issuedAt
    case providerToken
    case signature
    case verdict
    case tokenNumber
    case status
    case reason
    case retryAfter
    case resetCode
    case outcome
    case decidedBy
    case explanation
    case delivery
    case replacedBy
    case latency
    case null
    case authorization

    private var text: String {
        switch self {
        case .sequence: #"{"event":"request","sequence":"#
        case .replica: #","replica":"#
        case .replicaSequence: #","replicaSequence":"#
        case .time: #","time":"#
        case .clock: #","clock":"#
        case .connection: #","connection":"#
        case .connectionID: #","connectionID":"#
        case .stream: #","stream":"#
        case .method: #","method":"#
        case .path: #","path":"#
        case .token: #","token":"#
        case .device: #","device":"#
        case .headers: #","headers":["#
        case .topic: #"],"topic":"#
        case .pushType: #","pushType":"#
        case .priority: #","priority":"#
        case .expiration: #","expiration":"#
        case .collapseID: #","collapseID":"#
        case .apnsID: #","apnsID":"#
        case .uniqueID: #","uniqueID":"#
        case .inFlight: #","inFlight":"#
        case .payload: #","payload":"#
        case .noPayload: #"null,"payloadText":null"#
        case .onlyText: #"null,"payloadText":"#
        case .noText: #","payloadText":null"#
        case .payloadBase64: #"null,"payloadText":null,"payloadBase64":"#
        case .payloadBytes: #","payloadBytes":"#
        case .sentBy: #","sentBy":""#
        case .authentication: #"","authentication":{"method":""#
        case .keyID: #"","keyID":"#
        case .teamID: #","teamID":"#
        case .issuedAt: #","issuedAt":"#
        case .providerToken: #","providerToken":"#
        case .signature: #","signature":"#
        case .verdict: #","verdict":"#
        case .tokenNumber: #"},"providerTokenNumber":"#
        case .status: #","status":"#
        case .reason: #","reason":"#
        case .retryAfter: #","retryAfter":"#
        case .resetCode: #","resetCode":"#
        case .outcome: #","outcome":""#
        case .decidedBy: #"","decidedBy":""#
        case .explanation: #"","explanation":"#
        case .delivery: #","delivery":"#
        case .replacedBy: #","replacedBy":"#
        case .latency: #","latencyMicroseconds":"#
        case .null: "null"
        case .authorization: #"["authorization",""#
        }
    }

    /// All texts concatenated, so that writing one is a plain copy without reference counting.
    static let texts: [UInt8] = allCases.flatMap { Array($0.text.utf8) }

    /// The start of each text in ``texts``, followed by the end of the last.
    static let starts: [UInt16] = allCases.reduce(into: [0]) { starts, key in
        starts.append(starts[key.rawValue] + UInt16(key.text.utf8.count))
    }
}

/// The fixed parts, ready to copy.
struct RecordKeys: ~Escapable {
    private let texts: Span<UInt8>
    private let starts: Span<UInt16>

    @_lifetime(copy texts, copy starts)
    init(_ texts: Span<UInt8>, _ starts: Span<UInt16>) {
        self.texts = texts
        self.starts = starts
    }

    @inline(__always)
    @_lifetime(copy self)
    func text(_ key: RecordKey) -> Span<UInt8> {
        texts.extracting(Int(starts[key.rawValue])..<Int(starts[key.rawValue + 1]))
    }
}
