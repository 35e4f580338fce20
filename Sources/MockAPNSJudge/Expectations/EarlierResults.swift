package import MockAPNSCore

/// The results of expectations that ended before the run did, in order.
///
/// A run may reset its server any number of times, so the number of results is limited.
package struct EarlierResults: Sendable {
    private struct Entry: Sendable {
        var id: Int
        /// The expectations still to be judged.
        var ended: EndedExpectations?
        var results: [ExpectationResult] = []
    }

    /// Maximum number of results kept; beyond that, only failures are counted.
    package static let limit = 10_000
    /// Maximum number of runs that wait to be judged: each keeps the log that it is judged by.
    package static let unsettledLimit = 20

    private var entries: [Entry] = []
    private var latestID = 0
    /// The number of results kept.
    package private(set) var count = 0
    /// The number of results that were only counted.
    package private(set) var dropped = 0
    private var furtherFailures = 0
    /// The findings of lint before the first entry that is not judged yet.
    package private(set) var lint = LintVerdict()
    private var latestLinted = 0
    /// The findings of lint in later entries, by their ids.
    private var linted: [Int: LintVerdict] = [:]

    /// Creates an empty list.
    package init() {}

    /// Adds expectations that have ended.
    package mutating func add(_ ended: [EndedExpectations]) {
        for ended in ended {
            latestID += 1
            entries.append(Entry(id: latestID, ended: ended))
        }
    }

    /// The number of runs that wait to be judged.
    package var unsettledCount: Int { entries.count { $0.ended != nil } }

    /// The expectations still to be judged: judge them outside any lock, then call ``settle(_:_:)``.
    package var unsettled: [(id: Int, ended: EndedExpectations)] {
        entries.compactMap { entry in entry.ended.map { (entry.id, $0) } }
    }

    /// Adds the results of one entry, and what lint has found; does nothing if they are already known.
    package mutating func settle(_ id: Int, _ results: [ExpectationResult], _ verdict: LintVerdict? = nil) {
        guard let index = entries.firstIndex(where: { $0.id == id && $0.ended != nil }) else { return }
        linted[id] = verdict
        while let next = linted.removeValue(forKey: latestLinted + 1) {
            lint.add(next)
            latestLinted += 1
        }
        let kept = Array(results.prefix(max(0, Self.limit - count)))
        count += kept.count
        dropped += results.count - kept.count
        furtherFailures += results.dropFirst(kept.count).count { !$0.passed }
        entries[index].ended = nil
        entries[index].results = kept
        if kept.isEmpty { entries.remove(at: index) }
    }

    /// All known results.
    package var all: [ExpectationResult] {
        var all = entries.flatMap(\.results)
        if furtherFailures > 0 {
            all.append(
                ExpectationResult(
                    name: "further expectations", passed: false,
                    expected: "expectations judged at later resets hold too",
                    seen: "\(counted(furtherFailures, "expectation")) failed after \(Self.limit) had been judged"))
        }
        return all
    }
}
