/// What conditions are asked about: a request in flight, a record of the log, or the little that is known of a connection
/// or a PING.
protocol MatchSubject: ~Escapable {
    /// The id of its connection, by which those are told apart that have no number in the run.
    var connectionID: Int { get }

    /// A field that is a number; `nil` where it is absent.
    func number(_ field: RequestField) -> Int64?

    /// A field that is one of a few words, by the word's raw value; `nil` where it is absent, or not decided yet.
    func word(_ field: RequestField) -> UInt8?

    /// A field that is a text, copied, in lower case where it is compared in it; `nil` where it is absent.
    func text(_ field: RequestField) -> [UInt8]?

    /// Asks about a text where it stands, without copying it.
    func test(_ field: RequestField, _ test: ValueTest) -> Truth

    /// Whether a text has these hexadecimal digits, in lower case here and in either case there.
    func has(_ digits: [UInt8], as field: RequestField) -> Bool

    /// The `apns-id` where it is one of the server's making.
    var madeID: RequestRecord.MadeID? { get }

    /// Asks about a header field, by its name in lower case. One that comes more than once fulfils what one of its values
    /// does.
    func test(header name: [UInt8], _ test: ValueTest) -> Truth

    /// What a pointer leads to in the payload; `nil` for nothing, and in a body that is no JSON or not there as a whole.
    mutating func payload(_ pointer: JSONPointer) -> JSONText.Value?
}

/// A connection that begins, or on which a PING came.
struct ConnectionSubject: MatchSubject {
    let connectionID: Int
    /// The connection's number in the run; `nil` for one that was open at a reset.
    let number: Int?
    let serverName: String?
    var requests: Int?
    var inFlight: Int?

    init(connectionID: Int, number: Int?, serverName: String?) {
        self.connectionID = connectionID
        self.number = number
        self.serverName = serverName
    }

    func number(_ field: RequestField) -> Int64? {
        switch field {
        case .connection: number.map(Int64.init)
        case .requestOnConnection: requests.map(Int64.init)
        case .inFlight: inFlight.map(Int64.init)
        default: nil
        }
    }

    func text(_ field: RequestField) -> [UInt8]? {
        field == .serverName ? serverName.map { Array($0.utf8) } : nil
    }

    func word(_ field: RequestField) -> UInt8? { nil }

    func test(_ field: RequestField, _ test: ValueTest) -> Truth { test.test(text(field)) }

    func has(_ digits: [UInt8], as field: RequestField) -> Bool { false }

    var madeID: RequestRecord.MadeID? { nil }

    func test(header name: [UInt8], _ test: ValueTest) -> Truth { Truth(test.holdsForAbsence) }

    func payload(_ pointer: JSONPointer) -> JSONText.Value? { nil }
}

extension RequestContext: MatchSubject {
    var connectionID: Int { origin.id }

    /// Where a text is among ``bytes``; the topic may be elsewhere.
    private func range(of field: RequestField) -> ByteRange? {
        switch field {
        case .token: if case .device(let range) = push.path { range } else { nil }
        case .pushType: push.pushTypeText
        case .collapseID: push.collapseID
        case .apnsID: push.apnsIDText
        case .body: body.isEmpty ? nil : ByteRange(start: facts.headerLength, count: body.count)
        default: nil
        }
    }

    func word(_ field: RequestField) -> UInt8? {
        field == .sentBy ? (origin.id == 0 ? Sender.admin : .provider).rawValue : nil
    }

    var madeID: RequestRecord.MadeID? { nil }

    func number(_ field: RequestField) -> Int64? {
        switch field {
        case .priority: push.priority.value.map { Int64($0.rawValue) }
        case .expiration: push.expiration.value
        case .payloadBytes: Int64(facts.bodyLength)
        case .connection: origin.number.map(Int64.init)
        case .requestOnConnection: Int64(origin.request)
        case .providerToken: credentials.tokenNumber == 0 ? nil : Int64(credentials.tokenNumber)
        case .inFlight: Int64(facts.inFlight)
        default: nil
        }
    }

    func text(_ field: RequestField) -> [UInt8]? {
        switch field {
        case .device: return device?.name
        case .keyID: return facts.providerToken?.keyID.map { Array($0.utf8) }
        case .teamID: return facts.providerToken?.teamID.map { Array($0.utf8) }
        case .serverName: return origin.serverName.map { Array($0.utf8) }
        case .topic: return hasTopic ? Array(copying: topic) : nil
        default:
            guard let range = range(of: field) else { return nil }
            let text = Array(copying: text(range))
            return field.kind == .foldedText ? text.map(\.lowercased) : text
        }
    }

    func test(_ field: RequestField, _ test: ValueTest) -> Truth {
        if field == .topic { return hasTopic ? test.test(topic) : Truth(test.holdsForAbsence) }
        if field == .device { return test.test(device?.name) }
        guard let range = range(of: field) else { return Truth(test.holdsForAbsence) }
        return test.test(text(range))
    }

    func has(_ digits: [UInt8], as field: RequestField) -> Bool {
        range(of: field).map { text($0).isSame(asLowercase: digits) } ?? false
    }

    func test(header name: [UInt8], _ test: ValueTest) -> Truth {
        test.test(header: name, in: bytes, headerLength: facts.headerLength)
    }

    mutating func payload(_ pointer: JSONPointer) -> JSONText.Value? { payloadValue?[pointer] }
}
