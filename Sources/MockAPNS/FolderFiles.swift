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

    /// The file's bytes, or `nil` when there is no such file.
    func read(_ name: String) throws(StartError) -> [UInt8]? {
        let file = path.appending(name)
        guard FileManager.default.fileExists(atPath: file.string) else { return nil }
        return try Self.read(file)
    }

    /// The bytes of a file that has to be there.
    static func read(_ file: FilePath) throws(StartError) -> [UInt8] {
        guard FileManager.default.fileExists(atPath: file.string) else {
            throw .unavailable("There is no file \(file).")
        }
        guard let data = FileManager.default.contents(atPath: file.string) else {
            let isFolder = (try? FileManager.default.contentsOfDirectory(atPath: file.string)) != nil
            throw .unavailable(
                isFolder
                    ? "\(file) is a folder; a file is wanted."
                    : "The file \(file) cannot be read; check its permissions.")
        }
        return [UInt8](data)
    }

    /// Writes a file whole: others see the old one or the new one, never a part. Private ones are for the owner only.
    mutating func write(_ bytes: [UInt8], to name: String, isPrivate: Bool) throws(StartError) {
        try makeFolder()
        let file = path.appending(name)
        let draft = path.appending(".\(name).\(UInt64.random(in: .min ... .max))")
        do {
            let descriptor = try FileDescriptor.open(
                draft, .writeOnly, options: [.create, .exclusiveCreate],
                permissions: isPrivate ? .ownerReadWrite : [.ownerReadWrite, .groupRead, .otherRead])
            try descriptor.closeAfter { _ = try descriptor.writeAll(bytes) }
            if FileManager.default.fileExists(atPath: file.string) {
                try FileManager.default.removeItem(atPath: file.string)
            }
            try FileManager.default.moveItem(atPath: draft.string, toPath: file.string)
        } catch {
            try? FileManager.default.removeItem(atPath: draft.string)
            throw .unavailable(
                "\(file) cannot be written (\(Self.reason(error))); make the folder writable, or choose another with --certs."
            )
        }
        made.append(name)
    }

    /// Makes the folder when it is missing, with a `.gitignore`, so that no private key is ever committed.
    private mutating func makeFolder() throws(StartError) {
        guard made.isEmpty else { return }
        guard !FileManager.default.fileExists(atPath: path.string) else { return }
        do {
            try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
            try Data("*\n!README.md\n".utf8).write(to: URL(filePath: path.appending(".gitignore").string))
        } catch {
            throw .unavailable(
                "The folder \(path) cannot be made (\(Self.reason(error))); choose another with --certs.")
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
