/// A request line, converted to what the log was given for the request: a record whose ranges refer to its bytes.
package struct RequestLine {
    package var sequence = 0
    /// The offset of the sequence number in the line.
    package var offset = 0
    package var record = RequestRecord()
    /// The connection; empty for a push from the admin API.
    package var connection = ConnectionReference()
    var sender = Sender.provider
    /// The header fields, then the body.
    package private(set) var bytes: [UInt8] = []
    package private(set) var headerLength = 0
    package private(set) var token: ProviderToken?
    /// The topic, from the request or the certificate.
    package private(set) var topic: [UInt8]?
    /// The texts that are not among the bytes.
    package var attachments: [(text: [UInt8], RequestRecord.Attachment)] = []
    /// The name of the rule that decided, if one did.
    package var rule: [UInt8]? { attachments.first { $0.1 == .rule }?.text }
    /// The part that only a call about broadcast channels has; `nil` for a push.
    package var call: (record: CallRecord, texts: CallRecord.Texts)?
    /// What another APNs answered, if the push was passed on.
    package var relayed: RelayedAnswer?

    /// Sets the numbers of the request in merged logs.
    package mutating func renumber(
        sequence: Int, connection: ConnectionReference, replacedBy: Int?, token: ProviderToken?
    ) {
        (self.sequence, self.connection, self.token) = (sequence, connection, token)
        record.connectionID = UInt32(clamping: connection.key)
        record.replacedBy = replacedBy
    }

    private static let essential = RecordMember.allCases.filter(\.isEssential)

    package init(_ line: RecordedLine) throws(JSONText.Mistake) {
        var parts = Parts()
        var essentials = 0
        var hasClock = false
        for (index, member) in line.members.enumerated() {
            guard let known = RecordMember(named: member.key) else { continue }
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
            case "apns-id": if value == id { record.apnsID = .sent(range) }
            default: place(range, of: (name, value), parts)
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

    // MARK: Members

    mutating func attach(
        _ member: JSONText.Member, _ attachment: RequestRecord.Attachment
    ) throws(JSONText.Mistake) {
        if let text = try member.textIfAny() { attachments.append((Array(text.utf8), attachment)) }
    }

    mutating func takeDecider(_ member: JSONText.Member) throws(JSONText.Mistake) {
        let text = try member.text()
        guard text.hasPrefix("rule:") else {
            record.decidedBy = try member.word()
            return
        }
        record.decidedBy = .rule
        attachments.append((Array(text.utf8.dropFirst(5)), .rule))
    }

    static func fields(_ member: JSONText.Member) throws(JSONText.Mistake) -> [(name: String, value: String)] {
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

    static func id(_ member: JSONText.Member) throws(JSONText.Mistake) -> MadeID? {
        guard let text = try member.textIfAny() else { return nil }
        let bytes = Array(text.utf8)
        guard let id = MadeID(bytes.span) else { throw member.mistake("an id or null") }
        return id
    }
}
