import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An exclusive lock on a folder, across all processes and threads.
///
/// The lock (`flock`) is on the folder itself: it leaves no file behind, works in a folder that is read-only or owned
/// by another user, and ends with its process.
struct FolderLock {
    private let descriptor: FileDescriptor?
    /// Whether the folder was just created.
    let isNew: Bool
    /// Whether others are kept out: some file systems have no locks.
    private(set) var isHeld = false

    /// Creates the folder if missing, and waits at most half a minute for the lock.
    init(_ path: FilePath) throws(StartError) {
        var isNew = false
        var descriptor: FileDescriptor?
        do {
            do { descriptor = try Self.open(path) } catch Errno.noSuchFileOrDirectory {
                isNew = true
                // Private keys will be in it.
                try FileManager.default.createDirectory(
                    atPath: path.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                descriptor = try Self.open(path)
            }
        } catch Errno.permissionDenied {
            // A folder that cannot be listed can still be used, just without the lock.
        } catch Errno.notDirectory where FileManager.default.fileExists(atPath: path.string) {
            throw .unavailable("\(path) is a file; --certs names a folder.")
        } catch {
            throw .unavailable(
                "The folder \(path) cannot be created or opened (\(FolderFiles.reason(error))); choose another with --certs."
            )
        }
        self.isNew = isNew
        self.descriptor = descriptor
        guard let descriptor else { return }
        // A file system without locks is used without one.
        var attempts = 0
        while true {
            isHeld = flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0
            guard !isHeld, errno == EAGAIN || errno == EINTR else { break }
            attempts += 1
            guard attempts <= Self.attemptLimit else {
                release()
                throw .unavailable(
                    "Another process has locked \(path) for half a minute; end it, or choose another folder with --certs."
                )
            }
            usleep(50_000)
        }
    }

    /// Number of attempts, 50 ms apart: creating certificates takes less than a second.
    private static let attemptLimit = 600

    func release() { try? descriptor?.close() }

    private static func open(_ path: FilePath) throws -> FileDescriptor {
        try FileDescriptor.open(path, .readOnly, options: [.directory, .closeOnExec])
    }
}
