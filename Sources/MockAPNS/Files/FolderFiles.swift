import MockAPNSTransport
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads and writes the files of a folder, and keeps track of those written.
///
/// Written files appear in the folder all at once, with ``commit()``: an error before that leaves the folder as it was.
struct FolderFiles {
    let path: FilePath
    private var pending: [File] = []
    /// Whether the folder gets a file that keeps private keys out of repositories, because it was empty.
    private var needsIgnoreFile = false
    private var committed: [String] = []

    init(_ path: FilePath) { self.path = path }

    /// The names of the files written.
    var made: [String] { committed + pending.map(\.name) }

    /// Returns the contents of a file, or `nil` if it does not exist.
    func read(_ name: String) throws(StartError) -> [UInt8]? {
        if let file = pending.last(where: { $0.name == name }) { return file.bytes }
        let file = path.appending(name)
        guard FileManager.default.fileExists(atPath: file.string) else { return nil }
        return try Self.read(file)
    }

    /// Returns the contents of a file with a key or certificates, which has to exist.
    static func read(_ file: FilePath) throws(StartError) -> [UInt8] { try BoundedFile.read(file, .pem) }

    /// Runs the body while no other process or thread uses the folder, creating the folder if missing, and then commits
    /// what it wrote.
    static func locked<Result>(
        _ path: FilePath, _ body: (inout FolderFiles) throws(StartError) -> Result
    ) throws(StartError) -> Result {
        let lock = try FolderLock(path)
        defer { lock.release() }
        var files = FolderFiles(path)
        files.needsIgnoreFile = lock.isNew
        if lock.isHeld, FolderCommit.finishInterrupted(in: path) { files.needsIgnoreFile = true }
        let result = try body(&files)
        try files.commit()
        return result
    }

    /// A file to write; a private one is accessible only to its owner.
    struct File {
        let name: String
        let bytes: [UInt8]
        let isPrivate: Bool
    }

    /// Adds files to those that ``commit()`` writes.
    mutating func write(_ files: [File]) { pending += files }

    /// Writes all files added since the last time, or none of them.
    mutating func commit() throws(StartError) {
        guard !pending.isEmpty else { return }
        let ignored = File(name: ".gitignore", bytes: Array("*\n!README.md\n".utf8), isPrivate: false)
        try FolderCommit(path).write((needsIgnoreFile ? [ignored] : []) + pending)
        needsIgnoreFile = false
        committed += pending.map(\.name)
        pending = []
    }

    /// Drops the files that were not written.
    mutating func discard() { pending = [] }

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
