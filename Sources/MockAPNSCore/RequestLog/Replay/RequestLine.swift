/// A request line, converted to what the log was given for the request: a record whose ranges refer to its bytes.
struct RequestLine {
    var sequence = 0
    /// The offset of the sequence number in the line.
    var offset = 0
    var record = RequestRecord()
    /// The connection; empty for a push from the admin API.
    var connection = ConnectionReference()
    var sender = Sender.provider
    /// The header fields, then the body.
    private(set) var bytes: [UInt8] = []
    private(set) var headerLength = 0
    private(set) var token: ProviderToken?
    /// The topic, from the request or the certificate.
    private(set) var topic: [UInt8]?
    /// The texts that are not among the bytes.
    var attachments: [(text: [UInt8], RequestRecord.Attachment)] = []
    /// The name of the rule that decided, if one did.
    var rule: [UInt8]? { attachments.first { $0.1 == .rule }?.text }
    /// What a call about broadcast channels has in addition; `nil` for a push.
    var call: (record: CallRecord, texts: CallRecord.Texts)?

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
