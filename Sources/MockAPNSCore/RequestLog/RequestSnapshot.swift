/// The log as it was at one moment: a value of its own, read without any lock while the log goes on.
///
/// ```swift
/// let snapshot = gateway.withLock { $0.log.snapshot }
/// let page = snapshot.find(try RequestQuery(parameters: [("status", "410")]))
/// ```
///
/// A large log takes long to search, so each search is ``SlicedWork`` too: ``search(for:)``, ``counting(_:)`` and others.
package struct RequestSnapshot: Sendable {
    let closed: [RequestSegment]
    let open: RequestSegment
    /// The oldest sequence number that is kept, unless its record was deleted; one more than the latest when none is.
    package let firstSequence: Int
    /// How many records had been dropped because of the limit.
    package let dropped: Int
    /// Whether every request is here that somebody has not had forgotten.
    package let isComplete: Bool
    /// How often somebody had records forgotten.
    let removals: Int
    let serverNames: [[UInt8]]

    /// The latest sequence number, 0 when there was no request yet.
    package var latestSequence: Int { open.firstSequence + open.records.count - 1 }

    /// The page of records that a question is about.
    package func find(_ query: RequestQuery) -> RequestPage { RequestPage(of: search(for: query).finish(), in: self) }

    /// How many records fulfil a match.
    package func count(_ match: RequestMatch) -> Int { counted(match).count }

    /// How many records fulfil a match, and of how many that is undecided because of a regular expression.
    package func counted(_ match: RequestMatch) -> (count: Int, undecided: Int) { counting(match).finish() }

    /// The sequence numbers of the records that fulfil a match, to be given to ``RequestLog/remove(_:)``.
    package func sequences(_ match: RequestMatch) -> [Int] { listing(match).finish() }

    /// One record as a JSON object: the one with that sequence number, or the latest with that `apns-id` in any case.
    package func record(_ sequenceOrID: String) -> [UInt8]? {
        search(forRecord: sequenceOrID).finish().flatMap { record($0) }
    }

    /// The record with that sequence number as a JSON object; `nil` when it is not kept.
    package func record(_ sequence: Int) -> [UInt8]? {
        var output: [UInt8] = []
        var writer = RecordWriter()
        return append(sequence, using: &writer, to: &output) ? output : nil
    }

    /// Appends the record with that sequence number as a JSON object.
    ///
    /// - Returns: false when it is not kept.
    package func append(_ sequence: Int, using writer: inout RecordWriter, to output: inout [UInt8]) -> Bool {
        guard let (segment, index) = location(of: sequence) else { return false }
        writer.append(segment, at: index, to: &output)
        return true
    }

    /// Calls `body` with each record that is kept, oldest first.
    ///
    /// - Parameter after: only those that come after this sequence number.
    func forEach(after: Int = 0, _ body: (inout RecordSubject) -> Void) {
        var cursor = RecordCursor(self, after: after)
        var nothing: Void = ()
        while cursor.read(&nothing, { subject, _ in body(&subject) }) {}
    }

    /// The segment that holds this sequence number, and the index in it; `nil` when it is not kept.
    func location(of sequence: Int) -> (segment: RequestSegment, index: Int)? {
        guard sequence >= firstSequence, sequence <= latestSequence else { return nil }
        if sequence >= open.firstSequence { return found(in: open, at: sequence - open.firstSequence) }
        let index = sequence - closed[0].firstSequence
        return found(in: closed[index / RequestSegment.length], at: index % RequestSegment.length)
    }

    private func found(in segment: RequestSegment, at index: Int) -> (segment: RequestSegment, index: Int)? {
        segment.records[index].isDeleted ? nil : (segment, index)
    }
}
