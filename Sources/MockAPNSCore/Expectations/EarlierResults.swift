/// Results of expectations that ended before the run did, in the order in which they ended.
///
/// A run may reset its server as often as it likes, so the number of results is bounded.
package struct EarlierResults: Sendable {
    private struct Entry: Sendable {
        var id: Int
        /// What is still to be judged.
        var ended: EndedExpectations?
        var results: [ExpectationResult] = []
    }

    /// Maximum number of results that are kept; of those beyond, only the failed ones are counted.
    static let limit = 10_000

    private var entries: [Entry] = []
    private var latestID = 0
    private var count = 0
    private var furtherFailures = 0

    /// None yet.
    package init() {}

    /// Takes expectations that came to their end.
    package mutating func add(_ ended: [EndedExpectations]) {
        for ended in ended {
            latestID += 1
            entries.append(Entry(id: latestID, ended: ended))
        }
    }

    /// Those that are still to be judged: outside of any lock, and then told to ``settle(_:_:)``.
    package var unsettled: [(id: Int, ended: EndedExpectations)] {
        entries.compactMap { entry in entry.ended.map { (entry.id, $0) } }
    }

    /// Adds the results of one; does nothing if they are known.
    package mutating func settle(_ id: Int, _ results: [ExpectationResult]) {
        guard let index = entries.firstIndex(where: { $0.id == id && $0.ended != nil }) else { return }
        let kept = Array(results.prefix(max(0, Self.limit - count)))
        count += kept.count
        furtherFailures += results.dropFirst(kept.count).count { !$0.passed }
        entries[index].ended = nil
        entries[index].results = kept
        if kept.isEmpty { entries.remove(at: index) }
    }

    /// All results that are known.
    package var all: [ExpectationResult] {
        var all = entries.flatMap(\.results)
        if furtherFailures > 0 {
            all.append(
                ExpectationResult(
                    name: "further expectations", passed: false, expected: "what is judged at later resets holds, too",
                    seen: "\(counted(furtherFailures, "expectation")) failed after \(Self.limit) had been judged"))
        }
        return all
    }
}
