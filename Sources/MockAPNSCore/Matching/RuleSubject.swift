/// What rules are asked about: a request that was read whole, or the little that is known of a connection or PING.
struct RuleSubject: ~Escapable {
    /// Header fields, then the stored part of the body; empty where there is no request.
    let bytes: Span<UInt8>
    /// Where the topic is, in the fields or in the certificate, and what that is a range of.
    let topicRange: ByteRange?
    let topicSource: Span<UInt8>
    let push: Push
    var headerLength = 0
    var bodyLength: Int?
    var token: ProviderToken?
    /// The connection's number in the run; `nil` for one that was open at a reset.
    var connection: Int?
    var connectionID: Int?
    var requestOnConnection: Int?
    var providerToken: Int?
    var inFlight: Int?
    var serverName: String?
    /// Whether the payload was read, and what it is when it is JSON.
    private var payload: JSONText.Value??

    @_lifetime(copy bytes, copy topicSource)
    init(bytes: Span<UInt8>, push: Push, headerLength: Int, topic: ByteRange?, in topicSource: Span<UInt8>) {
        self.bytes = bytes
        self.push = push
        self.headerLength = headerLength
        topicRange = topic
        self.topicSource = topicSource
    }

    /// What is no request: there are only numbers and the server's name, to be set.
    @_lifetime(immortal)
    init(nothing: Void) {
        bytes = Span()
        push = Push(Span(), headerLength: 0)
        topicRange = nil
        topicSource = Span()
    }

    /// The body that is stored.
    private var body: ByteRange? {
        bytes.count > headerLength ? ByteRange(start: headerLength, count: bytes.count - headerLength) : nil
    }

    /// Where a text of the request is among ``bytes``.
    private func range(of field: RequestField) -> ByteRange? {
        switch field {
        case .token: if case .device(let range) = push.path { range } else { nil }
        case .pushType: push.pushTypeText
        case .collapseID: push.collapseID
        case .apnsID: push.apnsIDText
        case .body: body
        default: nil
        }
    }

    /// What the scenario calls the device.
    private func name(_ devices: borrowing DeviceRegistry) -> [UInt8]? {
        guard let token = push.deviceToken, let device = devices.find(token) else { return nil }
        return devices.name(of: device)
    }

    /// A number of the request.
    func number(_ field: RequestField) -> Int64? {
        switch field {
        case .priority: push.priority.value.map { Int64($0.rawValue) }
        case .expiration: push.expiration.value
        case .payloadBytes: bodyLength.map(Int64.init)
        case .connection: connection.map(Int64.init)
        case .requestOnConnection: requestOnConnection.map(Int64.init)
        case .providerToken: providerToken.map(Int64.init)
        case .inFlight: inFlight.map(Int64.init)
        default: nil
        }
    }

    /// A text of the request, copied, in lower case where the field is compared in it; `nil` without one.
    func text(_ field: RequestField, _ devices: borrowing DeviceRegistry) -> [UInt8]? {
        switch field {
        case .device: return name(devices)
        case .keyID: return token?.keyID.map { Array($0.utf8) }
        case .teamID: return token?.teamID.map { Array($0.utf8) }
        case .serverName: return serverName.map { Array($0.utf8) }
        case .topic: return topicRange.map { Array(copying: topicSource.extracting($0.range)) }
        default:
            guard let range = range(of: field) else { return nil }
            let text = Array(copying: bytes.extracting(range.range))
            return field.kind == .foldedText ? text.map(\.lowercased) : text
        }
    }

    /// Whether a condition holds.
    mutating func test(_ condition: RuleCondition, _ devices: borrowing DeviceRegistry) -> Truth {
        switch condition {
        case .device(let names):
            guard let name = name(devices) else { return .no }
            return Truth(names.contains { $0.utf8.elementsEqual(name) })
        case .number(let field, let test): return Truth(test.holds(number(field)))
        case .topic(let test):
            guard let topicRange else { return Truth(test.holdsForAbsence) }
            return test.test(topicSource.extracting(topicRange.range))
        case .bytes(let field, let test):
            guard let range = range(of: field) else { return Truth(test.holdsForAbsence) }
            return test.test(bytes.extracting(range.range))
        case .text(let field, let test): return test.test(text(field, devices))
        case .header(let name, let test): return self.test(name, test)
        case .payload(let pointer, let test): return test.test(payloadValue?[pointer])
        }
    }

    /// A field that comes more than once fulfils what one of its values does.
    private func test(_ name: [UInt8], _ test: ValueTest) -> Truth {
        var fields = HeaderFields(in: 0..<headerLength)
        var isThere = false
        var truth = Truth.no
        while let field = fields.next(in: bytes) {
            guard bytes.extracting(field.name.range).equals(name.span) else { continue }
            isThere = true
            truth = truth || test.test(bytes.extracting(field.value.range))
            if truth.isTrue { return truth }
        }
        return isThere ? truth : Truth(test.holdsForAbsence)
    }

    /// The payload, read when it is asked for first; `nil` when it is no JSON, or not stored as a whole.
    private var payloadValue: JSONText.Value? {
        mutating get {
            if let payload { return payload }
            let read =
                bodyLength == bytes.count - headerLength
                ? try? JSONText.read(bytes.extracting(droppingFirst: headerLength), .recorded) : nil
            payload = .some(read)
            return read
        }
    }
}

/// One condition of a rule, ready to be asked.
enum RuleCondition {
    /// The device has one of these names.
    case device([String])
    case number(RequestField, ValueTest)
    case topic(ValueTest)
    /// A text that is among the request's bytes as it is compared.
    case bytes(RequestField, ValueTest)
    /// Any other text.
    case text(RequestField, ValueTest)
    /// A header field, by its name in lower case.
    case header([UInt8], ValueTest)
    case payload(JSONPointer, ValueTest)

    init(_ condition: MatchExpression.Condition, devices: [DeclaredDevice], _ patterns: PatternContext) {
        switch condition {
        case .device(let places):
            self = .device(places.compactMap { devices.indices.contains($0) ? devices[$0].name : nil })
        case .header(let name, let matcher): self = .header(Array(name.utf8), ValueTest(matcher, patterns))
        case .payload(let pointer, let matcher): self = .payload(pointer, ValueTest(matcher, patterns))
        case .field(let field, let matcher):
            let test = ValueTest(matcher, patterns)
            switch (field, field.kind) {
            case (.topic, _): self = .topic(test)
            case (_, .number): self = .number(field, test)
            case (.pushType, _), (.collapseID, _), (.body, _): self = .bytes(field, test)
            default: self = .text(field, test)
            }
        }
    }

    /// In which order conditions are asked: cheap ones first, for all must hold.
    var cost: Int {
        switch self {
        case .number: 0
        case .topic(let test): test.isSlow ? 4 : 1
        case .bytes(let field, let test): test.isSlow ? 4 : field == .body ? 3 : 1
        case .device: 2
        case .text(_, let test): test.isSlow ? 4 : 2
        case .header(_, let test): test.isSlow ? 4 : 3
        case .payload(_, let test): test.isSlow ? 6 : 5
        }
    }
}
