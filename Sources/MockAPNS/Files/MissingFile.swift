import MockAPNSCore
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Messages about files that do not exist.
enum MissingFile {
    /// A sentence that may name a file with a similar name, or the scenario of that name that came with the executable.
    static func sentence(_ file: FilePath, _ kind: BoundedFile.Kind) -> String {
        // A scenario that came by the admin API can name keys, and its sender is not told which other files exist.
        guard kind != .pem, let name = file.lastComponent?.string else { return "There is no file \(file)." }
        let folder = file.removingLastComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder.string)) ?? []
        if let near = nearestWord(to: name, among: names.sorted()) {
            return "There is no file \(file); did you mean \"\(folder.appending(near))\"?"
        }
        let others = scenarioFolders.map { $0.appending(name) }
        guard kind == .scenario else { return "There is no file \(file)." }
        if let other = others.first(where: { FileManager.default.fileExists(atPath: $0.string) }) {
            return "There is no file \(file); there is \(other)."
        }
        guard let stem = file.stem, BundledScenarios.all[stem] != nil else { return "There is no file \(file)." }
        if stem == name { return "There is no file \(file); mock-apns scenario \(name) prints the built-in scenario." }
        return "There is no file \(file); the name alone, \(stem), is that of a built-in scenario."
    }

    /// A sentence on a folder in place of a scenario file. It names a file in it, and how to check all of them.
    static func sentence(folder: FilePath) -> String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []
        let first = names.filter { $0.hasSuffix(".json") && !$0.hasSuffix(".schema.json") }.min()
        guard let first else { return "\(folder) is a folder, not a file." }
        return "\(folder) is a folder, not a file; name a file in it, such as \(folder.appending(first)). "
            + "mock-apns check \(folder.appending("*.json")) checks all scenarios in it."
    }

    /// A sentence on a name that is neither a file's nor a built-in scenario's. It names the nearest of both, or all
    /// built-in ones.
    static func sentence(scenario name: String) -> String {
        // Where a file would do, it would have been read.
        if name.hasSuffix(".json"), FileManager.default.fileExists(atPath: name) {
            return
                "\(name) is a file; what is expected is the name of a built-in scenario, and mock-apns scenario lists them."
        }
        let known = BundledScenarios.all.names
        let files = ((try? FileManager.default.contentsOfDirectory(atPath: ".")) ?? []).filter { $0.hasSuffix(".json") }
        let near =
            files.first { $0 == "\(name).json" } ?? known.first { "\($0).json" == name }
            ?? nearestWord(to: name, among: known + files.sorted())
        let start = "There is neither a file nor a built-in scenario \"\(name)\""
        if let near { return "\(start); did you mean \"\(near)\"? mock-apns scenario lists those that are built in." }
        return "\(start). Built in are \(known.joined(separator: ", "))."
    }

    /// Where the archive and the Debian package have their scenarios.
    private static var scenarioFolders: [FilePath] {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let executable = FilePath(link ?? CommandLine.arguments.first ?? "")
        return [executable.removingLastComponent().appending("scenarios"), "/usr/share/mock-apns/scenarios"]
    }
}
