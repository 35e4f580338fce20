/// The members of a request record, in the order of a log line.
///
/// Writer and reader use this table. Tests check the order of the writer, ``RequestField``, the library's record and the
/// OpenAPI document against it. A new member has its name and its reader here, its column and its form in a frame in
/// ``RequestRecord``, its text in one of the parts of ``RecordWriter``, and its value in the library's record; compiler and
/// tests name what is missing.
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
    // Only in records of calls about broadcast channels.
    case call, channel, channelName, requestID, storagePolicy, subscribers, delivered, stored, ignored
    /// Only in a log file, in the lines of a session. Those of events have it, too.
    case session

    /// The key in a line.
    package var name: String { Self.names[rawValue] }
    private static let names = allCases.map { "\($0)" }

    /// Whether a line without this member is not a record. Any other member may be missing from logs of older versions.
    package var isEssential: Bool {
        switch self {
        case .event, .sequence, .time, .outcome: true
        default: false
        }
    }

    /// Whether every line has this member. `payloadBase64` appears only for a body that is not text, the replica only in
    /// the log of a fleet, `retryAfter` and `resetCode` only if the answer or the reset has them, `session` only in the log
    /// file.
    package var isInEveryLine: Bool {
        ![.payloadBase64, .replica, .replicaSequence, .retryAfter, .resetCode, .session].contains(self) && !isOfCalls
    }

    /// Whether only calls about broadcast channels have it.
    package var isOfCalls: Bool {
        switch self {
        case .call, .channel, .channelName, .requestID, .storagePolicy, .subscribers, .delivered, .stored, .ignored:
            true
        default: false
        }
    }
}

// MARK: Reading

extension RequestLine {
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
        case .sentBy: sender = try member.word(RecordedWords.senders)
        case .authentication: parts.authentication = try RecordedAuthentication(member)
        case .providerTokenNumber: parts.tokenNumber = try member.countIfAny()
        case .status: record.status = try member.countIfAny().map { UInt16(clamping: $0) }
        case .reason: if !member.value.isNull { record.reason = try member.word(RecordedWords.reasons) }
        case .retryAfter: record.retryAfter = try member.countIfAny().map { UInt32(clamping: $0) }
        case .resetCode: record.resetCode = try member.errorCode()
        case .outcome: record.outcome = try member.word(RecordedWords.outcomes)
        case .decidedBy: try takeDecider(member)
        case .explanation: try attach(member, .explanation)
        case .delivery: if !member.value.isNull { record.delivery = try member.word(RecordedWords.deliveries) }
        case .replacedBy: record.replacedBy = try member.countIfAny()
        case .latencyMicroseconds: record.latencyMicroseconds = UInt32(clamping: try member.count())
        case .call, .channel, .channelName, .requestID, .storagePolicy, .subscribers, .delivered, .stored, .ignored:
            var call = call ?? (CallRecord(), CallRecord.Texts())
            try take(member, known, of: &call.record, &call.texts)
            self.call = call
        }
    }

    private func take(
        _ member: JSONText.Member, _ known: RecordMember, of call: inout CallRecord, _ texts: inout CallRecord.Texts
    ) throws(JSONText.Mistake) {
        func text() throws(JSONText.Mistake) -> [UInt8]? { try member.textIfAny().map { Array($0.utf8) } }
        switch known {
        case .call: if !member.value.isNull { call.call = try member.word(RecordedWords.calls) }
        case .channel: texts.channel = try text()
        case .channelName: texts.channelName = try text()
        case .requestID: texts.requestID = try text()
        case .storagePolicy:
            call.policy = try member.countIfAny().flatMap {
                ChannelStorage(code: UInt8(clamping: $0))
            }
        case .subscribers: call.subscribers = try member.countIfAny()
        case .delivered: call.delivered = try member.countIfAny()
        case .stored: call.isStored = member.value.bool
        case .ignored: texts.ignored = try text()
        default: break
        }
    }

    private mutating func attach(
        _ member: JSONText.Member, _ attachment: RequestRecord.Attachment
    ) throws(JSONText.Mistake) {
        if let text = try member.textIfAny() { attachments.append((Array(text.utf8), attachment)) }
    }

    private mutating func takeDecider(_ member: JSONText.Member) throws(JSONText.Mistake) {
        let text = try member.text()
        guard text.hasPrefix("rule:") else {
            record.decidedBy = try member.word(RecordedWords.deciders)
            return
        }
        record.decidedBy = .rule
        attachments.append((Array(text.utf8.dropFirst(5)), .rule))
    }

    private static func fields(_ member: JSONText.Member) throws(JSONText.Mistake) -> [(name: String, value: String)] {
        guard let elements = member.value.array else { throw member.mistake("a list of names and values") }
        var fields: [(String, String)] = []
        fields.reserveCapacity(elements.count)
        for element in elements {
            guard let pair = element.array, pair.count == 2, let name = pair[0].string, let value = pair[1].string
            else { throw JSONText.Member(key: member.key, keyOffset: 0, value: element).mistake("a name and a value") }
            fields.append((name, value))
        }
        return fields
    }

    static func id(_ member: JSONText.Member) throws(JSONText.Mistake) -> RequestRecord.MadeID? {
        guard let text = try member.textIfAny() else { return nil }
        let bytes = Array(text.utf8)
        guard let id = RequestRecord.MadeID(bytes.span) else { throw member.mistake("an id or null") }
        return id
    }
}

/// The members of a record's `authentication`, in order.
package enum AuthenticationMember: Int, CaseIterable, Sendable {
    case method, keyID, teamID, issuedAt, providerToken, signature, verdict

    /// The key in the object.
    package var name: String { Self.names[rawValue] }
    private static let names = allCases.map { "\($0)" }
}
