// Two more parts of a record's JSON that are reused from the previous record.

/// The text from `time` to the key of `stream`: the same for requests of one connection that arrived together.
struct OriginText: Sendable {
    private(set) var text: [UInt8] = []
    /// What the text was made from.
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

/// The text from `payload` to `payloadBytes`: the same for one notification sent to many devices.
struct PayloadText: Sendable {
    private(set) var text: [UInt8] = []
    /// What the text was made from.
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
