/// Writes records as JSON, with the same bytes for the log file and the API, which has one member more.
///
/// `headers` lists the fields as received. It includes `authorization`, cut after its second dot so that it lacks the
/// signature, and the pseudo-header fields that no other member holds: `:scheme` and `:authority`. Anything in a field
/// that is not UTF-8 is written as U+FFFD.
///
/// `payload` is the exact body without insignificant white space; `payloadText` is a body that is not JSON, or not JSON
/// that every reader takes, so that no line of the log is (``JSONText/Reach/everyReader``); the member
/// `payloadBase64` exists only for a body that is not text either. If only part of a body is stored, they hold that
/// part.
///
/// A writer remembers what it wrote last, because most of the next record is the same.
package struct RecordWriter: Sendable {
    private var origin = OriginText()
    private var fields = FieldsText()
    private var payload = PayloadText()
    private var decision = DecisionText()

    /// Whether `deliveries` is written.
    private let hasDeliveries: Bool

    /// Creates a writer of the lines of a log file, which events are, too.
    ///
    /// - Parameter hasDeliveries: whether records have the member `deliveries`, as in other answers of the API.
    package init(withDeliveries hasDeliveries: Bool = false) { self.hasDeliveries = hasDeliveries }

    /// Appends the record at `index` as one JSON object, without a line feed.
    package mutating func append(_ segment: borrowing RequestSegment, at index: Int, to output: inout [UInt8]) {
        let record = segment.records[index]
        let bytes = segment.bytes(of: record, at: index)
        let texts = RecordKeys.texts
        let starts = RecordKeys.starts
        let keys = RecordKeys(texts.span, starts.span)
        origin.set(record, connection: segment.connectionNumber(of: record), keys)
        fields.set(record, bytes, in: segment, keys)
        payload.set(record, bytes, keys)
        decision.set(record, bytes, in: segment, keys)
        let sequence = segment.firstSequence + index
        let replica = segment.origins.isEmpty ? nil : segment.origins[index]
        let replicaName = replica.map { segment.replicas[Int($0.replica)] } ?? []
        // Leaves room for three texts of the request: method, path and token; possibly also a sent id and a device
        // name.
        let call = record.callIndex.map { segment.calls[$0] }
        let deliveries = hasDeliveries ? segment.deliveriesText(at: index) : []
        let relayed = segment.relayed.isEmpty ? [] : segment.relayed[index]?.members ?? []
        let room =
            1024 + (call == nil ? 0 : CallRecord.boundWithoutTexts + 12 * bytes.count) + origin.text.count
            + fields.text.count + payload.text.count + decision.text.count + deliveries.count + relayed.count
        output.append(addingCapacity: room + 6 * 3 * bytes.count) { out in
            out.append(keys.of(.event))
            out.append("\"request\"")
            out.append(keys.of(.sequence))
            out.appendJSON(Int64(sequence))
            if let replica {
                out.append(keys.of(.replica))
                out.appendJSON(replicaName.span)
                out.append(keys.of(.replicaSequence))
                out.appendJSON(Int64(replica.sequence))
            }
            out.append(origin.text.span)
            Self.appendRequest(record, bytes, keys, &out)
            out.append(fields.text.span)
            Self.appendIDs(record, bytes, keys, &out)
            out.append(payload.text.span)
            out.append(decision.text.span)
            out.appendJSON(Int64(record.latencyMicroseconds))
            out.append(deliveries.span)
            out.append(relayed.span)
            if let call { call.appendJSON(bytes, keys, &out) }
            out.append(UInt8(ascii: "}"))
        }
    }
}
