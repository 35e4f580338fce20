/// A log record with its bytes: a view into the log's columns.
package struct RecordSubject: ~Escapable {
    /// The number in the log, starting at 1.
    package let sequence: Int
    /// The columns.
    package let record: RequestRecord
    package let bytes: Span<UInt8>
    private let tokens: Span<ProviderToken>
    private let tokenNumbers: Span<UInt32>
    private let serverNames: Span<[UInt8]>
    private let origins: Span<RecordOrigin>
    private let replicas: Span<[UInt8]>
    private let index: Int
    /// The part of the record that only calls about broadcast channels have; `nil` for a push.
    package let call: CallRecord?
    /// What APNs has done with the push, oldest first; empty if it was not accepted.
    package var deliveries: [DeliveryStep] {
        steps ?? record.delivery.map { [DeliveryStep($0, at: record.clock)] } ?? []
    }
    private let steps: [DeliveryStep]?
    /// What another APNs answered, if the push was passed on.
    package let relayed: RelayedAnswer?
    /// The number of the connection in the run; `nil` if it is from before the run.
    package let connection: Int?
    /// The payload, once it has been asked for; the inner value is `nil` if it is not JSON.
    private var payload: JSONText.Value??

    @_lifetime(borrow segment, borrow serverNames)
    init(_ segment: borrowing RequestSegment, at index: Int, serverNames: borrowing [[UInt8]]) {
        sequence = segment.firstSequence + index
        record = segment.records[index]
        bytes = segment.bytes(of: record, at: index)
        tokens = segment.tokens.span
        tokenNumbers = segment.tokenNumbers.span
        connection = segment.connectionNumber(of: record)
        self.serverNames = serverNames.span
        origins = segment.origins.span
        replicas = segment.replicas.span
        self.index = index
        call = record.callIndex.map { segment.calls[$0] }
        steps = segment.steps.isEmpty ? nil : segment.steps[index]
        relayed = segment.relayed.isEmpty ? nil : segment.relayed[index]
    }

    /// Whether it is a request about broadcast channels.
    package var isCall: Bool { call != nil }

    /// The parsed provider token.
    package var token: ProviderToken? {
        record.tokenIndex == RequestRecord.noToken ? nil : tokens[Int(record.tokenIndex)]
    }

    /// The number in the log of the provider token; 0 without one.
    package var tokenNumber: UInt32 {
        record.tokenIndex == RequestRecord.noToken ? 0 : tokenNumbers[Int(record.tokenIndex)]
    }

    /// The replica that decided the request, and its number in the log there; `nil` outside of a fleet's log.
    package var origin: (replica: String, sequence: Int)? {
        if origins.isEmpty { return nil }
        let name = replicas[Int(origins[index].replica)]
        return (String(decoding: name, as: UTF8.self), origins[index].sequence)
    }

    /// The stored part of the body.
    var body: Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting(Int(record.headerCount)..<Int(record.headerCount) + Int(record.bodyCount)) }
    }

    /// Returns a numeric field; `nil` if it is absent.
    func number(_ field: RequestField) -> Int64? {
        switch field {
        case .priority: record.priority.map(Int64.init)
        case .expiration: record.expiration
        case .payloadBytes: Int64(record.payloadBytes)
        case .connection: connection.map(Int64.init)
        case .requestOnConnection: Int64(record.requestOnConnection)
        case .providerToken: record.providerToken == 0 ? nil : Int64(record.providerToken)
        case .inFlight: Int64(record.inFlight)
        case .status: record.status.map(Int64.init)
        default: nil
        }
    }

    /// Returns a field that is one of a few words, as the word's code.
    func word(_ field: RequestField) -> UInt8? {
        switch field {
        case .sentBy: record.sender.code
        case .call: call?.call?.code
        case .reason: record.reason?.code
        case .outcome: record.outcome.code
        case .delivery: record.delivery?.code
        case .decidedBy: record.decidedBy.code
        default: nil
        }
    }

    /// Returns the range of a text in ``bytes``.
    func range(of field: RequestField) -> RequestRecord.StoredRange {
        switch field {
        case .device: record.deviceRange
        case .token: record.tokenRange
        case .topic: record.topicRange
        case .pushType: record.pushTypeRange
        case .collapseID: record.collapseIDRange
        case .apnsID: record.sentIDRange
        case .requestID: call?.requestIDRange ?? .absent
        case .channel: call.map { $0.channelNameRange.isAbsent ? $0.channelRange : $0.channelNameRange } ?? .absent
        case .body:
            record.bodyCount == 0 ? .absent : .init(start: record.headerCount, count: record.bodyCount)
        default: .absent
        }
    }

    /// Returns a text that is not in ``bytes``, or not in the form it is compared in; `nil` if it is absent.
    package func text(_ field: RequestField) -> [UInt8]? {
        switch field {
        case .keyID: return token?.keyID.map { Array($0.utf8) }
        case .teamID: return token?.teamID.map { Array($0.utf8) }
        case .serverName: return record.serverName == 0 ? nil : serverNames[Int(record.serverName) - 1]
        case .decidedBy:
            var name = Array(record.decidedBy.name.utf8)
            guard record.decidedBy == .rule else { return name }
            name.append(UInt8(ascii: ":"))
            if !record.ruleRange.isAbsent { name.append(bytes.extracting(record.ruleRange.indices)) }
            return name
        case .apnsID:
            if case .made(let id) = record.apnsID {
                let text = APNSID(high: id.high, low: id.low, uppercase: false)
                return Array(copying: text.bytes.span)
            }
        case .uniqueID: return record.uniqueID.map { Array($0.text(uppercase: false).utf8) }
        default: break
        }
        let range = range(of: field)
        if range.isAbsent { return nil }
        let text = Array(copying: bytes.extracting(range.indices))
        return field.kind == .foldedText ? text.map(\.lowercased) : text
    }

    /// Returns the value of a field; `nil` if it is absent.
    package func value(_ field: RequestField) -> RecordValue? {
        switch field {
        case .sentBy, .call, .reason, .outcome, .delivery: word(field).map { .text(Array(field.words[Int($0)].utf8)) }
        case _ where field.kind == .number: number(field).map { .number($0) }
        default: text(field).map { .text($0) }
        }
    }

    /// Returns the values of a header field in order.
    package func values(ofHeader name: [UInt8]) -> [[UInt8]] {
        var values: [[UInt8]] = []
        var fields = HeaderFields(length: Int(record.headerCount))
        while let field = fields.next(in: bytes) {
            guard bytes.extracting(field.name.range).equals(name.span) else { continue }
            values.append(Array(copying: bytes.extracting(field.value.range)))
        }
        return values
    }

    /// Returns the value at a pointer in the payload; `nil` if there is none, or the body is not JSON or incomplete.
    package mutating func payload(_ pointer: JSONPointer) -> JSONText.Value? {
        if let payload { return payload?[pointer] }
        let read = record.hasWholeBody ? try? JSONText.read(body, .recorded) : nil
        payload = .some(read)
        return read?[pointer]
    }
}

extension RecordSubject: MatchSubject {
    var connectionID: Int { Int(record.connectionID) }

    package var madeID: MadeID? { if case .made(let id) = record.apnsID { id } else { nil } }

    package var channel: (id: [UInt8]?, name: [UInt8]?) {
        guard let call else { return (nil, nil) }
        func text(_ range: RequestRecord.StoredRange) -> [UInt8]? {
            range.isAbsent ? nil : Array(copying: bytes.extracting(range.indices))
        }
        return (text(call.channelRange), text(call.channelNameRange))
    }

    @inline(__always)
    func test(_ field: RequestField, _ test: ValueTest) -> MatchResult {
        let range = range(of: field)
        return range.isAbsent ? MatchResult(test.holdsForAbsence) : test.test(bytes.extracting(range.indices))
    }

    func has(_ digits: [UInt8], as field: RequestField) -> Bool {
        let range = range(of: field)
        return !range.isAbsent && bytes.extracting(range.indices).isSame(asLowercase: digits)
    }

    func test(header name: [UInt8], _ test: ValueTest) -> MatchResult {
        test.test(header: name, in: bytes, headerLength: Int(record.headerCount))
    }
}
