/// Writes records as JSON, the same bytes for the log file and for the API.
///
/// `headers` lists the fields as they came, `authorization` at its place and cut after its second dot, so without the
/// signature. Of the pseudo-header fields it has those that no other member tells, `:scheme` and `:authority`. What
/// is not UTF-8 in a field is written as U+FFFD.
///
/// `payload` is the body without insignificant white space, to the letter; `payloadText` a body that is no JSON; and
/// only for a body that is no text either there is a member `payloadBase64`. Of a body that is stored in part, that
/// part.
///
/// A writer remembers the last time that it wrote, because the next is mostly in the same second.
public struct RecordWriter: Sendable {
    private var time = TimeText()
    private var clock = TimeText()

    /// A writer that has written nothing yet.
    public init() {}

    /// Appends the record at `index` as one JSON object, without a line feed.
    mutating func append(_ segment: borrowing RequestSegment, at index: Int, to output: inout [UInt8]) {
        let record = segment.records[index]
        let bytes = segment.bytes(of: record, at: index)
        let token = segment.token(of: record)
        time.set(record.time)
        clock.set(record.clock)
        var room = 2048 + 12 * bytes.count
        if let token {
            room += 6 * (token.authorization.count + (token.keyID?.utf8.count ?? 0) + (token.teamID?.utf8.count ?? 0))
        }
        let sequence = segment.firstSequence + index
        let texts = RecordKey.texts
        let keys = RecordKeys(texts.span)
        let (time, clock) = (time.text, clock.text)
        output.append(addingCapacity: room) { out in
            out.append(keys.text(.sequence))
            out.appendJSON(Int64(sequence))
            out.append(keys.text(.time))
            out.append(time.span)
            out.append(keys.text(.clock))
            out.append(clock.span)
            Self.appendRequest(record, bytes, token, keys, &out)
            out.append(keys.text(.payload))
        }
        let body = bytes.extracting(Int(record.headerCount)..<Int(record.headerCount) + Int(record.bodyCount))
        appendPayload(body, isWhole: body.count == Int(record.payloadBytes), keys, to: &output)
        output.append(addingCapacity: room) { out in
            out.append(keys.text(.payloadBytes))
            out.appendJSON(Int64(record.payloadBytes))
            Self.appendAuthentication(record, token, keys, &out)
            Self.appendDecision(record, bytes, keys, &out)
        }
    }

    @inline(__always)
    @_lifetime(out: copy out)
    private static func appendRequest(
        _ record: RequestRecord, _ bytes: Span<UInt8>, _ token: ProviderToken?, _ keys: borrowing RecordKeys,
        _ out: inout OutputSpan<UInt8>
    ) {
        out.append(keys.text(.connection))
        out.appendJSON(Int64(record.connection))
        out.append(keys.text(.stream))
        out.appendJSON(Int64(record.stream))
        out.append(keys.text(.method))
        out.appendJSON(record.methodPlace, in: bytes, keys)
        out.append(keys.text(.path))
        out.appendJSON(record.pathPlace, in: bytes, keys)
        out.append(keys.text(.token))
        out.appendJSON(record.tokenPlace, in: bytes, keys)
        out.append(keys.text(.device))
        out.appendJSON(record.devicePlace, in: bytes, keys)
        out.append(keys.text(.headers))
        appendHeaders(record, bytes, token, keys, &out)
        out.append(keys.text(.topic))
        out.appendJSON(record.topicPlace, in: bytes, keys)
        out.append(keys.text(.pushType))
        out.appendJSON(record.pushTypePlace, in: bytes, keys)
        out.append(keys.text(.priority))
        out.appendJSON(record.priority.map(Int64.init), keys)
        out.append(keys.text(.expiration))
        out.appendJSON(record.expiration, keys)
        out.append(keys.text(.collapseID))
        out.appendJSON(record.collapseIDPlace, in: bytes, keys)
        out.append(keys.text(.apnsID))
        switch record.apnsID {
        case .sent(let range): out.appendJSON(bytes.extracting(range.range))
        case .made(let id): out.appendJSON(id, uppercase: true)
        case nil: out.append(keys.text(.null))
        }
        out.append(keys.text(.uniqueID))
        if let id = record.uniqueID {
            out.appendJSON(id, uppercase: false)
        } else {
            out.append(keys.text(.null))
        }
        out.append(keys.text(.inFlight))
        out.appendJSON(Int64(record.inFlight))
    }

    @inline(__always)
    @_lifetime(out: copy out)
    private static func appendHeaders(
        _ record: RequestRecord, _ bytes: Span<UInt8>, _ token: ProviderToken?, _ keys: borrowing RecordKeys,
        _ out: inout OutputSpan<UInt8>
    ) {
        var fields = HeaderFields(in: 0..<Int(record.headerCount))
        var isFirst = true
        // The left-out field stood before the one that begins here.
        var authorization =
            record.authorizationOffset == RequestRecord.noAuthorization
            ? -1 : Int(record.authorizationOffset)
        while true {
            let field = fields.next(in: bytes)
            if authorization >= 0, field.map({ Int($0.name.start) - 4 == authorization }) ?? true, let token {
                authorization = -1
                if !isFirst { out.append(UInt8(ascii: ",")) }
                isFirst = false
                out.append(keys.text(.authorization))
                out.appendCut(token)
            }
            guard let field else { return }
            let name = bytes.extracting(field.name.range)
            if field.value.start == record.methodPlace.start32 || field.value.start == record.pathPlace.start32 {
                continue
            }
            if !isFirst { out.append(UInt8(ascii: ",")) }
            isFirst = false
            out.append(UInt8(ascii: "["))
            out.appendJSON(name)
            out.append(UInt8(ascii: ","))
            out.appendJSON(bytes.extracting(field.value.range))
            out.append(UInt8(ascii: "]"))
        }
    }

    private func appendPayload(
        _ body: Span<UInt8>, isWhole: Bool, _ keys: borrowing RecordKeys, to output: inout [UInt8]
    ) {
        guard !body.isEmpty else { return output.append(keys.text(.noPayload)) }
        let start = output.count
        if isWhole, JSONText.minify(body, into: &output) { return output.append(keys.text(.noText)) }
        output.removeLast(output.count - start)
        var text: [UInt8] = []
        text.append(isWhole ? body : body.extracting(first: body.countWithoutCutCharacter))
        if String(validating: text, as: UTF8.self) != nil {
            output.append(keys.text(.onlyText))
            output.append(addingCapacity: JSONBound.string(text.count)) { $0.appendJSON(text.span) }
        } else {
            output.append(keys.text(.payloadBase64))
            output.appendBase64(body)
        }
    }

    @inline(__always)
    @_lifetime(out: copy out)
    private static func appendAuthentication(
        _ record: RequestRecord, _ token: ProviderToken?, _ keys: borrowing RecordKeys, _ out: inout OutputSpan<UInt8>
    ) {
        out.append(keys.text(.authentication))
        out.append(record.authentication.name)
        out.append(keys.text(.keyID))
        out.appendJSON(token?.keyID)
        out.append(keys.text(.teamID))
        out.appendJSON(token?.teamID)
        out.append(keys.text(.issuedAt))
        out.appendJSON(token?.issuedAt?.seconds, keys)
        out.append(keys.text(.providerToken))
        out.appendJSON(record.providerToken == 0 ? nil : Int64(record.providerToken), keys)
        out.append(keys.text(.signature))
        switch token?.signatureForm {
        case .raw: out.append("\"raw\"")
        case .der: out.append("\"der\"")
        case nil: out.append(keys.text(.null))
        }
        out.append(keys.text(.verdict))
        switch record.verdict {
        case .notJudged: out.append(keys.text(.null))
        case .valid: out.append("\"valid\"")
        case .refused(let reason): out.appendJSON(reason.name)
        }
    }

    @inline(__always)
    @_lifetime(out: copy out)
    private static func appendDecision(
        _ record: RequestRecord, _ bytes: Span<UInt8>, _ keys: borrowing RecordKeys, _ out: inout OutputSpan<UInt8>
    ) {
        out.append(keys.text(.status))
        out.appendJSON(record.status.map(Int64.init), keys)
        out.append(keys.text(.reason))
        out.appendJSON(record.reason?.name)
        out.append(keys.text(.outcome))
        out.append(record.outcome.name)
        out.append(keys.text(.decidedBy))
        out.append(record.decidedBy.name)
        if !record.rulePlace.isAbsent {
            out.append(UInt8(ascii: ":"))
            out.appendJSONContents(bytes.extracting(record.rulePlace.indices))
        }
        out.append(keys.text(.explanation))
        out.appendJSON(record.explanationPlace, in: bytes, keys)
        out.append(keys.text(.delivery))
        out.appendJSON(record.delivery?.name)
        out.append(keys.text(.replacedBy))
        out.appendJSON(record.replacedBy.map(Int64.init), keys)
        out.append(keys.text(.latency))
        out.appendJSON(Int64(record.latencyMicroseconds))
        out.append(UInt8(ascii: "}"))
    }
}

extension RequestLog {
    /// Appends the line of a record, with its line feed, as it goes into the log file.
    ///
    /// - Returns: false when the record is not kept; the latest one always is, whatever the limit.
    @discardableResult
    public func appendLine(of sequence: Int, using writer: inout RecordWriter, to output: inout [UInt8]) -> Bool {
        if sequence >= open.firstSequence, sequence <= latestSequence {
            writer.append(open, at: sequence - open.firstSequence, to: &output)
        } else if let (segment, index) = snapshot.place(of: sequence) {
            writer.append(segment, at: index, to: &output)
        } else {
            return false
        }
        output.append(UInt8(ascii: "\n"))
        return true
    }
}

extension RequestRecord.Place {
    var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
    fileprivate var start32: UInt32 { UInt32(start) }
}

extension OutputSpan<UInt8> {
    @inline(__always)
    @_lifetime(self: copy self)
    fileprivate mutating func appendJSON(
        _ place: RequestRecord.Place, in bytes: Span<UInt8>, _ keys: borrowing RecordKeys
    ) {
        if place.isAbsent { append(keys.text(.null)) } else { appendJSON(bytes.extracting(place.indices)) }
    }

    @inline(__always)
    @_lifetime(self: copy self)
    fileprivate mutating func appendJSON(_ number: Int64?, _ keys: borrowing RecordKeys) {
        if let number { appendJSON(number) } else { append(keys.text(.null)) }
    }

    /// The value of an `authorization` field without the signature, the closing quotation mark and the bracket.
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
