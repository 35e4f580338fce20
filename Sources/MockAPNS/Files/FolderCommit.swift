import MockAPNSTransport
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes several files into a folder so that none is there without the others, whenever the process ends.
///
/// All are written beside their places first, as drafts. An empty file, the mark, says that they are complete. Then the
/// drafts are renamed. If the process ends before the mark is there, the next one removes the drafts, otherwise it
/// renames the rest.
struct FolderCommit {
    private let path: FilePath
    private let id = String(UInt64.random(in: .min ... .max), radix: 36)

    init(_ path: FilePath) { self.path = path }

    /// Writes the files, or none of them if there is an error before the first is renamed.
    func write(_ files: [FolderFiles.File]) throws(StartError) {
        guard let last = files.last else { return }
        let mark = path.appending(Draft.mark(id))
        var drafts: [FilePath] = []
        // Files already renamed no longer exist.
        defer { for draft in drafts { try? FileManager.default.removeItem(atPath: draft.string) } }
        for file in files {
            let draft = path.appending(Draft.name(of: file.name, id))
            try named(file.name) {
                let permissions: FilePermissions =
                    file.isPrivate ? .ownerReadWrite : [.ownerReadWrite, .groupRead, .otherRead]
                if (try? path.appending(file.name).stat())?.type == .directory { throw Errno.isDirectory }
                let descriptor = try Self.create(draft, permissions)
                drafts.append(draft)
                try descriptor.closeAfter { _ = try descriptor.writeAll(file.bytes) }
            }
        }
        if files.count > 1 {
            try named(last.name) { try Self.create(mark, .ownerReadWrite).close() }
            drafts.append(mark)
        }
        for (file, draft) in zip(files, drafts) {
            try named(file.name) {
                if let error = FileReplacement.rename(draft.string, to: path.appending(file.name).string) {
                    throw Errno(rawValue: error)
                }
            }
        }
    }

    /// Finishes or removes what processes left behind that were killed while writing. The folder has to be locked.
    ///
    /// - Returns: whether the folder is empty.
    static func finishInterrupted(in path: FilePath) -> Bool {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path.string) else { return false }
        let drafts = names.compactMap { Draft($0) }
        let complete = Set(drafts.filter { $0.target == nil }.map(\.id))
        for draft in drafts {
            let file = path.appending(draft.file).string
            if let target = draft.target, complete.contains(draft.id) {
                _ = FileReplacement.rename(file, to: path.appending(target).string)
            }
        }
        // The marks last, and what could not be renamed.
        for draft in drafts { try? FileManager.default.removeItem(atPath: path.appending(draft.file).string) }
        return names.count == drafts.count
    }

    private static func create(_ file: FilePath, _ permissions: FilePermissions) throws -> FileDescriptor {
        try FileDescriptor.open(
            file, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: permissions)
    }

    /// Adds the name of the file to an error.
    private func named(_ name: String, _ body: () throws -> Void) throws(StartError) {
        do { try body() } catch {
            let hasAuthority = FileManager.default.fileExists(atPath: path.appending("ca.pem").string)
            let hint =
                hasAuthority
                ? " Only ca.pem and ca.key may be read-only, as single files mounted into a writable folder." : ""
            throw .unavailable(
                "\(path.appending(name)) cannot be written (\(FolderFiles.reason(error))); make the folder writable, or choose another with --certs.\(hint)"
            )
        }
    }
}

/// The name of a draft, or of the mark that drafts are complete.
private struct Draft {
    let file: String
    let id: Substring
    /// The name that it is renamed to; `nil` for the mark.
    let target: String?

    private static let ending = ".mock-apns-draft"

    static func name(of target: String, _ id: String) -> String { ".\(target).\(id)\(ending)" }

    static func mark(_ id: String) -> String { ".\(id)\(ending)" }

    init?(_ file: String) {
        guard file.hasPrefix("."), file.hasSuffix(Self.ending) else { return nil }
        self.file = file
        let middle = file.dropFirst().dropLast(Self.ending.count)
        guard let dot = middle.lastIndex(of: ".") else {
            (id, target) = (middle, nil)
            return
        }
        id = middle[middle.index(after: dot)...]
        target = String(middle[..<dot])
    }
}
