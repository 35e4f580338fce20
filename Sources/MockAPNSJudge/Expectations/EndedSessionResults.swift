import MockAPNSCore

/// The results of expectations and rules of ended sessions, in the order in which the sessions ended.
///
/// A run may have any number of sessions, so the number of results is limited.
package struct EndedSessionResults: Sendable {
    /// Maximum number of results kept; beyond that, only failures are counted.
    package static let limit = 10_000

    private var results: [ExpectationResult] = []
    private var unusedRules = UnusedRules()
    private var furtherFailures = 0
    /// The number of results that were only counted.
    package private(set) var dropped = 0

    /// Creates an empty list.
    package init() {}

    /// The number of results kept.
    package var count: Int { results.count }

    /// Adds the results of a session.
    package mutating func add(_ new: [ExpectationResult]) {
        let kept = new.prefix(Self.limit - results.count)
        results += kept
        dropped += new.count - kept.count
        furtherFailures += new.dropFirst(kept.count).count { !$0.passed }
    }

    /// Adds the verification of a session, with the session in each name.
    package mutating func add(_ verification: Verification, session: String) {
        var named = Verification([])
        named.add(verification, session: session)
        add(named.results)
        unusedRules.add(verification.unusedRules, session: session)
    }

    /// All results, and the rules that never applied.
    package var verification: Verification {
        var verification = Verification(all)
        verification.unusedRules = unusedRules
        return verification
    }

    /// All results, with one for all failures that were only counted.
    package var all: [ExpectationResult] {
        guard furtherFailures > 0 else { return results }
        let further = ExpectationResult(
            name: "further sessions", passed: false, expected: "expectations of later sessions hold too",
            seen: "\(counted(furtherFailures, "expectation")) failed after \(Self.limit) had been judged")
        return results + [further]
    }
}
