import MockAPNSTransport
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads and writes the files of a folder, and keeps track of those written.
struct FolderFiles {
    let path: FilePath
    private(set) var made: [String] = []

    init(_ path: FilePath) { self.path = path }

    /// Returns the contents of a file, or `nil` if it does not exist.
    func read(_ name: String) throws(StartError) -> [UInt8]? {
        let file = path.appending(name)
        guard FileManager.default.fileExists(atPath: file.string) else { return nil }
        return try Self.read(file)
    }

    /// Returns the contents of a file with a key or certificates, which has to exist.
    static func read(_ file: FilePath) throws(StartError) -> [UInt8] { try BoundedFile.read(file, .pem) }

    /// Runs the body while no other process or thread uses the folder, creating the folder if missing.
    static func locked<Result>(
        _ path: FilePath, _ body: (inout FolderFiles) throws(StartError) -> Result
    ) throws(StartError) -> Result {
        let lock = try FolderLock(path)
        defer { lock.release() }
        var files = FolderFiles(path)
        if lock.isNew, try files.read(".gitignore") == nil {
            // Prevents committing private keys.
            try files.put([File(name: ".gitignore", bytes: Array("*\n!README.md\n".utf8), isPrivate: false)])
        }
        return try body(&files)
    }

    /// A file to write; a private one is accessible only to its owner.
    struct File {
        let name: String
        let bytes: [UInt8]
        let isPrivate: Bool
    }

    /// Writes files that belong together; the one that the others depend on comes last. At any time each is completely
    /// the old one or completely the new one.
    mutating func write(_ files: [File]) throws(StartError) {
        try put(files)
        made += files.map(\.name)
    }

    private func put(_ files: [File]) throws(StartError) {
        var drafts: [FilePath] = []
        // Those already renamed no longer exist.
        defer { for draft in drafts { try? FileManager.default.removeItem(atPath: draft.string) } }
        // All are complete before the first is renamed, so only an interruption between two of these renames leaves a
        // mixture.
        for file in files {
            let draft = path.appending(".\(file.name).\(UInt64.random(in: .min ... .max))")
            try named(file) {
                let descriptor = try FileDescriptor.open(
                    draft, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                    permissions: file.isPrivate ? .ownerReadWrite : [.ownerReadWrite, .groupRead, .otherRead])
                drafts.append(draft)
                try descriptor.closeAfter { _ = try descriptor.writeAll(file.bytes) }
            }
        }
        for (file, draft) in zip(files, drafts) {
            try named(file) {
                if let error = FileReplacement.rename(draft.string, to: path.appending(file.name).string) {
                    throw Errno(rawValue: error)
                }
            }
        }
    }

    /// Adds the name of the file to an error.
    private func named(_ file: File, _ body: () throws -> Void) throws(StartError) {
        do { try body() } catch {
            throw .unavailable(
                "\(path.appending(file.name)) cannot be written (\(Self.reason(error))); make the folder writable, or choose another with --certs."
            )
        }
    }

    /// Returns the system's own error message.
    static func reason(_ error: any Error) -> String {
        if let error = error as? Errno { return "\(error)" }
        if let error = error as? CocoaError {
            switch error.code {
            case .fileReadNoSuchFile: return "there is no such file"
            case .fileNoSuchFile: return "no such file or directory"
            case .fileWriteNoPermission, .fileReadNoPermission: return "permission denied"
            case .fileWriteFileExists: return "it is a file, not a folder"
            case .fileWriteOutOfSpace: return "no space left on device"
            default: break
            }
        }
        return "\(error)"
    }
}
