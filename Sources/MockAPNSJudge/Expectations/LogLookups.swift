import MockAPNSCore

/// The lookups that a result needs from the log in addition to the counts: which requests, and near misses.
///
/// An expectation is judged without searching the log. Its lookups are searched in slices afterwards; then it is judged
/// again, makes the same lookups in the same order, and gets their results.
final class LogLookups {
    private enum Answer {
        case sequences([Int])
        case nearMisses([NearMiss])
    }

    private enum Search {
        case sequences(LogSearch<[Int]>)
        case nearMisses(LogSearch<[NearMiss]>)
    }

    private let log: RequestSnapshot
    private var answers: [Answer] = []
    private var next = 0
    private var searches: [Search] = []

    init(_ log: RequestSnapshot) { self.log = log }

    /// Starts judging an expectation for the first time.
    func begin() { (answers, searches, next) = ([], [], 0) }

    /// Does one slice of the pending searches.
    ///
    /// - Returns: false if there are none.
    func proceed() -> Bool {
        guard let search = searches.first else { return false }
        switch search {
        case .sequences(var search):
            if let found = search.proceed() { return answer(.sequences(found)) }
            searches[0] = .sequences(search)
        case .nearMisses(var search):
            if let found = search.proceed() { return answer(.nearMisses(found)) }
            searches[0] = .nearMisses(search)
        }
        return true
    }

    private func answer(_ answer: Answer) -> Bool {
        answers.append(answer)
        searches.removeFirst()
        // Judging again may make further lookups.
        if searches.isEmpty { next = 0 }
        return true
    }

    /// Whether there are pending searches.
    var isWaiting: Bool { !searches.isEmpty }

    /// Returns the sequence numbers of the first eleven matches among the latest records.
    func sequences(after: Int, _ holds: @escaping (inout RecordSubject) -> Bool) -> [Int] {
        defer { next += 1 }
        if next < answers.count { if case .sequences(let found) = answers[next] { return found } }
        let after = max(after, log.latestSequence - RequestSnapshot.nearMissReach)
        searches.append(
            .sequences(
                LogSearch(log, after: after, []) { subject, found in
                    if found.count <= 10, holds(&subject) { found.append(subject.sequence) }
                }))
        return []
    }

    /// Returns the nearest records; see ``RequestSnapshot/searchNearMisses(_:after:_:)``.
    func nearMisses(
        _ test: RequestTest, after: Int, _ more: @escaping (inout RecordSubject) -> [NearMiss.Difference]?
    ) -> [NearMiss] {
        defer { next += 1 }
        if next < answers.count { if case .nearMisses(let found) = answers[next] { return found } }
        searches.append(.nearMisses(log.searchNearMisses(test, after: after, more)))
        return []
    }

    /// Returns how each of these records differs from the test.
    func differences(_ test: RequestTest, of sequences: [Int]) -> [NearMiss] {
        guard let first = sequences.min() else { return [] }
        return nearMisses(test, after: first - 1) { sequences.contains($0.sequence) ? [] : nil }
    }
}
