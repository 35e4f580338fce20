// The parts of a record's JSON that are usually the same as in the previous record. They are kept, and written again
// only when their content changes.

/// The text from `headers` to `collapseID`: the same for requests whose header fields differ only in the path, as is
/// usual for one provider.
struct FieldsText: Sendable {
    private(set) var text: [UInt8] = []
    /// What the text was made from, in addition to the bytes of the fields.
    private struct Source: Sendable, Equatable {
        var token: ObjectIdentifier?
        var authorizationOffset: UInt16
        var method: RequestRecord.StoredRange
        var path: RequestRecord.StoredRange
        var topic: RequestRecord.StoredRange
        var pushType: RequestRecord.StoredRange
        var collapseID: RequestRecord.StoredRange
        var priority: UInt8?
        var expiration: Int64?

        init(_ record: RequestRecord, _ token: ObjectIdentifier?) {
            self.token = token
            authorizationOffset = record.authorizationOffset
            (method, path) = (record.methodRange, record.pathRange)
            (topic, pushType, collapseID) = (record.topicRange, record.pushTypeRange, record.collapseIDRange)
            (priority, expiration) = (record.priority, record.expiration)
        }
    }

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
        let room = 256 + 12 * bytes.count + 6 * (token?.authorization.count ?? 0)
        text.append(addingCapacity: room) { out in
            out.append(keys.of(.headers))
            out.appendHeaders(record, bytes, token)
            out.append(keys.of(.topic))
            out.appendJSON(record.topicRange, in: bytes)
            out.append(keys.of(.pushType))
            out.appendJSON(record.pushTypeRange, in: bytes)
            out.append(keys.of(.priority))
            out.appendJSON(record.priority.map(Int64.init))
            out.append(keys.of(.expiration))
            out.appendJSON(record.expiration)
            out.append(keys.of(.collapseID))
            out.appendJSON(record.collapseIDRange, in: bytes)
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

/// The text from `sentBy` to the key of the latency: the same for requests with the same decision, unless there is an
/// explanation.
struct DecisionText: Sendable {
    private(set) var text: [UInt8] = []
    /// What the text was made from.
    private struct Source: Sendable, Equatable {
        var token: ObjectIdentifier?
        var tokenNumber: UInt32
        var sender: Sender
        var authentication: AuthenticationMethod
        var providerToken: UInt32
        var verdict: Verdict
        var status: UInt16?
        var reason: Reason?
        var outcome: Outcome
        var decidedBy: DecidedBy
        var delivery: Delivery?
        var replacedBy: Int?

        /// Fails for a record with text of its own, which is written each time.
        init?(_ record: RequestRecord, _ token: ObjectIdentifier?, _ tokenNumber: UInt32) {
            guard record.explanationRange.isAbsent, record.ruleRange.isAbsent, record.retryAfter == nil,
                record.resetCode == nil
            else { return nil }
            self.token = token
            self.tokenNumber = tokenNumber
            sender = record.sender
            (authentication, providerToken) = (record.authentication, record.providerToken)
            (verdict, status, reason) = (record.verdict, record.status, record.reason)
            (outcome, decidedBy) = (record.outcome, record.decidedBy)
            (delivery, replacedBy) = (record.delivery, record.replacedBy)
        }
    }

    private var source: Source?
    /// Kept alive so that no other token gets the same identity.
    private var token: ProviderToken?

    @inline(__always)
    mutating func set(
        _ record: RequestRecord, _ bytes: Span<UInt8>, in segment: borrowing RequestSegment,
        _ keys: borrowing RecordKeys
    ) {
        let tokenNumber = segment.tokenNumber(of: record)
        let source = Source(record, segment.tokenIdentity(of: record), tokenNumber)
        if let source, self.source == source { return }
        self.source = source
        token = segment.token(of: record)
        write(record, bytes, tokenNumber, keys)
    }

    private mutating func write(
        _ record: RequestRecord, _ bytes: Span<UInt8>, _ tokenNumber: UInt32, _ keys: borrowing RecordKeys
    ) {
        text.removeAll(keepingCapacity: true)
        let names = (token?.keyID?.utf8.count ?? 0) + (token?.teamID?.utf8.count ?? 0)
        text.append(addingCapacity: 1024 + 12 * bytes.count + 6 * names) { out in
            out.appendAuthentication(record, token, tokenNumber, keys)
            out.appendDecision(record, bytes, keys)
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

    @_lifetime(self: copy self)
    fileprivate mutating func appendAuthentication(
        _ record: RequestRecord, _ token: ProviderToken?, _ tokenNumber: UInt32, _ keys: borrowing RecordKeys
    ) {
        append(keys.of(.sentBy))
        appendQuoted(record.sender.name)
        append(keys.of(.authentication))
        append(keys.of(authentication: .method))
        appendQuoted(record.authentication.name)
        append(keys.of(authentication: .keyID))
        appendJSON(token?.keyID)
        append(keys.of(authentication: .teamID))
        appendJSON(token?.teamID)
        append(keys.of(authentication: .issuedAt))
        appendJSON(token?.issuedAt?.seconds)
        append(keys.of(authentication: .providerToken))
        appendJSON(record.providerToken == 0 ? nil : Int64(record.providerToken))
        append(keys.of(authentication: .signature))
        switch token?.signatureForm {
        case .raw: append("\"raw\"")
        case .der: append("\"der\"")
        case nil: append("null")
        }
        append(keys.of(authentication: .verdict))
        switch record.verdict {
        case .notJudged: append("null")
        case .valid: append("\"valid\"")
        case .refused(let reason): appendJSON(reason.name)
        }
        append(UInt8(ascii: "}"))
        append(keys.of(.providerTokenNumber))
        appendJSON(tokenNumber == 0 ? nil : Int64(tokenNumber))
    }

    @_lifetime(self: copy self)
    fileprivate mutating func appendDecision(
        _ record: RequestRecord, _ bytes: Span<UInt8>, _ keys: borrowing RecordKeys
    ) {
        append(keys.of(.status))
        appendJSON(record.status.map(Int64.init))
        append(keys.of(.reason))
        appendJSON(record.reason?.name)
        if let seconds = record.retryAfter {
            append(keys.of(.retryAfter))
            appendJSON(Int64(seconds))
        }
        if let code = record.resetCode {
            append(keys.of(.resetCode))
            appendJSON(errorCode: code)
        }
        append(keys.of(.outcome))
        appendQuoted(record.outcome.name)
        append(keys.of(.decidedBy))
        append(UInt8(ascii: "\""))
        append(record.decidedBy.name)
        if !record.ruleRange.isAbsent {
            append(UInt8(ascii: ":"))
            appendJSONContents(bytes.extracting(record.ruleRange.indices))
        }
        append(UInt8(ascii: "\""))
        append(keys.of(.explanation))
        appendJSON(record.explanationRange, in: bytes)
        append(keys.of(.delivery))
        appendJSON(record.delivery?.name)
        append(keys.of(.replacedBy))
        appendJSON(record.replacedBy.map(Int64.init))
        append(keys.of(.latencyMicroseconds))
    }
}

extension RequestRecord.StoredRange {
    var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
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
    fileprivate mutating func appendQuoted(_ word: String) {
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
