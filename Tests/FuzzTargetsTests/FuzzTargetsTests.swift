import Foundation
import FuzzTargets
import MockAPNSCore
import Testing

/// What `make fuzz` gives to libFuzzer, without libFuzzer: the inputs to begin with, and those that were findings once.
@Suite("Fuzz targets")
struct FuzzTargetsTests {
    @Test("What holds for every input holds for seeds and files", arguments: FuzzTarget.all.map(\.name))
    func inputs(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        for input in try inputs(of: target) { try target.check(input) }
    }

    @Test("It holds for inputs of which a few bytes are others", arguments: FuzzTarget.all.map(\.name))
    func mutated(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        var random = SeededRandom(seed: 1)
        for input in try inputs(of: target) where !input.isEmpty {
            for _ in 0..<20 {
                var mutated = input
                for _ in 0..<Int.random(in: 1...3, using: &random) where !mutated.isEmpty {
                    let place = Int.random(in: 0..<mutated.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: mutated[place] = .random(in: 0...255, using: &random)
                    case 1: mutated.remove(at: place)
                    default: mutated.insert(mutated[Int.random(in: 0..<mutated.count, using: &random)], at: place)
                    }
                }
                do {
                    try target.check(mutated)
                } catch {
                    Issue.record("\(error): \(Data(mutated).base64EncodedString())")
                }
            }
        }
    }

    /// The target's own seeds, the scenario files for those that read JSON, and what was a finding.
    private func inputs(of target: FuzzTarget) throws -> [[UInt8]] {
        var folders = ["Fuzz/Regressions/\(target.name)"]
        if ["json", "scenario"].contains(target.name) {
            folders += ["../scenarios", "Scenarios/good", "Scenarios/bad"]
        }
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        var inputs = target.seeds
        for folder in folders.map({ tests.appendingPathComponent($0) }) {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for name in names.sorted() {
                let input = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
                if input.count <= target.longestInput { inputs.append(input) }
            }
        }
        return inputs
    }
}
