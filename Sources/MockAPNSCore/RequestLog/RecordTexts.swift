// The parts of a record's JSON that are usually the same as in the previous record. They are kept, and written again
// only when what they were made from changes: ``RecordMember`` has that, with their members.

/// The text from `time` to the key of `stream`: the same for requests of one connection that arrived together.
struct OriginText: Sendable {
    private(set) var text: [UInt8] = []
    /// The source of the text.
    private struct Source: Sendable, Equatable {
        var time: Timestamp
        var clock: Timestamp
        var connectionID: UInt32
        var connection: Int?
    }

    private var source: Source?
    private var time = TimeText()
    private var clock = TimeText()

    @inline(__always)
    mutating func set(_ record: RequestRecord, connection: Int?, _ keys: borrowing RecordKeys) {
        let source = Source(
            time: record.time, clock: record.clock, connectionID: record.connectionID, connection: connection)
        if self.source != source { write(source, keys) }
    }

    private mutating func write(_ source: Source, _ keys: borrowing RecordKeys) {
        self.source = source
        time.set(source.time)
        clock.set(source.clock)
        let (time, clock) = (time.text, clock.text)
        text.removeAll(keepingCapacity: true)
        text.append(addingCapacity: 256) { out in
            out.append(keys.of(.time))
            out.append(time.span)
            out.append(keys.of(.clock))
            out.append(clock.span)
            out.append(keys.of(.connection))
            out.appendJSON(source.connection.map(Int64.init))
            out.append(keys.of(.connectionID))
            out.appendJSON(source.connectionID == 0 ? nil : Int64(source.connectionID))
            out.append(keys.of(.stream))
        }
    }
}

/// The text from `headers` to `collapseID`: the same for requests whose header fields differ only in the path, as is
/// usual for one provider.
struct FieldsText: Sendable {
    private(set) var text: [UInt8] = []
    private var source: Source?
    private var fields: [UInt8] = []
    /// Kept alive so that no other token gets the same identity.
    private var token: ProviderToken?

    @inline(__always)
    mutating func set(
        _ record: RequestRecord, _ bytes: Span<UInt8>, in segment: borrowing RequestSegment,
        _ keys: borrowing RecordKeys
    ) {
        let fields = bytes.extracting(first: Int(record.headerCount))
        let source = Source(record, segment.tokenIdentity(of: record))
        if self.source == source, holds(for: source, fields) { return }
        self.source = source
        token = segment.token(of: record)
        write(record, bytes, fields, keys)
    }

    private mutating func write(
        _ record: RequestRecord, _ bytes: Span<UInt8>, _ fields: Span<UInt8>, _ keys: borrowing RecordKeys
    ) {
        self.fields.removeAll(keepingCapacity: true)
        self.fields.append(fields)
        text.removeAll(keepingCapacity: true)
        // A byte takes at most six in JSON. Six times the bytes are for the header fields, and six for the topic, the push
        // type and the collapse id: a frame bounds their sum (`hasRoomInLines`). A new text needs six times its length
        // here, unless `hasRoomInLines` counts it among these.
        let room = 256 + 12 * bytes.count + 6 * (token?.authorization.count ?? 0)
        text.append(addingCapacity: room) { out in
            out.append(keys.of(.headers))
            out.appendHeaders(record, bytes, token)
            source?.append(bytes, keys, to: &out)
        }
    }

    /// Whether these fields are the same except for the path. A topic from a certificate is not one of them.
    private func holds(for source: Source, _ others: Span<UInt8>) -> Bool {
        guard fields.count == others.count,
            source.topic.isAbsent || source.topic.indices.upperBound <= others.count
        else { return false }
        let path = source.path.isAbsent ? fields.count..<fields.count : source.path.indices
        let own = fields.span
        return own.extracting(first: path.lowerBound).equals(others.extracting(first: path.lowerBound))
            && own.extracting(path.upperBound..<own.count).equals(others.extracting(path.upperBound..<own.count))
    }
}

/// The text from `payload` to `payloadBytes`: the same for one notification sent to many devices.
struct PayloadText: Sendable {
    private(set) var text: [UInt8] = []
    /// The source of the text.
    private var body: [UInt8] = []
    /// The length of the whole body, and whether all of it was stored; `nil` at first.
    private var source: (length: UInt32, isWhole: Bool)?

    @inline(__always)
    mutating func set(_ record: RequestRecord, _ bytes: Span<UInt8>, _ keys: borrowing RecordKeys) {
        let start = Int(record.headerCount)
        let body = bytes.extracting(start..<start + Int(record.bodyCount))
        let isWhole = record.hasWholeBody
        if let source, source == (record.payloadBytes, isWhole), self.body.span.equals(body) { return }
        source = (record.payloadBytes, isWhole)
        write(body, keys)
    }

    private mutating func write(_ body: Span<UInt8>, _ keys: borrowing RecordKeys) {
        guard let source else { return }
        self.body.removeAll(keepingCapacity: true)
        self.body.append(body)
        text.removeAll(keepingCapacity: true)
        text.append(keys.of(.payload))
        appendPayload(body, isWhole: source.isWhole, keys)
        text.append(keys.of(.payloadBytes))
        text.appendJSON(Int(source.length))
    }

    private mutating func appendPayload(_ body: Span<UInt8>, isWhole: Bool, _ keys: borrowing RecordKeys) {
        let start = text.count
        if isWhole, !body.isEmpty, JSONText.minify(body, into: &text, for: .everyReader) {
            text.append(keys.of(.payloadText))
            return text.append(contentsOf: "null".utf8)
        }
        text.removeLast(text.count - start)
        text.append(contentsOf: "null".utf8)
        text.append(keys.of(.payloadText))
        if body.isEmpty { return text.append(contentsOf: "null".utf8) }
        if let plain = body.text(isWhole: isWhole) {
            text.appendJSON(plain)
        } else {
            text.append(contentsOf: "null".utf8)
            text.append(keys.of(.payloadBase64))
            text.appendBase64(body)
        }
    }
}

/// The text from `sentBy` to the key of the latency: the same for requests with the same decision, unless they have
/// text of their own.
struct DecisionText: Sendable {
    private(set) var text: [UInt8] = []
    private var source: Source?
    /// Kept alive so that no other token gets the same identity.
    private var token: ProviderToken?

    @inline(__always)
    mutating func set(
        _ record: RequestRecord, _ bytes: Span<UInt8>, in segment: borrowing RequestSegment,
        _ keys: borrowing RecordKeys
    ) {
        let source = Source(record, segment.tokenIdentity(of: record), segment.tokenNumber(of: record))
        if !source.hasOwnText, self.source == source { return }
        self.source = source
        token = segment.token(of: record)
        write(source, bytes, keys)
    }

    private mutating func write(_ source: Source, _ bytes: Span<UInt8>, _ keys: borrowing RecordKeys) {
        text.removeAll(keepingCapacity: true)
        let names = (token?.keyID?.utf8.count ?? 0) + (token?.teamID?.utf8.count ?? 0)
        text.append(addingCapacity: 1024 + 12 * bytes.count + 6 * names) { out in
            source.append(bytes, token, keys, to: &out)
        }
    }
}

extension OutputSpan<UInt8> {
    @_lifetime(self: copy self)
    fileprivate mutating func appendHeaders(
        _ record: RequestRecord, _ bytes: Span<UInt8>, _ token: ProviderToken?
    ) {
        append(UInt8(ascii: "["))
        var fields = ListedFields(record, hasToken: token != nil)
        var isFirst = true
        while let field = fields.next(in: bytes) {
            if !isFirst { append(UInt8(ascii: ",")) }
            isFirst = false
            switch field {
            case .authorization:
                append("[\"authorization\",\"")
                if let token { appendCut(token) }
            case .received(let field):
                append(UInt8(ascii: "["))
                appendJSON(bytes.extracting(field.name.range))
                append(UInt8(ascii: ","))
                appendJSON(bytes.extracting(field.value.range))
                append(UInt8(ascii: "]"))
            }
        }
        append(UInt8(ascii: "]"))
    }
}

extension RequestRecord.StoredRange {
    package var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
}

extension OutputSpan<UInt8> {
    @inline(__always)
    @_lifetime(self: copy self)
    mutating func appendJSON(_ range: RequestRecord.StoredRange, in bytes: Span<UInt8>) {
        if range.isAbsent { append("null") } else { appendJSON(bytes.extracting(range.indices)) }
    }

    /// - Parameter isPlain: whether the text is known to need no escaping.
    @inline(__always)
    @_lifetime(self: copy self)
    mutating func appendJSON(
        _ range: RequestRecord.StoredRange, in bytes: Span<UInt8>, isPlain: Bool
    ) {
        guard isPlain, !range.isAbsent else { return appendJSON(range, in: bytes) }
        append(UInt8(ascii: "\""))
        append(bytes.extracting(range.indices))
        append(UInt8(ascii: "\""))
    }

    @inline(__always)
    @_lifetime(self: copy self)
    mutating func appendJSON(_ number: Int64?) {
        if let number { appendJSON(number) } else { append("null") }
    }

    /// Appends a word that needs no escaping.
    @_lifetime(self: copy self)
    mutating func appendQuoted(_ word: String) {
        append(UInt8(ascii: "\""))
        append(word)
        append(UInt8(ascii: "\""))
    }

    /// Appends the value of an `authorization` field without the signature, then the closing quotation mark and
    /// bracket.
    @inline(__always)
    @_lifetime(self: copy self)
    fileprivate mutating func appendCut(_ token: ProviderToken) {
        let length = token.lengthWithoutSignature
        let authorization = token.authorization
        appendJSONContents(authorization.span.extracting(first: length))
        if length < authorization.count { append(UInt8(ascii: ".")) }
        append(UInt8(ascii: "\""))
        append(UInt8(ascii: "]"))
    }
}

extension OutputSpan<UInt8> {
    /// Appends a generated id in quotation marks.
    @_lifetime(self: copy self)
    mutating func appendJSON(_ id: MadeID, uppercase: Bool) {
        append(UInt8(ascii: "\""))
        APNSID(high: id.high, low: id.low, uppercase: uppercase).append(to: &self)
        append(UInt8(ascii: "\""))
    }
}
