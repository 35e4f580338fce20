import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds private keys that others than their owner may read or change.
enum KeyPermissions {
    /// Maximum number of files that are named.
    private static let longestList = 10

    /// The last parts of the names of files with private keys, as ``CertificateFolder`` writes them.
    private static let suffixes = [".key", ".p8", ".p12"]

    /// Returns a warning of one line for each file in a folder whose key other users may read.
    static func warnings(in folder: FilePath) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []
        let open = names.sorted().compactMap { name -> (file: FilePath, mode: FilePermissions, access: String)? in
            let file = folder.appending(name)
            guard suffixes.contains(where: name.hasSuffix), let status = try? file.stat(), status.type == .regular,
                let access = access(status.permissions)
            else { return nil }
            return (file, status.permissions, access)
        }
        let named = open.prefix(longestList).map { file, mode, access in
            "The private key in \(file) can be \(access) by others (mode 0\(String(mode.rawValue, radix: 8))); run chmod 600 \(file)."
        }
        let others = open.count - named.count
        return others > 0
            ? named + ["The same holds for \(others) more private keys in \(folder); run chmod 600 for each."] : named
    }

    /// Returns what the owner's group or all others may do to a file of this mode; `nil` for nothing.
    private static func access(_ mode: FilePermissions) -> String? {
        switch (
            mode.isDisjoint(with: [.groupRead, .otherRead]), mode.isDisjoint(with: [.groupWrite, .otherWrite])
        ) {
        case (true, true): nil
        case (false, true): "read"
        case (true, false): "changed"
        case (false, false): "read and changed"
        }
    }
}
