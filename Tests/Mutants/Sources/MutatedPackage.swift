import Foundation

/// A package of the mutated modules and their tests alone, with every mutant compiled in: which one is alive, an
/// environment variable says.
struct MutatedPackage {
    private static let template = "Tests/Mutants/Template"

    /// Where it is made.
    let folder: URL
    private let manifest: [PackageManifest.Target]
    /// The folder of the modules' sources.
    private let sources: URL

    /// All mutants, by their numbers.
    private(set) var mutants: [Mutant] = []
    /// Those that the compiler does not take.
    private(set) var refused: Set<Mutant.Key> = []
    /// Patterns for files that fit none.
    private(set) var unusedPatterns: [String] = []

    /// Finds the mutants.
    ///
    /// - Parameter root: the folder of the project.
    init(root: URL) throws {
        folder = root.appending(path: ".build/mutants")
        manifest = try PackageManifest.read().needed()
        sources = root.appending(path: "Sources")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        refused = Set(try JSONDecoder().decode([Mutant.Key].self, from: Data(contentsOf: refusedFile)))
        _ = try instrument()
    }

    /// Where they are kept: to find them again would take a build for each round.
    private var refusedFile: URL {
        sources.deletingLastPathComponent().appending(path: "Tests/Mutants/refused.json")
    }

    /// Where the tests are once they are built.
    var testBundle: URL { folder.appending(path: ".build/debug/mutatedPackageTests.xctest") }

    /// Writes the package and builds it, without those mutants that the compiler does not take.
    mutating func build(_ tell: (String) -> Void) throws {
        try writeAllOthers()
        for _ in 0..<20 {
            let files = try instrument()
            try writeMutated(files)
            tell("Building \(mutants.count) mutants, and the tests")
            let outcome = try Command(arguments: ["swift", "build", "--build-tests", "--package-path", folder.path])
                .run()
            if outcome.status == 0 {
                // Those of code that has changed are no mutants any more.
                refused = files.values.reduce(into: []) { $0.formUnion($1.omitted) }
                return try rememberRefused()
            }
            let culprits = culprits(of: outcome.output, files)
            if culprits.isEmpty { throw Failure(outcome.output) }
            refused.formUnion(culprits.map(\.key))
            tell("The compiler does not take \(culprits.count) of them; without these:")
        }
        throw Failure("The compiler does not take the mutants.")
    }

    private func rememberRefused() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let lines = try refused.map { String(decoding: try encoder.encode($0), as: UTF8.self) }.sorted()
        try Data("[\n  \(lines.joined(separator: ",\n  "))\n]\n".utf8).write(to: refusedFile)
    }

    // MARK: Mutated modules

    private mutating func instrument() throws -> [String: MutatedFile] {
        let (files, unused) = try DecisionCode.files(below: sources)
        unusedPatterns = unused
        mutants = []
        var mutated: [String: MutatedFile] = [:]
        for file in files {
            let source = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
            let found = MutantFinder.find(in: file, source, first: mutants.count, refused: refused)
            mutants += found.mutants
            mutated[file] = found
        }
        return mutated
    }

    private func writeMutated(_ mutated: [String: MutatedFile]) throws {
        let copies = folder.appending(path: "Mutated")
        try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
        var stale = Set(
            try FileManager.default.subpathsOfDirectory(atPath: copies.path).filter { $0.hasSuffix(".swift") })
        for file in try DecisionCode.allFiles(below: sources) {
            stale.remove(file)
            let text =
                try mutated[file]?.instrumented ?? String(contentsOf: sources.appending(path: file), encoding: .utf8)
            try write(text, to: copies.appending(path: file))
        }
        for file in stale { try FileManager.default.removeItem(at: copies.appending(path: file)) }
    }

    /// The mutants in what the compiler complains about.
    private func culprits(of output: String, _ files: [String: MutatedFile]) -> [Mutant] {
        var found: Set<Int> = []
        for line in output.split(separator: "\n") {
            guard let match = line.wholeMatch(of: /.*\/Mutated\/(.+?\.swift):(\d+):(\d+): error: .*/),
                let file = files[String(match.1)], let line = Int(match.2)
            else { continue }
            found.formUnion(file.mutants(nearLine: line))
        }
        let all = found.sorted().map { mutants[$0] }
        // The fault lies with the likeliest kind of operator; without an operator, any of them may be at fault.
        let likeliest = all.compactMap(\.operatorKind).min()
        return all.filter { $0.operatorKind == likeliest }
    }

    // MARK: All others

    private func writeAllOthers() throws {
        let root = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        // Tests read files beside them, so everything but sources is as in the project.
        for entry in try FileManager.default.contentsOfDirectory(atPath: root.path) {
            if [".build", ".git", "Package.swift", "Package.resolved", ".swiftpm"].contains(entry) { continue }
            let link = folder.appending(path: entry)
            if (try? FileManager.default.destinationOfSymbolicLink(atPath: link.path)) != nil { continue }
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: root.appending(path: entry))
        }
        let targets = manifest.map { target in
            var target = target
            if target.isMutated { target.path = "Mutated/\(target.name)" }
            return target.declaration()
        }
        let text = """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "mutated", platforms: [.macOS(.v15)],
                targets: [
                    .target(name: "MutantSwitch", path: "\(Self.template)/MutantSwitch"),
                    .target(
                        name: "Mutation", dependencies: ["MutantSwitch"], path: "\(Self.template)/Mutation",
                        swiftSettings: [.unsafeFlags(["-O"])]),
                    \(targets.joined(separator: ", ")),
                ])
            """
        try write(text, to: folder.appending(path: "Package.swift"))
    }

    /// Leaves a file alone that has that text already, so that nothing is built again without need.
    private func write(_ text: String, to file: URL) throws {
        if let old = try? Data(contentsOf: file), old == Data(text.utf8) { return }
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
}
