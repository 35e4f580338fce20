/// A search of a snapshot's records, done in slices.
package struct LogSearch<Outcome>: YieldingTask {
    private var cursor: RecordCursor
    private var outcome: Outcome
    private let take: (inout RecordSubject, inout Outcome) -> Void
    private let complete: (Outcome) -> Outcome

    /// - Parameters:
    ///   - log: the snapshot to search.
    ///   - after: only records with a higher sequence number are examined.
    ///   - outcome: the initial result.
    ///   - complete: produces the final result after the last record.
    ///   - take: updates the result with each record.
    package init(
        _ log: RequestSnapshot, after: Int = 0, _ outcome: Outcome, complete: @escaping (Outcome) -> Outcome = { $0 },
        take: @escaping (inout RecordSubject, inout Outcome) -> Void
    ) {
        cursor = RecordCursor(log, after: after)
        self.outcome = outcome
        self.take = take
        self.complete = complete
    }

    /// Examines one more record.
    package mutating func proceed() -> Outcome? {
        cursor.read(&outcome, take) ? nil : complete(outcome)
    }
}

extension RequestSnapshot {
    /// Searches for the page of records for a query.
    ///
    /// - Parameter sequences: the only records that count; `nil` means all.
    package func search(
        for query: RequestQuery, among sequences: Set<Int>? = nil
    ) -> LogSearch<FoundRequests> {
        let test = RequestTest(query.match)
        let isDescending = query.order == .descending
        return LogSearch(
            self, FoundRequests(limit: isDescending ? .max : query.limit),
            complete: { found in
                var page = isDescending ? found.newest(query.limit) : found
                page.undecided = test.undecided
                return page
            },
            take: { subject, found in
                guard sequences?.contains(subject.sequence) ?? true, test.holds(&subject) else { return }
                let isOnPage =
                    isDescending ? subject.sequence < query.after ?? .max : subject.sequence > query.after ?? 0
                found.count(subject.sequence, isNamed: isOnPage)
            })
    }

    /// Searches for the records that match and come after a sequence number.
    package func search(for match: RequestMatch, after: Int) -> LogSearch<FoundRequests> {
        let test = RequestTest(match)
        return LogSearch(
            self, after: after, FoundRequests(),
            complete: { found in
                var found = found
                found.undecided = test.undecided
                return found
            },
            take: { subject, found in
                if test.holds(&subject) { found.append(subject.sequence) }
            })
    }

    /// Lists the sequence numbers of the records that match and come after a sequence number.
    package func listing(_ match: RequestMatch, after: Int = 0) -> LogSearch<[Int]> {
        let test = RequestTest(match)
        return LogSearch(self, after: after, []) { subject, sequences in
            if test.holds(&subject) { sequences.append(subject.sequence) }
        }
    }

    /// Searches for one record: the one with this sequence number, or the latest with this `apns-id`, `apns-unique-id` or
    /// `apns-request-id`, ignoring case.
    package func search(forRecord sequenceOrID: String) -> LogSearch<Int?> {
        if let sequence = Int(sequenceOrID) {
            return LogSearch(self, after: .max, sequence) { _, _ in }
        }
        // Unless it names a call or a sender, a match is about pushes to devices that providers have sent.
        let (pushes, calls): ([RequestField], [RequestField]) = ([.apnsID, .uniqueID], [.uniqueID, .requestID])
        let tests = (pushes.map { ($0, false) } + calls.map { ($0, true) }).map { field, isOfCalls in
            var match = RequestMatch()
            match.require(field, .equals(sequenceOrID))
            match.require(.sentBy, .anyOf(Sender.allCases.map { .equals($0.rawValue) }))
            if isOfCalls { match.require(.call, .anyOf(BroadcastCall.allCases.map { .equals($0.name) })) }
            return RequestTest(match)
        }
        return LogSearch(self, nil) { subject, latest in
            for test in tests where test.holds(&subject) { latest = subject.sequence }
        }
    }
}
