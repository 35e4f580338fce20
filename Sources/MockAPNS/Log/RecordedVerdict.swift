package import MockAPNSCore
import MockAPNSTransport
import SystemPackage

/// The verdict on a scenario's expectations from recorded logs, without a server.
package struct RecordedVerdict: Sendable {
    /// The result of each expectation.
    package let verification: Verification
    /// Remarks about the logs, in sentences.
    package let remarks: [String]
    /// When the log starts and ends, by the real clock; `nil` if it is empty.
    package let times: (first: Timestamp, last: Timestamp)?

    /// Number of bytes read at a time.
    private static let pieceLength = 1 << 20
    /// Maximum time to wait for the next bytes from a pipe, in milliseconds.
    private static let patience: Int32 = 30_000

    /// Reads and judges log files: one, or those of several servers that played the scenario side by side.
    ///
    /// - Parameter session: the session to judge; `nil` for the server itself.
    /// - Throws: ``StartError/unavailable(_:)`` for a file that cannot be read, ``StartError/malformed(_:)`` for one
    ///   that is not a log.
    package init(logs paths: [String], session: String? = nil, of scenario: Scenario) throws(StartError) {
        if paths.count == 1 {
            let log = try Self.log(paths[0], RecordedLog(of: scenario, session: session))
            verification = log.evidence.verify()
            (remarks, times) = (log.remarks, log.times)
            return
        }
        var histories: [RecordedHistory] = []
        for path in paths {
            var log = try Self.log(path, RecordedLog(of: scenario, session: session, isToBeMerged: true))
            histories.append(log.takeHistory(named: path))
        }
        let merged = MergedLogs(histories, of: scenario)
        verification = merged.evidence.verify()
        (remarks, times) = (merged.remarks, merged.times)
    }

    /// Returns the requests of the last run in a log file, and what else has to be known of it, in sentences.
    ///
    /// - Parameter session: the session whose requests are wanted; `nil` for the server itself.
    /// - Throws: as ``init(logs:session:of:)``.
    package static func requests(
        in path: String, session: String? = nil, of scenario: Scenario
    ) throws(StartError) -> (log: RequestSnapshot, remarks: [String]) {
        let log = try log(path, RecordedLog(of: scenario, session: session))
        return (log.evidence.log, log.remarks)
    }

    /// Reads a log file to its end.
    private static func log(_ path: String, _ empty: consuming RecordedLog) throws(StartError) -> RecordedLog {
        var log = empty
        do {
            // A log may be larger than memory, so it is read piece by piece.
            let descriptor = try FileDescriptor.open(FilePath(path), .readOnly, options: [.nonBlocking, .closeOnExec])
            try descriptor.closeAfter { try read(descriptor, path, into: &log) }
            try log.finish()
            return log
        } catch let error as RecordedLog.Mistake {
            throw .malformed("\(path):\(error).")
        } catch let error as StartError {
            throw error
        } catch Errno.noSuchFileOrDirectory {
            throw .unavailable("The log \(path) cannot be read (there is no such file).")
        } catch {
            throw .unavailable("The log \(path) cannot be read (\(FolderFiles.reason(error))).")
        }
    }

    /// Reads a file, or anything else that provides bytes and ends: a pipe, a terminal, `/dev/null`.
    private static func read(_ descriptor: FileDescriptor, _ path: String, into log: inout RecordedLog) throws {
        let type = try descriptor.stat().type
        if type == .directory { throw StartError.unavailable("The log \(path) is a folder, but a file was expected.") }
        // A pipe that nobody has opened for writing yet looks like one that has ended.
        var isToWait = type == .fifo
        var piece: [UInt8] = []
        while true {
            if isToWait, !FileBytes.wait(for: descriptor.rawValue, milliseconds: patience) {
                throw StartError.unavailable("Nothing was received from the log \(path) for \(patience / 1000) s.")
            }
            piece.removeAll(keepingCapacity: true)
            let count = FileBytes.read(descriptor.rawValue, atMost: pieceLength, into: &piece)
            isToWait = count == -Int(Errno.wouldBlock.rawValue)
            if count == 0 { return }
            if count < 0, !isToWait { throw Errno(rawValue: CInt(-count)) }
            try log.read(piece.span)
        }
    }
}
