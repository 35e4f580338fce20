/// The members of a request record, in the order of a log line.
///
/// Tests check the order of the writer, ``RequestField``, the library's record and the OpenAPI document against this
/// table. A new member has its name here, where it is also written and read, and its value in the library's record.
/// Derive it from the header fields if you can. A column of its own is in ``RequestRecord``, which has at most 160 bytes,
/// among the ranges or with its own form in a frame; `Gateway+Answer.swift` fills it, from ``Push`` if it is a header
/// field (``HeaderName``). A column of a call is in ``CallRecord``, where it is written and read, too. Compiler and tests
/// name what is missing.
package enum RecordMember: Int, CaseIterable, Sendable {
    case event
    case sequence, replica, replicaSequence, time, clock
    case connection, connectionID, stream
    case method, path, token, device, headers
    case topic, pushType, priority, expiration, collapseID
    case apnsID, uniqueID, inFlight
    case payload, payloadText, payloadBase64, payloadBytes
    case sentBy, authentication, providerTokenNumber
    case status, reason, retryAfter, resetCode, outcome, decidedBy, explanation, delivery, replacedBy
    case latencyMicroseconds
    /// Not in a log file, where lines of updates say the same.
    case deliveries
    // Only in records of pushes that were passed on to another APNs.
    case relayed, own, agrees
    // Only in records of calls about broadcast channels.
    case call, channel, channelName, requestID, storagePolicy, subscribers, delivered, stored, ignored
    /// Only in a log file, in the lines of a session. Lines of events have it, too.
    case session

    /// The key in a line.
    package var name: String { Self.names[rawValue] }
    private static let names = allCases.map { "\($0)" }

    /// Creates the member with a key; fails for any other key.
    init?(named name: String) {
        guard let member = Self.byName[name] else { return nil }
        self = member
    }
    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

    /// Whether a line without this member is not a record. Any other member may be missing from logs of older versions.
    package var isEssential: Bool {
        switch self {
        case .event, .sequence, .time, .outcome: true
        default: false
        }
    }

    /// Whether every line has this member. `payloadBase64` appears only for a body that is not text, the replica only in
    /// the log of a fleet, `retryAfter` and `resetCode` only if the answer or the reset has them, `session` only in the log
    /// file, `deliveries` only in the API.
    package var isInEveryLine: Bool {
        ![.payloadBase64, .replica, .replicaSequence, .retryAfter, .resetCode, .deliveries, .session].contains(self)
            && !isOfCalls && !isOfRelayed
    }

    /// Whether only pushes that were passed on to another APNs have it.
    package var isOfRelayed: Bool { [.relayed, .own, .agrees].contains(self) }

    /// Whether only calls about broadcast channels have it.
    package var isOfCalls: Bool { Self.call.rawValue...Self.ignored.rawValue ~= rawValue }
}

// MARK: Writing

// The members in the order of a line. The members of a call are in ``CallRecord``.

extension RecordWriter {
    @inline(__always)
    @_lifetime(out: copy out)
    static func appendRequest(
        _ record: RequestRecord, _ bytes: Span<UInt8>, _ keys: borrowing RecordKeys, _ out: inout OutputSpan<UInt8>
    ) {
        out.appendJSON(record.stream == 0 ? nil : Int64(record.stream))
        out.append(keys.of(.method))
        out.appendJSON(record.methodRange, in: bytes)
        out.append(keys.of(.path))
        // The path of a device is plain text, and ends with the device token.
        out.appendJSON(record.pathRange, in: bytes, isPlain: record.isPathPlain)
        out.append(keys.of(.token))
        out.appendJSON(record.tokenRange, in: bytes, isPlain: record.isPathPlain)
        out.append(keys.of(.device))
        out.appendJSON(record.deviceRange, in: bytes)
    }

    @inline(__always)
    @_lifetime(out: copy out)
    static func appendIDs(
        _ record: RequestRecord, _ bytes: Span<UInt8>, _ keys: borrowing RecordKeys, _ out: inout OutputSpan<UInt8>
    ) {
        out.append(keys.of(.apnsID))
        switch record.apnsID {
        case .sent(let range): out.appendJSON(bytes.extracting(range.range))
        case .made(let id): out.appendJSON(id, uppercase: true)
        case nil: out.append("null")
        }
        out.append(keys.of(.uniqueID))
        if let id = record.uniqueID {
            out.appendJSON(id, uppercase: false)
        } else {
            out.append("null")
        }
        out.append(keys.of(.inFlight))
        out.appendJSON(Int64(record.inFlight))
    }
}

extension FieldsText {
    /// The source of the text, beside the bytes of the fields. The members after `headers` are written from this alone.
    struct Source: Sendable, Equatable {
        let token: ObjectIdentifier?
        let authorizationOffset: UInt16
        let method: RequestRecord.StoredRange
        let path: RequestRecord.StoredRange
        let topic: RequestRecord.StoredRange
        let pushType: RequestRecord.StoredRange
        let collapseID: RequestRecord.StoredRange
        let priority: UInt8?
        let expiration: Int64?

        init(_ record: RequestRecord, _ token: ObjectIdentifier?) {
            self.token = token
            authorizationOffset = record.authorizationOffset
            (method, path) = (record.methodRange, record.pathRange)
            (topic, pushType, collapseID) = (record.topicRange, record.pushTypeRange, record.collapseIDRange)
            (priority, expiration) = (record.priority, record.expiration)
        }

        @_lifetime(out: copy out)
        func append(_ bytes: Span<UInt8>, _ keys: borrowing RecordKeys, to out: inout OutputSpan<UInt8>) {
            out.append(keys.of(.topic))
            out.appendJSON(topic, in: bytes)
            out.append(keys.of(.pushType))
            out.appendJSON(pushType, in: bytes)
            out.append(keys.of(.priority))
            out.appendJSON(priority.map(Int64.init))
            out.append(keys.of(.expiration))
            out.appendJSON(expiration)
            out.append(keys.of(.collapseID))
            out.appendJSON(collapseID, in: bytes)
        }
    }
}

extension DecisionText {
    /// The source of the text. The members are written from this alone, so that none is left out of the comparison.
    struct Source: Sendable, Equatable {
        let token: ObjectIdentifier?
        let tokenNumber: UInt32
        let sender: Sender
        let authentication: AuthenticationMethod
        let providerToken: UInt32
        let verdict: AuthenticationVerdict?
        let status: UInt16?
        let reason: Reason?
        let retryAfter: UInt32?
        let resetCode: UInt32?
        let outcome: Outcome
        let decidedBy: DecidedBy
        let rule: RequestRecord.StoredRange
        let explanation: RequestRecord.StoredRange
        let delivery: Delivery?
        let replacedBy: Int?

        init(_ record: RequestRecord, _ token: ObjectIdentifier?, _ tokenNumber: UInt32) {
            (self.token, self.tokenNumber, sender) = (token, tokenNumber, record.sender)
            (authentication, providerToken) = (record.authentication, record.providerToken)
            (verdict, status, reason) = (record.verdict, record.status, record.reason)
            (retryAfter, resetCode) = (record.retryAfter, record.resetCode)
            (outcome, decidedBy, rule) = (record.outcome, record.decidedBy, record.ruleRange)
            (explanation, delivery, replacedBy) = (record.explanationRange, record.delivery, record.replacedBy)
        }

        /// Whether some of the text is among the bytes of the record, which are not compared.
        var hasOwnText: Bool { !explanation.isAbsent || !rule.isAbsent }

        @_lifetime(out: copy out)
        func append(
            _ bytes: Span<UInt8>, _ token: ProviderToken?, _ keys: borrowing RecordKeys,
            to out: inout OutputSpan<UInt8>
        ) {
            out.append(keys.of(.sentBy))
            out.appendQuoted(sender.name)
            out.append(keys.of(.authentication))
            appendAuthentication(token, keys, to: &out)
            out.append(keys.of(.providerTokenNumber))
            out.appendJSON(tokenNumber == 0 ? nil : Int64(tokenNumber))
            out.append(keys.of(.status))
            out.appendJSON(status.map(Int64.init))
            out.append(keys.of(.reason))
            out.appendJSON(reason?.name)
            if let retryAfter {
                out.append(keys.of(.retryAfter))
                out.appendJSON(Int64(retryAfter))
            }
            if let resetCode {
                out.append(keys.of(.resetCode))
                out.appendJSON(errorCode: resetCode)
            }
            out.append(keys.of(.outcome))
            out.appendQuoted(outcome.name)
            out.append(keys.of(.decidedBy))
            out.append(UInt8(ascii: "\""))
            out.append(decidedBy.name)
            if !rule.isAbsent {
                out.append(UInt8(ascii: ":"))
                out.appendJSONContents(bytes.extracting(rule.indices))
            }
            out.append(UInt8(ascii: "\""))
            out.append(keys.of(.explanation))
            out.appendJSON(explanation, in: bytes)
            out.append(keys.of(.delivery))
            out.appendJSON(delivery?.name)
            out.append(keys.of(.replacedBy))
            out.appendJSON(replacedBy.map(Int64.init))
            out.append(keys.of(.latencyMicroseconds))
        }
    }
}

// MARK: Reading

extension RequestLine {
    /// Values that are assembled once all members are known.
    struct Parts {
        var method: String?
        var path: String?
        var token: String?
        var fields: [(name: String, value: String)] = []
        var topic: String?
        var pushType: String?
        var collapseID: String?
        var id: JSONText.Member?
        var authentication = RecordedAuthentication()
        var tokenNumber: Int?
        /// The index of the member that holds the body.
        var body: Int?
    }

    /// Reads a member.
    ///
    /// - Parameter index: its index among the members of the line.
    mutating func take(
        _ member: JSONText.Member, _ known: RecordMember, at index: Int, _ parts: inout Parts
    ) throws(JSONText.Mistake) {
        switch known {
        // The log has read the session already.
        case .event, .session: break
        case .sequence:
            (sequence, offset) = (try member.count(), member.value.offset)
            if sequence == 0 { throw member.mistake("a number of at least 1") }
        case .replica: _ = try member.textIfAny()
        case .replicaSequence: _ = try member.countIfAny()
        case .time: record.time = try member.time()
        case .clock: record.clock = try member.time()
        case .connection: connection.number = try member.countIfAny()
        case .connectionID: connection.id = try member.countIfAny()
        case .stream: record.stream = UInt32(clamping: try member.countIfAny() ?? 0)
        case .method: parts.method = try member.textIfAny()
        case .path: parts.path = try member.textIfAny()
        case .token: parts.token = try member.textIfAny()
        case .device: try attach(member, .device)
        case .headers: parts.fields = try Self.fields(member)
        case .topic: parts.topic = try member.textIfAny()
        case .pushType: parts.pushType = try member.textIfAny()
        case .priority: record.priority = try member.countIfAny().map { UInt8(clamping: $0) }
        case .expiration:
            if !member.value.isNull {
                guard let seconds = member.value.int64 else { throw member.mistake("a whole number or null") }
                record.expiration = seconds
            }
        case .collapseID: parts.collapseID = try member.textIfAny()
        case .apnsID: parts.id = member
        case .uniqueID: record.uniqueID = try Self.id(member)
        case .inFlight: record.inFlight = UInt32(clamping: try member.count())
        case .payload, .payloadText: if !member.value.isNull { parts.body = index }
        case .payloadBase64: parts.body = index
        case .payloadBytes: record.payloadBytes = UInt32(clamping: try member.count())
        case .sentBy: sender = try member.word()
        case .authentication: parts.authentication = try RecordedAuthentication(member)
        case .providerTokenNumber: parts.tokenNumber = try member.countIfAny()
        case .status: record.status = try member.countIfAny().map { UInt16(clamping: $0) }
        case .reason: if !member.value.isNull { record.reason = try member.word() }
        case .retryAfter: record.retryAfter = try member.countIfAny().map { UInt32(clamping: $0) }
        case .resetCode: record.resetCode = try member.errorCode()
        case .outcome: record.outcome = try member.word()
        case .decidedBy: try takeDecider(member)
        case .explanation: try attach(member, .explanation)
        case .delivery: if !member.value.isNull { record.delivery = try member.word() }
        case .replacedBy: record.replacedBy = try member.countIfAny()
        case .latencyMicroseconds: record.latencyMicroseconds = UInt32(clamping: try member.count())
        // Lines of updates, which follow, say it.
        case .deliveries: break
        case .relayed, .own: RelayedAnswer.read(known, member.value, into: &relayed)
        // Follows from both.
        case .agrees: break
        case .call, .channel, .channelName, .requestID, .storagePolicy, .subscribers, .delivered, .stored, .ignored:
            var call = call ?? (CallRecord(), CallRecord.Texts())
            try call.record.read(member, known, &call.texts)
            self.call = call
        }
    }

    /// Gives a member the range of the header field that has its value.
    mutating func place(_ range: ByteRange, of field: (name: String, value: String), _ parts: borrowing Parts) {
        switch field.name {
        case "apns-topic": if field.value == parts.topic { record.topic = range }
        case "apns-push-type": if field.value == parts.pushType { record.pushType = range }
        case "apns-collapse-id": if field.value == parts.collapseID { record.collapseID = range }
        default: break
        }
    }
}
