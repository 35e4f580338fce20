/// The lines still to be written to the log file, in order: requests as they were decided, and events.
///
/// Queueing copies a record and its bytes unchanged, so the lock that guards decisions is released quickly. The lines
/// are formatted afterwards.
package struct LineQueue: Sendable {
    /// Consecutive requests and the events that followed the last of them.
    fileprivate struct Part {
        var requests = RequestSegment(firstSequence: 1)
        var events: [LoggedEvent] = []
    }

    private var parts: [Part] = []
    /// The number of parts in use. The others are empty and keep their buffers.
    private var count = 0
    private static let keptParts = 8

    /// Creates an empty queue.
    package init() {}

    /// Whether there is nothing to write.
    package var isEmpty: Bool { count == 0 }

    /// Adds a request from the log's open segment, which holds the latest requests.
    @inline(__always)
    package mutating func append(_ sequence: Int, of log: borrowing RequestLog) { log.append(sequence, to: &self) }

    fileprivate mutating func append(_ index: Int, of segment: borrowing RequestSegment) {
        if count == 0 || !parts[count - 1].isFollowed(by: index, of: segment) {
            beginPart()
            parts[count - 1].requests.firstSequence = segment.firstSequence + index
            parts[count - 1].requests.latestIDBefore = segment.latestIDBefore
        }
        parts[count - 1].requests.append(index, of: segment)
    }

    /// Adds an event.
    package mutating func append(_ event: LoggedEvent) {
        if count == 0 { beginPart() }
        parts[count - 1].events.append(event)
    }

    private mutating func beginPart() {
        if count == parts.count { parts.append(Part()) }
        count += 1
    }

    /// Appends all lines, each with its line feed, and empties the queue.
    ///
    /// - Parameter session: the session that the lines name; `nil` for the server's own.
    package mutating func writeLines(
        using writer: inout RecordWriter, of session: String? = nil, to output: inout [UInt8]
    ) {
        var end: [UInt8] = []
        if let session { end.appendMember(.session, session) }
        end.append(contentsOf: "}\n".utf8)
        for index in 0..<count {
            writer.appendLines(of: parts[index].requests, endingIn: end, to: &output)
            for event in parts[index].events {
                event.appendLine(to: &output)
                guard session != nil else { continue }
                output.removeLast(2)
                output += end
            }
        }
        removeAll()
    }

    /// Empties the queue.
    package mutating func removeAll() {
        if parts.count > Self.keptParts { parts.removeLast(parts.count - Self.keptParts) }
        for index in 0..<min(count, parts.count) {
            parts[index].requests.removeAll()
            parts[index].events.removeAll()
        }
        count = 0
    }
}

extension LineQueue.Part {
    /// Whether that record directly follows the last one of this part.
    @inline(__always)
    fileprivate func isFollowed(by index: Int, of segment: borrowing RequestSegment) -> Bool {
        events.isEmpty && !requests.isFull && requests.latestIDBefore == segment.latestIDBefore
            && requests.firstSequence + requests.records.count == segment.firstSequence + index
    }
}

extension RequestLog {
    fileprivate func append(_ sequence: Int, to queue: inout LineQueue) {
        queue.append(sequence - open.firstSequence, of: open)
    }
}

extension RequestSegment {
    /// Adds a copy of a record from another segment.
    @inline(__always)
    mutating func append(_ index: Int, of other: borrowing RequestSegment) {
        var record = other.records[index]
        if record.tokenIndex != RequestRecord.noToken {
            let number = other.tokenNumber(of: record)
            record.tokenIndex = self.index(of: other.tokens[Int(record.tokenIndex)])
            if tokenNumbers.count < tokens.count { tokenNumbers.append(number) }
        }
        if let call = record.callIndex {
            record.callIndex = calls.count
            calls.append(other.calls[call])
        }
        let text = other.bytes(of: record, at: index)
        record.start = UInt32(truncatingIfNeeded: bytes.count)
        makeRoom(for: text.count)
        bytes.append(text)
        if !other.relayed.isEmpty { relayed[records.count] = other.relayed[index] }
        records.append(record)
        if !other.origins.isEmpty {
            origins.append(other.origins[index])
            replicas = other.replicas
        }
    }

    /// Removes everything but keeps the buffers.
    fileprivate mutating func removeAll() {
        records.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        tokens.removeAll(keepingCapacity: true)
        tokenNumbers.removeAll(keepingCapacity: true)
        if !origins.isEmpty { origins.removeAll(keepingCapacity: true) }
        calls.removeAll(keepingCapacity: true)
        if !relayed.isEmpty { relayed = [:] }
    }
}

extension RecordWriter {
    /// Appends the lines of all records.
    fileprivate mutating func appendLines(
        of segment: borrowing RequestSegment, endingIn end: [UInt8], to output: inout [UInt8]
    ) {
        for index in segment.records.indices {
            append(segment, at: index, to: &output)
            output.removeLast()
            output += end
        }
    }
}
