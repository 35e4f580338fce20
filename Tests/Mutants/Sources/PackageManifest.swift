import Foundation

/// The targets of the project's package, as far as a package of the mutated modules and their tests alone needs them.
struct PackageManifest: Decodable {
    /// The modules whose decisions are changed.
    static let mutated = ["MockAPNSCore", "MockAPNSJSON", "MockAPNSJudge", "MockAPNSScenario", "MockAPNSSuite"]
    /// The tests that have to notice.
    static let tests = mutated.map { "\($0)Tests" }

    struct Target: Decodable {
        /// `nil` for a product of another package.
        struct Dependency: Decodable {
            var target: String?

            init(from decoder: any Decoder) throws {
                // {"byName": ["MockAPNSCore", null]}
                let kinds = try? [String: [String?]](from: decoder)
                target = (kinds?["byName"] ?? kinds?["target"])?.first ?? nil
            }
        }

        struct Setting: Decodable {
            struct Kind: Decodable {
                var enableUpcomingFeature: [String: String]?
                var enableExperimentalFeature: [String: String]?
            }
            var kind: Kind
        }

        var name: String
        var type: String
        var path: String?
        var pkgConfig: String?
        var dependencies: [Dependency]
        var settings: [Setting]
    }

    var targets: [Target]

    static func read() throws -> Self {
        let outcome = try Command(arguments: ["swift", "package", "dump-package"]).run()
        // Warnings may come before it.
        guard outcome.status == 0, let start = outcome.output.firstIndex(of: "{") else { throw Failure(outcome.output) }
        return try JSONDecoder().decode(Self.self, from: Data(outcome.output[start...].utf8))
    }

    /// The tests, and the targets that these need.
    func needed() throws -> [Target] {
        var found: [Target] = []
        var names = Self.tests
        while let name = names.popLast() {
            if found.contains(where: { $0.name == name }) { continue }
            guard let target = targets.first(where: { $0.name == name }) else {
                throw Failure("The package has no target \(name).")
            }
            found.append(target)
            names += try target.dependencies.map { dependency in
                guard let target = dependency.target else {
                    throw Failure("\(name) depends on another package, which `make mutants` cannot build yet.")
                }
                return target
            }
        }
        return found
    }
}

extension PackageManifest.Target {
    /// Where its sources are, from the package's folder.
    var folder: String { path ?? (type == "test" ? "Tests/\(name)" : "Sources/\(name)") }

    /// Whether its decisions are changed.
    var isMutated: Bool { PackageManifest.mutated.contains(name) }

    /// How a manifest declares it. A mutated module is optimized, for the tests of thousands of mutants gain more by it than
    /// it takes.
    func declaration() -> String {
        let name = "name: \"\(name)\""
        if type == "system" {
            return ".systemLibrary(\(name), path: \"\(folder)\"\(pkgConfig.map { ", pkgConfig: \"\($0)\"" } ?? ""))"
        }
        var needed = dependencies.compactMap { $0.target.map { "\"\($0)\"" } }
        var switches = [".swiftLanguageMode(.v6)"]
        if isMutated {
            needed.append("\"Mutation\"")
            switches.append(".unsafeFlags([\"-O\"])")
        }
        for kind in settings.map(\.kind) {
            switches += kind.enableUpcomingFeature?.values.map { ".enableUpcomingFeature(\"\($0)\")" } ?? []
            switches += kind.enableExperimentalFeature?.values.map { ".enableExperimentalFeature(\"\($0)\")" } ?? []
        }
        return """
            .\(type == "test" ? "testTarget" : "target")(
                \(name), dependencies: [\(needed.joined(separator: ", "))], path: "\(folder)",
                swiftSettings: [\(switches.joined(separator: ", "))])
            """
    }
}

/// Why `make mutants` cannot go on.
struct Failure: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}
