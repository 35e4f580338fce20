import MockAPNSTransport
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads and writes the files of one folder, and notes which it wrote.
struct FolderFiles {
    let path: FilePath
    private(set) var made: [String] = []

    init(_ path: FilePath) { self.path = path }

    /// The file's bytes, or `nil` if it does not exist.
    func read(_ name: String) throws(StartError) -> [UInt8]? {
        let file = path.appending(name)
        guard FileManager.default.fileExists(atPath: file.string) else { return nil }
        return try Self.read(file)
    }

    /// The bytes of a file with a key or certificates, which has to be there.
    static func read(_ file: FilePath) throws(StartError) -> [UInt8] { try BoundedFile.read(file, .pem) }

    /// Lets the body look and write while no other process or thread does; the folder is made when it is missing.
    static func locked<Result>(
        _ path: FilePath, _ body: (inout FolderFiles) throws(StartError) -> Result
    ) throws(StartError) -> Result {
        let lock = try FolderLock(path)
        defer { lock.release() }
        var files = FolderFiles(path)
        if lock.isNew, try files.read(".gitignore") == nil {
            // So that no private key is ever committed.
            try files.put([File(name: ".gitignore", bytes: Array("*\n!README.md\n".utf8), isPrivate: false)])
        }
        return try body(&files)
    }

    /// A file to be written; a private one is for its owner only.
    struct File {
        let name: String
        let bytes: [UInt8]
        let isPrivate: Bool
    }

    /// Writes files that belong together, for others the last one last. Each is the old one or the new one at any time, never
    /// a part.
    mutating func write(_ files: [File]) throws(StartError) {
        try put(files)
        made += files.map(\.name)
    }

    private func put(_ files: [File]) throws(StartError) {
        var drafts: [FilePath] = []
        // Those that have got their name are there no more.
        defer { for draft in drafts { try? FileManager.default.removeItem(atPath: draft.string) } }
        // All are complete before the first one gets its name, so that only who is interrupted between two of these leaves
        // a mixture.
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

    /// Tells of which file an error is.
    private func named(_ file: File, _ body: () throws -> Void) throws(StartError) {
        do { try body() } catch {
            throw .unavailable(
                "\(path.appending(file.name)) cannot be written (\(Self.reason(error))); make the folder writable, or choose another with --certs."
            )
        }
    }

    /// What the system said, in its own words.
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
