import MockAPNSCore
import SystemPackage

import struct Logging.Logger

/// The file of `--log`: JSON lines, each written before the answer to its request is sent.
///
/// Records are queued under the gateway's lock, in the order of the decisions. Lines are built and written outside it,
/// under a separate lock: the holder of that lock writes everything queued so far, so once a writer gets it, its own
/// lines are either written or still queued.
///
/// The log is there to observe a provider, not to stop it. Lines that cannot be written within a second (because of a
/// full disk, or a pipe without a reader) are lost. The server reports this once, counts the lines and stops waiting
/// until the log can be written again; then it also records in the log how many lines are missing.
final class LogFile: Sendable {
    /// Records that no writer has taken yet.
    private struct Collected {
        var lines = LogLines(isKept: true)
        /// Whether they wait for ``LogFile/release()``.
        var isHeld: Bool
    }

    /// The file that a server and its sessions write to.
    private final class File: Sendable {
        let name: String
        let path: FilePath?
        /// Never locked while the gateway's lock is held.
        let writer: Guarded<LogWriter>

        init(_ name: String, _ path: FilePath?, _ writer: consuming sending LogWriter) {
            self.name = name
            self.path = path
            self.writer = Guarded(writer)
        }
    }

    private let file: File
    /// The name of the session whose lines these are; `nil` for the server's own.
    private let session: String?
    /// Locked while the gateway's lock or the writer's is held.
    private let collected: Guarded<Collected>
    private let logger: Logger

    /// Opens the file for appending, or standard output.
    ///
    /// - Parameter isHeld: whether nothing is written before ``release()``.
    init(_ destination: LogDestination, isHeld: Bool, logger: Logger) throws(StartError) {
        self.logger = logger
        session = nil
        collected = Guarded(Collected(isHeld: isHeld))
        switch destination {
        case .standardOutput:
            file = File("standard output", nil, LogWriter(BoundedOutput(standard: .standardOutput), path: nil))
        case .file(let path):
            var output: BoundedOutput?
            do { output = try BoundedOutput(path: path) } catch {
                // A FIFO may get its reader later.
                guard error == .noSuchAddressOrDevice else {
                    throw .unavailable("The log file \(path) cannot be opened (\(error)); choose another with --log.")
                }
            }
            file = File(path.string, path, LogWriter(output, path: path))
        }
    }

    /// Creates the log of a session, whose lines go to the same file and contain its name.
    init(_ session: String, in log: LogFile) {
        file = log.file
        logger = log.logger
        self.session = session
        collected = Guarded(Collected(isHeld: false))
    }

    // MARK: Lines

    /// Collects what the body appends. Called under the gateway's lock.
    ///
    /// - Returns: the result of the body, and whether there is anything to write.
    func collect<Result>(_ body: (inout LogLines) -> Result) -> (result: Result, isDue: Bool) {
        collected.withLock { collected in
            let result = body(&collected.lines)
            return (result, !collected.lines.queue.isEmpty && !collected.isHeld)
        }
    }

    /// Writes the collected lines. Never called under the gateway's lock.
    ///
    /// - Returns: the number of lines lost.
    func write() -> Int {
        let deadline = ContinuousClock.now + LogWriter.writeTimeout
        let (lost, notice) = file.writer.withLock { writer in
            take(&writer)
            return (writer.write(until: deadline, of: session), writer.takeNotice())
        }
        tell(notice)
        return lost
    }

    /// Writes the lines held back, and later ones immediately.
    ///
    /// - Returns: the number of lines lost.
    func release() -> Int {
        collected.withLock { $0.isHeld = false }
        return write()
    }

    private func take(_ writer: inout LogWriter) {
        collected.withLock { collected in
            if !collected.isHeld { collected.lines.take(&writer.queue) }
        }
    }

    // MARK: Reopening and closing

    /// Opens the file by its name again, which is a new file after a log rotation. It starts with a line that
    /// identifies the run continued in it.
    ///
    /// - Parameter pause: calls its argument under the gateway's lock: records collected before that belong to the old
    ///   file.
    /// - Returns: the number of lines lost.
    func reopen(_ pause: (_ now: () -> Void) -> LogEvent) -> Int {
        guard let path = file.path else { return 0 }
        var new: BoundedOutput?
        do { new = try BoundedOutput(path: path) } catch {
            guard error == .noSuchAddressOrDevice else {
                logger.error("The log \(path) cannot be reopened (\(error)); lines still go to the old file.")
                return 0
            }
        }
        let deadline = ContinuousClock.now + LogWriter.writeTimeout
        let (lost, notice) = file.writer.withLock { writer in
            let event = pause { take(&writer) }
            return (writer.continueIn(new, with: event, until: deadline), writer.takeNotice())
        }
        tell(notice)
        logger.notice("The log \(path) was reopened.")
        return lost
    }

    /// Writes the collected lines and closes the file; later ones are not written. A session leaves the file open.
    ///
    /// - Returns: the number of lines lost.
    func close() -> Int {
        guard session == nil else { return write() }
        let deadline = ContinuousClock.now + LogWriter.writeTimeout
        let (lost, notice) = file.writer.withLock { writer in
            take(&writer)
            return (writer.close(until: deadline), writer.takeNotice())
        }
        tell(notice)
        return lost
    }

    // MARK: Lost lines

    /// The lines missing from the log; `nil` if it is complete.
    var loss: LogLoss? {
        file.writer.withLock { writer in
            guard writer.lostLines > 0, let trouble = writer.trouble else { return nil }
            return LogLoss(log: file.name, lines: writer.lostLines, isAll: !writer.hasWritten, trouble: trouble)
        }
    }

    private func tell(_ notice: LogWriter.Notice?) {
        switch notice {
        case nil: break
        case .lost(let trouble):
            logger.error(
                "The log cannot be written to \(file.name) (\(trouble)). Requests are answered as before. Lines are lost until it can; the metric mock_apns_log_write_errors_total counts them."
            )
        case .recovered(let lines):
            logger.warning("The log is written to \(file.name) again; it lacks \(counted(lines, "line")).")
        case .ended(let lines):
            logger.error("The log in \(file.name) lacks \(counted(lines, "line")) that could not be written.")
        }
    }
}

/// The lines missing from a log at its end.
package struct LogLoss: Sendable {
    /// The name of the file.
    package let log: String
    /// Number of lines lost.
    package let lines: Int
    /// Whether all lines were lost.
    package let isAll: Bool
    /// Why the latest lines were lost.
    package let trouble: BoundedOutput.Trouble

    /// A sentence for people.
    package var sentence: String {
        isAll
            ? "Nothing could be written to the log \(log) (\(trouble)); it lacks \(counted(lines, "line"))."
            : "\(counted(lines, "line")) could not be written to the log \(log) (\(trouble))."
    }
}
