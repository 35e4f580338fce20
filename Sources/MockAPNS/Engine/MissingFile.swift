import MockAPNSCore
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What to say of a file that does not exist.
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
        guard kind == .scenario, let other = others.first(where: { FileManager.default.fileExists(atPath: $0.string) })
        else { return "There is no file \(file)." }
        return "There is no file \(file); there is \(other)."
    }

    /// Where the archive and the Debian package have their scenarios.
    private static var scenarioFolders: [FilePath] {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let executable = FilePath(link ?? CommandLine.arguments.first ?? "")
        return [executable.removingLastComponent().appending("scenarios"), "/usr/share/mock-apns/scenarios"]
    }
}
