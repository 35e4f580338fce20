import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds private keys that other users than their owner may read.
enum KeyPermissions {
    /// Maximum number of files that are named.
    private static let longestList = 10

    /// The last parts of the names of files with private keys, as ``CertificateFolder`` writes them.
    private static let suffixes = [".key", ".p8", ".p12"]

    /// Returns a warning of one line for each file in a folder whose key other users may read.
    static func warnings(in folder: FilePath) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []
        let open = names.sorted().compactMap { name -> (file: FilePath, mode: FilePermissions)? in
            let file = folder.appending(name)
            guard suffixes.contains(where: name.hasSuffix), let status = try? file.stat(), status.type == .regular,
                case let mode = status.permissions,
                !mode.isDisjoint(with: [.groupReadWriteExecute, .otherReadWriteExecute])
            else { return nil }
            return (file, mode)
        }
        let named = open.prefix(longestList).map { file, mode in
            "The private key in \(file) can be read by others (mode 0\(String(mode.rawValue, radix: 8))); run chmod 600 \(file)."
        }
        let others = open.count - named.count
        return others > 0 ? named + ["So can \(others) other files in \(folder)."] : named
    }
}
