/// A request line, converted to what the log was given for the request: a record whose ranges refer to its bytes.
struct RequestLine {
    private(set) var sequence = 0
    /// The offset of the sequence number in the line.
    private(set) var offset = 0
    var record = RequestRecord()
    /// The connection; empty for a push from the admin API.
    private(set) var connection = ConnectionReference()
    private var sender = Sender.provider
    /// The header fields, then the body.
    private(set) var bytes: [UInt8] = []
    private(set) var headerLength = 0
    private(set) var token: ProviderToken?
    /// The topic, from the request or the certificate.
    private(set) var topic: [UInt8]?
    /// The texts that are not among the bytes.
    private(set) var attachments: [(text: [UInt8], RequestRecord.Attachment)] = []
    /// The name of the rule that decided, if one did.
    var rule: [UInt8]? { attachments.first { $0.1 == .rule }?.text }
    /// What a call about broadcast channels has in addition; `nil` for a push.
    private(set) var call: (record: CallRecord, texts: CallRecord.Texts)?

    /// Sets the numbers of the request in merged logs.
    mutating func renumber(sequence: Int, connection: ConnectionReference, replacedBy: Int?) {
        (self.sequence, self.connection) = (sequence, connection)
        record.connectionID = UInt32(clamping: connection.key)
        record.replacedBy = replacedBy
    }

    private static let membersByName = Dictionary(
        uniqueKeysWithValues: RecordMember.allCases.map { ($0.name, $0) })
    private static let essential = RecordMember.allCases.filter(\.isEssential)

    /// Values that are assembled once all members are known.
    private struct Parts {
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

    init(_ line: RecordedLine) throws(JSONText.Mistake) {
        var parts = Parts()
        var essentials = 0
        var hasClock = false
        for (index, member) in line.members.enumerated() {
            guard let known = Self.membersByName[member.key] else { continue }
            if known.isEssential { essentials += 1 }
            if known == .clock { hasClock = true }
            try take(member, known, at: index, &parts)
        }
        if essentials < Self.essential.count { for member in Self.essential { _ = try line.member(member.name) } }
        if !hasClock { record.clock = record.time }
        guard (connection.key > 0) == (sender == .provider) else { throw line.missing("connectionID") }
        record.connectionID = UInt32(clamping: connection.key)
        try putTogether(parts, line)
    }

    private mutating func take(
        _ member: JSONText.Member, _ known: RecordMember, at index: Int, _ parts: inout Parts
    ) throws(JSONText.Mistake) {
        switch known {
        case .event: break
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
                BroadcastChannel.StoragePolicy(rawValue: UInt8(clamping: $0))
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

    private static func id(_ member: JSONText.Member) throws(JSONText.Mistake) -> RequestRecord.MadeID? {
        guard let text = try member.textIfAny() else { return nil }
        let bytes = Array(text.utf8)
        guard let id = RequestRecord.MadeID(bytes.span) else { throw member.mistake("an id or null") }
        return id
    }

    // MARK: The bytes

    private mutating func putTogether(
        _ parts: Parts, _ line: RecordedLine
    ) throws(JSONText.Mistake) {
        let id = try parts.id?.textIfAny()
        if let method = parts.method { record.method = append(":method", method) }
        if let path = parts.path {
            let range = append(":path", path)
            record.path = range
            // The token is the end of the path.
            if let token = parts.token?.utf8.count, token <= range.count {
                record.token = ByteRange(start: Int(range.start + range.count) - token, count: token)
            }
        }
        var authorization: String?
        for (name, value) in parts.fields {
            let range = append(name, value)
            switch name {
            case "authorization": authorization = authorization ?? value
            case "apns-topic": if value == parts.topic { record.topic = range }
            case "apns-push-type": if value == parts.pushType { record.pushType = range }
            case "apns-collapse-id": if value == parts.collapseID { record.collapseID = range }
            case "apns-id": if value == id { record.apnsID = .sent(range) }
            default: break
            }
        }
        headerLength = bytes.count
        if let member = parts.id, record.apnsID == nil { record.apnsID = try Self.id(member).map { .made($0) } }
        topic = parts.topic.map { Array($0.utf8) }
        if let topic, record.topic == nil { attachments.append((topic, .topic)) }
        record.authentication = parts.authentication.method
        record.providerToken = parts.authentication.number
        record.verdict = parts.authentication.verdict
        token = parts.authentication.token(authorization, number: parts.tokenNumber)
        if let index = parts.body { try appendBody(line, index) }
    }

    private mutating func append(_ name: String, _ value: String) -> ByteRange {
        HeaderFields.append(name.utf8, value.utf8, to: &bytes)
        let value = value.utf8.prefix(Int(UInt16.max))
        return ByteRange(start: bytes.count - value.count, count: value.count)
    }

    private mutating func appendBody(_ line: RecordedLine, _ index: Int) throws(JSONText.Mistake) {
        let member = line.members[index]
        switch member.key {
        case "payload":
            _ = JSONText.minify(line.source(of: index), into: &bytes)
            record.isMinified = true
        case "payloadText": bytes.append(contentsOf: try member.text().utf8)
        default:
            let text = Array(try member.text().utf8)
            guard let body = Base64URL.decode(text.span) else { throw member.mistake("base64") }
            bytes.append(contentsOf: body)
        }
    }
}

/// The authentication recorded in a request line.
struct RecordedAuthentication {
    private(set) var method = AuthenticationMethod.none
    private(set) var number: UInt32 = 0
    private(set) var verdict = Verdict.notJudged
    private static let membersByName = Dictionary(
        uniqueKeysWithValues: AuthenticationMember.allCases.map { ($0.name, $0) })
    private var keyID: String?
    private var teamID: String?
    private var issuedAt: Timestamp?
    private var signature: ProviderToken.SignatureForm?

    init() {}

    init(_ member: JSONText.Member) throws(JSONText.Mistake) {
        guard let members = member.value.object else { throw member.mistake("an object") }
        for member in members where !member.value.isNull {
            switch Self.membersByName[member.key] {
            case .method: method = try member.word(RecordedWords.methods)
            case .keyID: keyID = try member.text()
            case .teamID: teamID = try member.text()
            case .issuedAt:
                guard let seconds = member.value.int64, Timestamp.countableSeconds ~= seconds else {
                    throw member.mistake("seconds since 1970")
                }
                issuedAt = Timestamp(seconds: seconds)
            case .providerToken: number = UInt32(clamping: try member.count())
            case .signature: signature = try member.word(RecordedWords.signatures)
            case .verdict: verdict = try member.word(RecordedWords.verdicts)
            case nil: break
            }
        }
    }

    /// Returns the provider token, without its signature.
    ///
    /// - Parameters:
    ///   - authorization: the value of the field.
    ///   - number: the number of the token in the log.
    func token(_ authorization: String?, number: Int?) -> ProviderToken? {
        guard let authorization, let number else { return nil }
        return ProviderToken(
            recorded: Array(authorization.utf8), hash: UInt64(number), keyID: keyID, teamID: teamID, issuedAt: issuedAt,
            signatureForm: signature)
    }
}
