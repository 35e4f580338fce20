/// The log as it was at one moment: a value of its own, read without any lock while the log goes on.
///
/// ```swift
/// let snapshot = gateway.withLock { $0.log.snapshot }
/// let page = snapshot.find(try RequestQuery(parameters: [("status", "410")]))
/// ```
public struct RequestSnapshot: Sendable {
    let closed: [RequestSegment]
    let open: RequestSegment
    /// The oldest sequence number that is kept, unless its record was deleted; one more than the latest when none is.
    public let firstSequence: Int
    /// How many records had been dropped because of the limit.
    public let dropped: Int
    /// Whether every request is here that somebody has not had forgotten.
    public let isComplete: Bool
    /// How often somebody had records forgotten.
    let removals: Int
    let serverNames: [[UInt8]]

    /// The latest sequence number, 0 when there was no request yet.
    public var latestSequence: Int { open.firstSequence + open.records.count - 1 }

    /// The page of records that a question is about, as text.
    public func find(_ query: RequestQuery) -> RequestPage {
        var page = RequestPage()
        var writer = RecordWriter()
        var found: [Int] = []
        page.dropped = dropped
        page.undecided = forEach(query.match) { sequence in
            page.total += 1
            switch query.order {
            case .ascending:
                if found.count < query.limit, sequence > query.after ?? 0 { found.append(sequence) }
            case .descending:
                if sequence < query.after ?? .max { found.append(sequence) }
            }
        }
        if query.order == .descending { found = found.suffix(query.limit).reversed() }
        for sequence in found {
            guard let (segment, index) = place(of: sequence) else { continue }
            page.append(segment, at: index, &writer)
        }
        return page
    }

    /// How many records fulfil a match.
    public func count(_ match: RequestMatch) -> Int { counted(match).count }

    /// How many records fulfil a match, and of how many that is undecided because of a regular expression.
    public func counted(_ match: RequestMatch) -> (count: Int, undecided: Int) {
        var count = 0
        let undecided = forEach(match) { _ in count += 1 }
        return (count, undecided)
    }

    /// The sequence numbers of the records that fulfil a match, to be given to ``RequestLog/remove(_:)``.
    public func sequences(_ match: RequestMatch) -> [Int] {
        var sequences: [Int] = []
        forEach(match) { sequences.append($0) }
        return sequences
    }

    /// One record as a JSON object: the one with that sequence number, or the latest with that `apns-id` in any case.
    public func record(_ sequenceOrID: String) -> [UInt8]? {
        var sequence = Int(sequenceOrID)
        if sequence == nil {
            var match = RequestMatch()
            match.require(.apnsID, .equals(sequenceOrID))
            sequence = sequences(match).last
        }
        guard let sequence, let (segment, index) = place(of: sequence) else { return nil }
        var output: [UInt8] = []
        var writer = RecordWriter()
        writer.append(segment, at: index, to: &output)
        return output
    }

    /// Appends the record with that sequence number as a JSON object.
    ///
    /// - Returns: false when it is not kept.
    public func append(_ sequence: Int, using writer: inout RecordWriter, to output: inout [UInt8]) -> Bool {
        guard let (segment, index) = place(of: sequence) else { return false }
        writer.append(segment, at: index, to: &output)
        return true
    }

    /// Calls `body` with each record that fulfils the match, oldest first; returns of how many that is undecided.
    @discardableResult
    private func forEach(_ match: RequestMatch, _ body: (Int) -> Void) -> Int {
        let test = RequestTest(match)
        forEach { subject in
            if test.holds(&subject) { body(subject.sequence) }
        }
        return test.undecided
    }

    /// Calls `body` with each record that is kept, oldest first.
    ///
    /// - Parameter after: only those that come after this sequence number.
    func forEach(after: Int = 0, _ body: (inout RecordSubject) -> Void) {
        guard after < latestSequence else { return }
        for segment in closed where segment.firstSequence + RequestSegment.length > after + 1 {
            forEach(in: segment, after: after, body)
        }
        forEach(in: open, after: after, body)
    }

    private func forEach(in segment: borrowing RequestSegment, after: Int, _ body: (inout RecordSubject) -> Void) {
        let start = max(0, max(firstSequence, after + 1) - segment.firstSequence)
        guard start < segment.records.count else { return }
        for index in start..<segment.records.count where !segment.records[index].isDeleted {
            var subject = RecordSubject(segment, at: index, serverNames: serverNames)
            body(&subject)
        }
    }

    /// The segment that holds this sequence number, and the place in it; `nil` when it is not kept.
    func place(of sequence: Int) -> (segment: RequestSegment, index: Int)? {
        guard sequence >= firstSequence, sequence <= latestSequence else { return nil }
        if sequence >= open.firstSequence { return found(in: open, at: sequence - open.firstSequence) }
        let place = sequence - closed[0].firstSequence
        return found(in: closed[place / RequestSegment.length], at: place % RequestSegment.length)
    }

    private func found(in segment: RequestSegment, at index: Int) -> (segment: RequestSegment, index: Int)? {
        segment.records[index].isDeleted ? nil : (segment, index)
    }
}
