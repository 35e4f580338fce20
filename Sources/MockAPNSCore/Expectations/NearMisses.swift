extension RequestSnapshot {
    /// So many of the latest records are searched for near misses.
    static let nearMissReach = 10_000
    /// So many near misses are told of.
    static let nearMissCount = 3

    /// The records that come nearest to a match without fulfilling it: those that differ in the fewest conditions, of
    /// equal ones the latest; at most three, of the latest 10 000 records.
    public func nearMisses(_ match: RequestMatch, after: Int = 0) -> [NearMiss] {
        nearMisses(RequestTest(match), after: after) { _ in [] }
    }

    /// - Parameter more: what is not right about a record beside the conditions; `nil` for one that is not to be told of.
    func nearMisses(
        _ test: RequestTest, after: Int = 0, _ more: (inout RecordSubject) -> [NearMiss.Difference]?
    ) -> [NearMiss] {
        var nearest: [NearMiss] = []
        forEach(after: max(after, latestSequence - Self.nearMissReach)) { subject in
            let failing = test.failing(&subject)
            let most = nearest.last?.differences.count ?? .max
            if nearest.count == Self.nearMissCount, failing.count > most { return }
            guard let more = more(&subject) else { return }
            let count = failing.count + more.count
            guard count > 0, nearest.count < Self.nearMissCount || count <= most else { return }
            let differences =
                failing.map {
                    test.match.conditions[$0.place].difference(&subject, isUndecided: $0.isUndecided)
                } + more
            let miss = NearMiss(sequence: subject.sequence, differences: differences)
            nearest.insert(miss, at: nearest.firstIndex { $0.differences.count >= count } ?? nearest.count)
            if nearest.count > Self.nearMissCount { nearest.removeLast() }
        }
        return nearest
    }
}

extension MatchExpression.Condition {
    /// What a record has instead of what is asked for.
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
        let expected = matcher.words + (isUndecided ? " (undecided)" : "")
        return NearMiss.Difference(field: field, expected: expected, found: found?.json ?? "null")
    }
}
