/// The log at one point in time: an independent value, read without a lock while the log continues.
///
/// ```swift
/// let snapshot = gateway.withLock { $0.log.snapshot }
/// let found = snapshot.search(for: try RequestQuery(parameters: [("status", "410")])).finish()
/// ```
///
/// A large log takes long to search, so every search is ``YieldingTask``: ``search(for:)``, ``counting(_:among:)`` and
/// others.
package struct RequestSnapshot: Sendable {
    let closed: [RequestSegment]
    let open: RequestSegment
    /// The oldest sequence number within the limit, whether or not its record was deleted; one more than the latest if
    /// there is none.
    package let firstSequence: Int
    /// The number of records dropped because of the limit.
    package let dropped: Int
    /// Whether no request is missing except deleted ones.
    package let isComplete: Bool
    /// The number of times records were deleted.
    let removals: Int
    let serverNames: [[UInt8]]

    /// The latest sequence number; 0 if there was no request yet.
    package var latestSequence: Int { open.firstSequence + open.records.count - 1 }

    /// Returns the number of records that match, and the number left undecided by a regular expression.
    package func counted(_ match: RequestMatch) -> RequestCount { counting(match).finish() }

    /// Returns the record with this sequence number as a JSON object; `nil` if it is not kept.
    package func record(_ sequence: Int) -> [UInt8]? {
        var output: [UInt8] = []
        var writer = RecordWriter(withDeliveries: true)
        return append(sequence, using: &writer, to: &output) ? output : nil
    }

    /// Appends the record with this sequence number as a JSON object.
    ///
    /// - Returns: false if it is not kept.
    package func append(_ sequence: Int, using writer: inout RecordWriter, to output: inout [UInt8]) -> Bool {
        guard let (segment, index) = location(of: sequence) else { return false }
        writer.append(segment, at: index, to: &output)
        return true
    }

    /// Calls `read` with the record of a sequence number; returns `nil` if it is not kept.
    @discardableResult
    package func withSubject<Result>(_ sequence: Int, _ read: (borrowing RecordSubject) -> Result) -> Result? {
        guard let (segment, index) = location(of: sequence) else { return nil }
        return read(RecordSubject(segment, at: index, serverNames: serverNames))
    }

    /// Returns the segment and index of a sequence number; `nil` if it is not kept.
    package func location(of sequence: Int) -> (segment: RequestSegment, index: Int)? {
        guard sequence >= firstSequence, sequence <= latestSequence else { return nil }
        if sequence >= open.firstSequence { return found(in: open, at: sequence - open.firstSequence) }
        let index = sequence - closed[0].firstSequence
        return found(in: closed[index / RequestSegment.length], at: index % RequestSegment.length)
    }

    private func found(in segment: RequestSegment, at index: Int) -> (segment: RequestSegment, index: Int)? {
        segment.records[index].isDeleted ? nil : (segment, index)
    }
}
