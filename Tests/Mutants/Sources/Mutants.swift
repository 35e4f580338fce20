import ArgumentParser
import Foundation
import Synchronization

@main
struct Mutants: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Changes decisions, one at a time, and runs their modules' tests: which change does no test notice?",
        discussion: """
            Run it in the project's folder. All changes are compiled at once into copies of the modules below .build/mutants; \
            an environment variable chooses one. The exit code is 1 when fewer than 95 % of the mutants die, or when \
            one lives that Tests/Mutants/survivors.json does not know. Those that do not compile are left out; \
            Tests/Mutants/refused.json has them, and is to be committed.
            """)

    @Option(help: "Only mutants in files or functions whose names have this in them.")
    var only: [String] = []
    @Option(help: "How many are drawn at random from these; without --only or --again 300.")
    var sample: Int?
    @Option(help: "Which sample is drawn; another seed draws others.")
    var seed: UInt64 = 1
    @Flag(help: "All mutants, which may take more than an hour.")
    var all = false
    @Flag(help: "Only those that lived in the last run.")
    var again = false
    @Flag(help: "Lists the mutants and ends.")
    var list = false
    @Option(help: "How many test runs go on at the same time.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    private static let leastRate = 0.95
    private static let defaultSample = 300

    func run() throws {
        let start = Date()
        var times: [(what: String, at: Date)] = []
        let root = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        let known = try KnownSurvivors(contentsOf: root.appending(path: "Tests/Mutants/survivors.json"))
        var package = try MutatedPackage(root: root)
        if list {
            for mutant in try chosen(from: package) { print(mutant.description) }
            return
        }
        try package.build(say)
        times.append(("to build", Date()))
        let chosen = try chosen(from: package)
        say("Running the tests without any mutant")
        let plan = try TestPlan(package, workers: jobs)
        times.append(("to run each test", Date()))
        say("Running \(plan.count) tests with each of \(chosen.count) mutants")
        let done = Mutex(0)
        let verdicts = try parallel(chosen.count, workers: jobs) { index in
            let mutant = chosen[index]
            let verdict = try plan.verdict(of: mutant)
            if !verdict.isDead, known.reasons[mutant.key] == nil { say(Report.text(of: mutant, verdict)) }
            let count = done.withLock { done in
                done += 1
                return done
            }
            if count.isMultiple(of: 100) {
                say("\(count) of \(chosen.count)")
                try plan.remember()
            }
            return verdict
        }
        try plan.remember()
        times.append(("for the mutants", Date()))
        let report = Report(
            package: package, results: Array(zip(chosen, verdicts)), known: known,
            isWhole: chosen.count == package.mutants.count)
        try report.remember()
        let seconds = zip([start] + times.map(\.at), times).map { "\(Int($1.at.timeIntervalSince($0))) s \($1.what)" }
        say(report.text(times: seconds.joined(separator: ", "), leastRate: Self.leastRate))
        if !report.isGood(leastRate: Self.leastRate) { throw ExitCode(1) }
    }

    /// The mutants to be tried.
    private func chosen(from package: MutatedPackage) throws -> [Mutant] {
        var chosen = package.mutants
        if !only.isEmpty {
            chosen.removeAll { mutant in !only.contains { mutant.file.contains($0) || mutant.key.function.contains($0) }
            }
        }
        if again {
            let lived = try Report.lived(in: package)
            chosen.removeAll { !lived.contains($0.key) }
        }
        let isWhole = all || list || again || !only.isEmpty
        if let sample = sample ?? (isWhole ? nil : Self.defaultSample), sample < chosen.count {
            if !list { say("Of \(chosen.count) mutants \(sample) are drawn with the seed \(seed)") }
            var random = Random(state: seed)
            chosen = chosen.shuffled(using: &random).prefix(sample).sorted { $0.number < $1.number }
        }
        // In no order, so that what came of those that were tried so far is about what will come of all.
        var random = Random(state: seed)
        return list ? chosen : chosen.shuffled(using: &random)
    }

    private func say(_ text: String) {
        print(text)
        fflush(nil)
    }
}

/// SplitMix64: the same sample from the same seed.
private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
