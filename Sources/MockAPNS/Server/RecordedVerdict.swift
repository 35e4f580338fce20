package import MockAPNSCore
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What comes of a scenario's expectations by a log that was recorded, without a server.
package struct RecordedVerdict: Sendable {
    /// What came of each.
    package let verification: Verification
    /// What else has to be known of the log, in sentences.
    package let remarks: [String]
    /// When it begins and ends, by the real clock; `nil` for an empty one.
    package let times: (first: Timestamp, last: Timestamp)?

    /// So many bytes of the file are looked at at a time.
    private static let pieceLength = 1 << 20

    /// Reads a log file and judges by it.
    ///
    /// - Throws: ``StartError/unavailable(_:)`` for a file that cannot be read, ``StartError/malformed(_:)`` for one that
    ///   is no log.
    package init(log path: String, of scenario: Scenario) throws(StartError) {
        let data: Data
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        if attributes?[.type] as? FileAttributeType == .typeDirectory {
            throw .unavailable("The log \(path) is a folder, and a file was expected.")
        }
        do {
            // A log may be larger than the memory; what was read of it need not stay there.
            data = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
        } catch {
            throw .unavailable("The log \(path) cannot be read (\(FolderFiles.reason(error))).")
        }
        var log = RecordedLog(of: scenario)
        do throws(RecordedLog.Mistake) {
            let bytes = data.span
            for start in stride(from: 0, to: bytes.count, by: Self.pieceLength) {
                try log.read(bytes.extracting(start..<min(start + Self.pieceLength, bytes.count)))
            }
            try log.finish()
        } catch {
            throw .malformed("\(path):\(error).")
        }
        verification = log.evidence.verify()
        (remarks, times) = (log.remarks, log.times)
    }
}
