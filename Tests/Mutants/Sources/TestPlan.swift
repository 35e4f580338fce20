import Foundation
import Synchronization

/// The tests: how long each takes, and which mutants it passes.
final class TestPlan: Sendable {
    private struct Test {
        var name: TestName
        /// How long it takes, in seconds.
        var duration: Double
        /// For each mutant, whether the test reaches it.
        var passes: [Bool]
        /// By how many mutants it comes.
        let mutants: Int

        init(name: TestName, duration: Double, passes: [Bool]) {
            (self.name, self.duration, self.passes) = (name, duration, passes)
            mutants = passes.count { $0 }
        }
    }

    /// The quickest first.
    private let tests: [Test]
    private let package: MutatedPackage
    /// The tests of which each killed a mutant; likely to do so again.
    private let killers: Mutex<[Mutant.Key: String]>

    /// Runs all tests, each by itself, without any mutant alive.
    init(_ package: MutatedPackage, workers: Int) throws {
        self.package = package
        let names = try TestName.all(in: package)
        tests = try parallel(names.count, workers: workers) { index in
            try Self.run(names[index], number: index, in: package)
        }.sorted { $0.duration < $1.duration }
        let remembered = try? JSONDecoder().decode(
            [Mutant.Key: String].self, from: Data(contentsOf: package.killersFile))
        killers = Mutex(remembered ?? [:])
    }

    var count: Int { tests.count }

    /// How many quick tests are tried first: those that reach few other mutants, since they are about this one.
    private static let specificTests = 30

    /// Runs a mutant in the tests that reach it: first the one that killed it last time, then those
    /// that are quick, the most specific ones before the others, then in all others.
    func verdict(of mutant: Mutant) throws -> Verdict {
        let passing = tests.filter { $0.passes[mutant.number] }
        if passing.isEmpty { return .notPassed }
        let killer = killers.withLock { $0[mutant.key] }
        let quick = passing.prefix { $0.duration < 0.1 }
        let ordered = quick.sorted { $0.mutants < $1.mutants }
        let parts = [
            passing.filter { $0.name.id == killer }[...], ordered.prefix(Self.specificTests),
            ordered.dropFirst(Self.specificTests), passing[quick.endIndex...],
        ]
        for part in parts where !part.isEmpty {
            let seconds = part.reduce(0) { $0 + $1.duration }
            let outcome = try package.testCommand(
                part.map(\.name.id), environment: ["MUTANT": "\(mutant.number)"], processorTime: Int(5 + 4 * seconds),
                time: 60 + 40 * seconds
            ).run()
            if outcome.tookTooLong { return .tookTooLong }
            guard outcome.wasStopped || outcome.status != 0 else { continue }
            if let killer = part.first(where: { $0.name.hasFailed(in: outcome.output) }) {
                killers.withLock { $0[mutant.key] = killer.name.id }
            }
            return outcome.isCrash && !outcome.wasStopped ? .crashed : .failed
        }
        return .survived
    }

    /// Keeps which test killed which mutant, so that the next run is quicker.
    func remember() throws {
        try JSONEncoder().encode(killers.withLock { $0 }).write(to: package.killersFile, options: .atomic)
    }

    private static func run(_ name: TestName, number: Int, in package: MutatedPackage) throws -> Test {
        let file = package.folder.appending(path: "passed-\(number)")
        try Data(count: package.mutants.count + 1).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let start = Date()
        let outcome = try package.testCommand(
            [name.id], environment: ["MUTANTS_PASSED": file.path], processorTime: 100, time: 600
        ).run()
        guard outcome.status == 0, outcome.output.contains("with 1 test") else {
            throw Failure("\(name.id) fails by itself, without any mutant:\n\(outcome.output.suffix(4000))")
        }
        return Test(
            name: name, duration: Date().timeIntervalSince(start), passes: try Data(contentsOf: file).map { $0 != 0 })
    }
}

/// What became of a mutant.
enum Verdict: String, Sendable {
    case failed, crashed, tookTooLong
    case survived
    /// No test reaches it.
    case notPassed

    var isDead: Bool { self != .survived && self != .notPassed }
}

extension MutatedPackage {
    fileprivate var killersFile: URL { folder.appending(path: "killers.json") }
}
