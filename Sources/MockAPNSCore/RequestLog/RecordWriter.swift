/// Writes records as JSON, the same bytes for the log file and for the API.
///
/// `headers` lists the fields as they came, `authorization` among them and cut after its second dot, so without the
/// signature. Of the pseudo-header fields it has those that no other member tells, `:scheme` and `:authority`. What
/// is not UTF-8 in a field is written as U+FFFD.
///
/// `payload` is the body without insignificant white space, to the letter; `payloadText` a body that is no JSON; and
/// only for a body that is no text either there is a member `payloadBase64`. Of a body that is stored in part, that
/// part.
///
/// A writer remembers what it wrote last, because most of the next record is the same.
public struct RecordWriter: Sendable {
    private var time = TimeText()
    private var clock = TimeText()
    private var fields = FieldsText()
    private var decision = DecisionText()

    /// A writer that has written nothing yet.
    public init() {}

    /// Appends the record at `index` as one JSON object, without a line feed.
    mutating func append(_ segment: borrowing RequestSegment, at index: Int, to output: inout [UInt8]) {
        let record = segment.records[index]
        let bytes = segment.bytes(of: record, at: index)
        let token = segment.token(of: record)
        let texts = RecordKey.texts
        let starts = RecordKey.starts
        let keys = RecordKeys(texts.span, starts.span)
        time.set(record.time)
        clock.set(record.clock)
        fields.set(record, bytes, token, keys)
        decision.set(record, bytes, token, segment.tokenNumber(of: record), keys)
        let sequence = segment.firstSequence + index
        let connection = segment.connectionNumber(of: record)
        let (time, clock, fields) = (time.text, clock.text, fields.text)
        // Three texts of the request are written here: method, path and token; then perhaps a sent id, and a device's name.
        output.append(addingCapacity: 1024 + fields.count + 6 * 3 * bytes.count) { out in
            out.append(keys.text(.sequence))
            out.appendJSON(Int64(sequence))
            out.append(keys.text(.time))
            out.append(time.span)
            out.append(keys.text(.clock))
            out.append(clock.span)
            Self.appendRequest(record, connection: connection, bytes, keys, &out)
            out.append(fields.span)
            Self.appendIDs(record, bytes, keys, &out)
            out.append(keys.text(.payload))
        }
        let body = bytes.extracting(Int(record.headerCount)..<Int(record.headerCount) + Int(record.bodyCount))
        appendPayload(body, isWhole: record.hasWholeBody, keys, to: &output)
        let decision = decision.text
        output.append(addingCapacity: 128 + decision.count) { out in
            out.append(keys.text(.payloadBytes))
            out.appendJSON(Int64(record.payloadBytes))
            out.append(decision.span)
            out.appendJSON(Int64(record.latencyMicroseconds))
            out.append(UInt8(ascii: "}"))
        }
    }

    @inline(__always)
    @_lifetime(out: copy out)
    private static func appendRequest(
        _ record: RequestRecord, connection: Int?, _ bytes: Span<UInt8>, _ keys: borrowing RecordKeys,
        _ out: inout OutputSpan<UInt8>
    ) {
        out.append(keys.text(.connection))
        if let connection { out.appendJSON(Int64(connection)) } else { out.append(keys.text(.null)) }
        out.append(keys.text(.connectionID))
        out.appendJSON(Int64(record.connectionID))
        out.append(keys.text(.stream))
        out.appendJSON(Int64(record.stream))
        out.append(keys.text(.method))
        out.appendJSON(record.methodRange, in: bytes, keys)
        out.append(keys.text(.path))
        out.appendJSON(record.pathRange, in: bytes, keys)
        out.append(keys.text(.token))
        out.appendJSON(record.tokenRange, in: bytes, keys)
        out.append(keys.text(.device))
        out.appendJSON(record.deviceRange, in: bytes, keys)
    }

    @inline(__always)
    @_lifetime(out: copy out)
    private static func appendIDs(
        _ record: RequestRecord, _ bytes: Span<UInt8>, _ keys: borrowing RecordKeys, _ out: inout OutputSpan<UInt8>
    ) {
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
}

extension RequestLog {
    /// Appends the line of a record, with its line feed, as it goes into the log file.
    ///
    /// - Returns: false when the record is not kept; the latest one always is, whatever the limit.
    @discardableResult
    public func appendLine(of sequence: Int, using writer: inout RecordWriter, to output: inout [UInt8]) -> Bool {
        if sequence >= open.firstSequence, sequence <= latestSequence {
            writer.append(open, at: sequence - open.firstSequence, to: &output)
        } else if let (segment, index) = snapshot.location(of: sequence) {
            writer.append(segment, at: index, to: &output)
        } else {
            return false
        }
        output.append(UInt8(ascii: "\n"))
        return true
    }
}
