/// What the log's file is still to tell, in its order: requests as they were when they were decided, and events.
///
/// Queueing copies a record and its bytes as they are, so the lock under which requests are decided is soon free again. The
/// lines are made afterwards.
package struct LineQueue: Sendable {
    /// Consecutive requests, and what happened after the last of them.
    fileprivate struct Part {
        var requests = RequestSegment(firstSequence: 1)
        var events: [OtherEvent] = []
    }

    private var parts: [Part] = []
    /// How many of the parts are in use. The others are empty and keep their buffers.
    private var count = 0
    private static let keptParts = 8

    /// An empty queue.
    package init() {}

    /// Whether there is nothing to tell.
    package var isEmpty: Bool { count == 0 }

    /// Adds a request that is in the log's open segment, as its latest requests are.
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
    package mutating func append(_ event: OtherEvent) {
        if count == 0 { beginPart() }
        parts[count - 1].events.append(event)
    }

    private mutating func beginPart() {
        if count == parts.count { parts.append(Part()) }
        count += 1
    }

    /// Appends all lines, each with its line feed, and empties the queue.
    package mutating func writeLines(using writer: inout RecordWriter, to output: inout [UInt8]) {
        for index in 0..<count {
            writer.appendLines(of: parts[index].requests, to: &output)
            for event in parts[index].events { event.appendLine(to: &output) }
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
    /// Whether that record is the next one after the last, with nothing between them.
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
    /// Adds a copy of another segment's record.
    @inline(__always)
    fileprivate mutating func append(_ index: Int, of other: borrowing RequestSegment) {
        var record = other.records[index]
        if record.tokenIndex != RequestRecord.noToken {
            let number = other.tokenNumber(of: record)
            record.tokenIndex = self.index(of: other.tokens[Int(record.tokenIndex)])
            if tokenNumbers.count < tokens.count { tokenNumbers.append(number) }
        }
        let text = other.bytes(of: record, at: index)
        record.start = UInt32(truncatingIfNeeded: bytes.count)
        makeRoom(for: text.count)
        bytes.append(text)
        records.append(record)
    }

    /// Empties it, keeping its buffers.
    fileprivate mutating func removeAll() {
        records.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        tokens.removeAll(keepingCapacity: true)
        tokenNumbers.removeAll(keepingCapacity: true)
    }
}

extension RecordWriter {
    /// Appends the lines of all records.
    fileprivate mutating func appendLines(of segment: borrowing RequestSegment, to output: inout [UInt8]) {
        for index in segment.records.indices {
            append(segment, at: index, to: &output)
            output.append(UInt8(ascii: "\n"))
        }
    }
}
