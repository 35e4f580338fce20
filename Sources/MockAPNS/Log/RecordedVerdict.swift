package import MockAPNSCore
import MockAPNSTransport
import SystemPackage

/// The verdict on a scenario's expectations from recorded logs, without a server.
package struct RecordedVerdict: Sendable {
    /// The result of each expectation.
    package let verification: Verification
    /// What lint has found; `nil` if nobody asked.
    package let lint: LintVerdict?
    /// Remarks about the logs, in sentences.
    package let remarks: [String]
    /// When the log starts and ends, by the real clock; `nil` if it is empty.
    package let times: (first: Timestamp, last: Timestamp)?

    /// Number of bytes read at a time.
    private static let pieceLength = 1 << 20
    /// Maximum time to wait for the next bytes from a pipe, in milliseconds.
    private static let readTimeout: Int32 = 30_000

    /// Reads and judges log files: one, or those of several servers that played the scenario side by side.
    ///
    /// - Parameters:
    ///   - session: the session to judge; `nil` for the server itself.
    ///   - linted: whose requests are linted, in all runs; `nil`: nobody's.
    /// - Throws: ``StartError/unavailable(_:)`` for a file that cannot be read, ``StartError/malformed(_:)`` for one
    ///   that is not a log.
    package init(
        logs paths: [String], session: String? = nil, of scenario: Scenario,
        linting linted: RecordedLog.LintedPart? = nil
    ) throws(StartError) {
        var verdict = linted.map { _ in LintVerdict(by: scenario.lint) }
        if paths.count == 1 {
            let log = try Self.log(paths[0], RecordedLog(of: scenario, session: session, linting: linted))
            verification = log.evidence.verify()
            verdict?.add(log.lint(), ofLog: paths[0])
            (lint, remarks, times) = (verdict, log.remarks, log.times)
            return
        }
        var histories: [RecordedHistory] = []
        for path in paths {
            var log = try Self.log(
                path, RecordedLog(of: scenario, session: session, isToBeMerged: true, linting: linted))
            verdict?.add(log.lint(includingLast: false), ofLog: path)
            histories.append(log.takeHistory(named: path))
        }
        let merged = MergedLogs(histories, of: scenario)
        let evidence = merged.evidence
        verification = evidence.verify()
        verdict?.add(evidence.linting().finish(), in: evidence)
        (lint, remarks, times) = (verdict, merged.remarks, merged.times)
    }

    /// Lints all runs in a log file.
    ///
    /// - Parameters:
    ///   - session: the session that is wanted; `nil` for the server itself.
    ///   - linted: whether all other sessions are linted, too.
    /// - Returns: what was found, and what else has to be known of the log, in sentences.
    /// - Throws: as ``init(logs:session:of:linting:)``.
    package static func lint(
        _ path: String, session: String? = nil, of scenario: Scenario, _ linted: RecordedLog.LintedPart
    ) throws(StartError) -> (verdict: LintVerdict, remarks: [String]) {
        let log = try log(path, RecordedLog(of: scenario, session: session, linting: linted), lintsOnly: true)
        var verdict = LintVerdict(by: scenario.lint)
        verdict.add(log.lint(), ofLog: name(of: path))
        return (verdict, log.lintRemarks)
    }

    /// The name of a log in messages; that of standard input is as for payload files.
    private static func name(of path: String) -> String { path == "-" ? "stdin" : path }

    /// Reads a log file to its end.
    ///
    /// - Parameter lintsOnly: whether runs of other sessions than the one judged are enough.
    private static func log(
        _ path: String, _ empty: consuming RecordedLog, lintsOnly: Bool = false
    ) throws(StartError) -> RecordedLog {
        var log = empty
        do {
            // A log may be larger than memory, so it is read piece by piece.
            if path == "-" {
                try read(.standardInput, BoundedFile.standardInput, into: &log)
            } else {
                let descriptor = try FileDescriptor.open(
                    FilePath(path), .readOnly, options: [.nonBlocking, .closeOnExec])
                try descriptor.closeAfter { try read(descriptor, path, into: &log) }
            }
            try log.finish(lintsOnly: lintsOnly)
            return log
        } catch let error as RecordedLog.Mistake {
            throw .malformed("\(name(of: path)):\(error).")
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
        // A pipe that nobody has opened for writing yet looks like one that has ended. Standard input may block.
        var isToWait = type == .fifo || path == BoundedFile.standardInput && type != .regular
        var piece: [UInt8] = []
        while true {
            if isToWait, !FileBytes.wait(for: descriptor.rawValue, milliseconds: readTimeout) {
                throw StartError.unavailable("Nothing was received from the log \(path) for \(readTimeout / 1000) s.")
            }
            piece.removeAll(keepingCapacity: true)
            let count = FileBytes.read(descriptor.rawValue, atMost: pieceLength, into: &piece)
            let wouldBlock = count == -Int(Errno.wouldBlock.rawValue)
            isToWait = wouldBlock || path == BoundedFile.standardInput && type != .regular
            if count == 0 { return }
            if count < 0, !wouldBlock { throw Errno(rawValue: CInt(-count)) }
            try log.read(piece.span)
        }
    }
}
