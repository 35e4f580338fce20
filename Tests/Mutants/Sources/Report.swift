import Foundation

/// What came of the mutants.
struct Report {
    let package: MutatedPackage
    let results: [(mutant: Mutant, verdict: Verdict)]
    let known: KnownSurvivors
    /// Whether all mutants were tried.
    let isWhole: Bool

    private var alive: [(mutant: Mutant, verdict: Verdict)] { results.filter { !$0.verdict.isDead } }
    private var unknown: [(mutant: Mutant, verdict: Verdict)] { alive.filter { known.reasons[$0.mutant.key] == nil } }
    private var rate: Double { results.isEmpty ? 1 : 1 - Double(alive.count) / Double(results.count) }

    /// The same without those of which it is known why they cannot be seen.
    private var rateOfVisible: Double {
        let visible = results.count - (alive.count - unknown.count)
        return visible == 0 ? 1 : 1 - Double(unknown.count) / Double(visible)
    }

    func isGood(leastRate: Double) -> Bool { rate >= leastRate && unknown.isEmpty }

    /// What is told of a mutant that lives without reason.
    static func text(of mutant: Mutant, _ verdict: Verdict) -> String {
        """
        \(mutant.description)
            \(verdict == .notPassed ? "No test reaches it. " : "")\(KnownSurvivors.entry(for: mutant.key))
        """
    }

    func text(times: String, leastRate: Double) -> String {
        var lines: [String] = []
        let dead = Set(results.filter(\.verdict.isDead).map(\.mutant.key))
        let all = Set(package.mutants.map(\.key))
        for key in known.reasons.keys.sorted(by: { "\($0)" < "\($1)" }) {
            if dead.contains(key) { lines.append("survivors.json has one that dies: \(key)") }
            if isWhole, !all.contains(key) { lines.append("survivors.json has one that is no mutant: \(key)") }
        }
        for pattern in package.unusedPatterns { lines.append("DecisionCode ignores \(pattern), which fits no file.") }
        let counts = Dictionary(grouping: results, by: \.verdict).mapValues(\.count)
        func count(_ verdict: Verdict) -> Int { counts[verdict] ?? 0 }
        lines += [
            "",
            """
            \(results.count) mutants in \(Set(results.map(\.mutant.file)).count) files; \(package.refused.count) more do \
            not compile. \(results.count - alive.count) die: \(count(.failed)) by a test that fails, \(count(.crashed)) by \
            a crash, \(count(.tookTooLong)) by taking too long. \(alive.count) live, \(alive.count - unknown.count) of \
            them known; no test reaches \(count(.notPassed)).
            """,
            """
            \(String(format: "%.1f", 100 * rate)) % die (at least \(Int(100 * leastRate)) %), \
            \(String(format: "%.1f", 100 * rateOfVisible)) % of those that can be seen.
            """,
            times + ".",
        ]
        return lines.joined(separator: "\n")
    }

    // MARK: For the next run

    private static func file(_ package: MutatedPackage) -> URL { package.folder.appending(path: "lived.json") }

    /// Keeps who lived.
    func remember() throws {
        let keys = alive.map(\.mutant.key)
        try JSONEncoder().encode(keys).write(to: Self.file(package))
    }

    /// Who lived in the last run.
    static func lived(in package: MutatedPackage) throws -> Set<Mutant.Key> {
        guard let data = try? Data(contentsOf: file(package)) else { throw Failure("There was no run yet.") }
        return Set(try JSONDecoder().decode([Mutant.Key].self, from: data))
    }
}
