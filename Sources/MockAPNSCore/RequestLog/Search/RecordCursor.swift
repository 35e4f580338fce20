/// Iterates over the records of a snapshot, oldest first.
package struct RecordCursor {
    let log: RequestSnapshot
    /// The next sequence number.
    private var next: Int

    /// - Parameter after: only records with a higher sequence number are visited.
    package init(_ log: RequestSnapshot, after: Int = 0) {
        self.log = log
        next = after >= log.latestSequence ? log.latestSequence + 1 : max(log.firstSequence, after + 1)
    }

    /// Visits the next record, unless it was deleted.
    ///
    /// - Parameters:
    ///   - state: passed on to `body`, which may change it.
    ///   - body: called with the record.
    /// - Returns: false if there are no more records.
    package mutating func read<State>(_ state: inout State, _ body: (inout RecordSubject, inout State) -> Void) -> Bool
    {
        guard next <= log.latestSequence else { return false }
        if next >= log.open.firstSequence {
            read(log.open, &state, body)
        } else {
            // Closed segments are full and contiguous.
            read(log.closed[(next - log.closed[0].firstSequence) / RequestSegment.length], &state, body)
        }
        return next <= log.latestSequence
    }

    private mutating func read<State>(
        _ segment: borrowing RequestSegment, _ state: inout State,
        _ body: (inout RecordSubject, inout State) -> Void
    ) {
        let index = next - segment.firstSequence
        next += 1
        guard !segment.records[index].isDeleted else { return }
        var subject = RecordSubject(segment, at: index, serverNames: log.serverNames)
        body(&subject, &state)
    }
}
