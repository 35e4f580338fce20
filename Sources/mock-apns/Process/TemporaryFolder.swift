import MockAPNS
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

/// A new folder in `$TMPDIR` with an unpredictable name, readable only by its owner.
struct TemporaryFolder {
    let path: FilePath

    init() throws(StartError) {
        let parent = FilePath(FileManager.default.temporaryDirectory.path)
        path = parent.appending("mock-apns-" + String(UInt64.random(in: .min ... .max), radix: 36))
        let mask = umask(0o077)
        defer { umask(mask) }
        do {
            // Without intermediate directories, this fails if the folder already exists.
            try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: false)
        } catch {
            throw .unavailable(
                "No folder can be created in \(parent); TMPDIR has to name an existing, writable folder.")
        }
    }

    func remove() { try? FileManager.default.removeItem(atPath: path.string) }
}
