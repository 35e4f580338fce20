package import MockAPNSCore

extension RequestSnapshot {
    /// Maximum number of the latest records searched for near misses.
    static let nearMissReach = 10_000
    /// Maximum number of near misses reported.
    static let nearMissCount = 3

    /// Searches for the records closest to matching: those that differ in the fewest conditions, the latest first among
    /// equals; at most three, from the latest 10,000 records.
    package func searchNearMisses(_ match: RequestMatch, after: Int = 0) -> LogSearch<[NearMiss]> {
        searchNearMisses(RequestTest(match), after: after) { _ in [] }
    }

    /// - Parameter more: differences in addition to the conditions; `nil` for a record not to be reported.
    func searchNearMisses(
        _ test: RequestTest, after: Int = 0, _ more: @escaping (inout RecordSubject) -> [NearMiss.Difference]?
    ) -> LogSearch<[NearMiss]> {
        LogSearch(self, after: max(after, latestSequence - Self.nearMissReach), []) { subject, nearest in
            nearest.take(&subject, test, more)
        }
    }
}

extension [NearMiss] {
    /// Adds a record if it is among the nearest.
    mutating func take(
        _ subject: inout RecordSubject, _ test: RequestTest, _ more: (inout RecordSubject) -> [NearMiss.Difference]?
    ) {
        guard test.isAbout(subject) else { return }
        let failing = test.failing(&subject)
        let most = last?.differences.count ?? .max
        if count == RequestSnapshot.nearMissCount, failing.count > most { return }
        guard let more = more(&subject) else { return }
        let number = failing.count + more.count
        guard number > 0, count < RequestSnapshot.nearMissCount || number <= most else { return }
        let differences =
            failing.map {
                test.match.conditions[$0.index].difference(&subject, isUndecided: $0.isUndecided)
            } + more
        var miss = NearMiss(sequence: subject.sequence, differences: differences)
        // Of a request that was not processed, most fields are unknown, so any of them may differ for that reason.
        if subject.record.decidedBy == .connection
            || differences.contains(where: { NearMiss.answerFields.contains($0.field) })
        {
            miss.explanation = subject.rejection
        }
        insert(miss, at: firstIndex { $0.differences.count >= number } ?? count)
        if count > RequestSnapshot.nearMissCount { removeLast() }
    }
}

extension RecordSubject {
    /// Why the checks or the device refused the push, as in `BadTopic: …`, or why its connection left it unprocessed;
    /// `nil` for any other answer.
    fileprivate var rejection: String? {
        guard !record.explanationRange.isAbsent else { return nil }
        var bytes: [UInt8] = []
        bytes.append(self.bytes.extracting(record.explanationRange.indices))
        let explanation = String(decoding: bytes, as: UTF8.self)
        return switch record.decidedBy {
        case .checks, .device: record.reason.map { "\($0.name): \(explanation)" }
        case .connection, .upstream: explanation
        case .outage, .rule: nil
        }
    }
}

extension MatchExpression.Condition {
    /// Returns what a record has instead of the expected value.
    fileprivate func difference(
        _ subject: inout RecordSubject, isUndecided: Bool
    ) -> NearMiss.Difference {
        let found: RecordValue? =
            switch self {
            case .device: subject.value(.device)
            case .field(let field, _): subject.value(field)
            case .header(let name, _):
                subject.values(ofHeader: Array(name.utf8)).first.map { .text($0) }
            case .payload(let pointer, _): subject.payload(pointer).map { RecordValue($0) }
            }
        let expected = matcher.words + (isUndecided ? NearMiss.Difference.undecided : "")
        return NearMiss.Difference(field: field, expected: expected, found: found?.json ?? "null")
    }
}

extension MergedLogNumbers {
    /// Returns a near miss with the number of the request in its own log.
    func named(_ miss: NearMiss) -> NearMiss {
        guard requests.indices.contains(miss.sequence - 1) else { return miss }
        let origin = requests[miss.sequence - 1]
        var named = miss
        (named.sequence, named.log) = (origin.number, logs[origin.log])
        return named
    }
}
