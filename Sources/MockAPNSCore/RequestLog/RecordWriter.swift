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
package struct RecordWriter: Sendable {
    private var origin = OriginText()
    private var fields = FieldsText()
    private var payload = PayloadText()
    private var decision = DecisionText()

    /// A writer that has written nothing yet.
    package init() {}

    /// Appends the record at `index` as one JSON object, without a line feed.
    mutating func append(_ segment: borrowing RequestSegment, at index: Int, to output: inout [UInt8]) {
        let record = segment.records[index]
        let bytes = segment.bytes(of: record, at: index)
        let texts = RecordKey.texts
        let starts = RecordKey.starts
        let keys = RecordKeys(texts.span, starts.span)
        origin.set(record, connection: segment.connectionNumber(of: record), keys)
        fields.set(record, bytes, in: segment, keys)
        payload.set(record, bytes, keys)
        decision.set(record, bytes, in: segment, keys)
        let sequence = segment.firstSequence + index
        // Three texts of the request are written here: method, path and token; then perhaps a sent id, and a device's name.
        let room = 1024 + origin.text.count + fields.text.count + payload.text.count + decision.text.count
        output.append(addingCapacity: room + 6 * 3 * bytes.count) { out in
            out.append(keys.text(.sequence))
            out.appendJSON(Int64(sequence))
            out.append(origin.text.span)
            Self.appendRequest(record, bytes, keys, &out)
            out.append(fields.text.span)
            Self.appendIDs(record, bytes, keys, &out)
            out.append(payload.text.span)
            out.append(decision.text.span)
            out.appendJSON(Int64(record.latencyMicroseconds))
            out.append(UInt8(ascii: "}"))
        }
    }

    @inline(__always)
    @_lifetime(out: copy out)
    private static func appendRequest(
        _ record: RequestRecord, _ bytes: Span<UInt8>, _ keys: borrowing RecordKeys, _ out: inout OutputSpan<UInt8>
    ) {
        out.appendJSON(record.stream == 0 ? nil : Int64(record.stream), keys)
        out.append(keys.text(.method))
        out.appendJSON(record.methodRange, in: bytes, keys)
        out.append(keys.text(.path))
        // The path of a device is plain text, and ends with the device token.
        out.appendJSON(record.pathRange, in: bytes, isPlain: record.isPathPlain, keys)
        out.append(keys.text(.token))
        out.appendJSON(record.tokenRange, in: bytes, isPlain: record.isPathPlain, keys)
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
}

extension RequestLog {
    /// Appends the line of a record, with its line feed, as it goes into the log file.
    ///
    /// - Returns: false when the record is not kept; the latest one always is, whatever the limit.
    @discardableResult
    package func appendLine(of sequence: Int, using writer: inout RecordWriter, to output: inout [UInt8]) -> Bool {
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
