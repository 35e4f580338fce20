import Logging
import MockAPNSCore
import SystemPackage

/// The file of `--log`: JSON lines, written before the answers leave whose requests they tell of.
///
/// What they tell of is queued under the gateway's lock, in the order of the decisions. Lines are made and written outside
/// it, under a lock of their own: whoever has that lock writes what everybody has queued, and when a writer gets it, its own
/// lines are written or still queued.
///
/// The log is there to observe a provider, not to stop it. What cannot be written within a second (a full disk, a pipe
/// that nobody reads) is lost, line by line. The server says so once, counts the lines, waits no more until the log can
/// be written again, and then says in the log, too, how many are missing.
final class LogFile: Sendable {
    /// What nobody has taken yet to write it.
    private struct Collected {
        var lines = LogLines(isKept: true)
        /// Whether they wait for ``LogFile/release()``.
        var isHeld: Bool
    }

    /// What the logs of a server and of its sessions write to.
    private final class File: Sendable {
        let name: String
        let path: FilePath?
        /// Never locked inside a gateway's lock.
        let writer: Guarded<LogWriter>

        init(_ name: String, _ path: FilePath?, _ writer: consuming sending LogWriter) {
            self.name = name
            self.path = path
            self.writer = Guarded(writer)
        }
    }

    private let file: File
    /// The session whose lines these are; `nil` for the server's own.
    private let session: String?
    /// Locked inside the gateway's lock and inside the writer's.
    private let collected: Guarded<Collected>
    private let logger: Logger

    /// The longest time that a push waits for the log.
    static let patience = Duration.seconds(1)

    /// Opens the file to append to it, or standard output.
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

    /// The log of a session, whose lines go to the same file and name it.
    init(_ session: String, in log: LogFile) {
        file = log.file
        logger = log.logger
        self.session = session
        collected = Guarded(Collected(isHeld: false))
    }

    // MARK: Lines

    /// Collects what the body appends. Called under the gateway's lock.
    ///
    /// - Returns: what the body returns, and whether there is something to be written.
    func collect<Result>(_ body: (inout LogLines) -> Result) -> (result: Result, isDue: Bool) {
        collected.withLock { collected in
            let result = body(&collected.lines)
            return (result, !collected.lines.queue.isEmpty && !collected.isHeld)
        }
    }

    /// Writes what was collected. Never called under the gateway's lock.
    ///
    /// - Returns: how many lines were lost.
    func write() -> Int {
        let deadline = ContinuousClock.now + Self.patience
        let (lost, notice) = file.writer.withLock { writer in
            take(&writer)
            return (writer.write(until: deadline, of: session), writer.takeNotice())
        }
        tell(notice)
        return lost
    }

    /// Writes what was held, and from now on everything at once.
    ///
    /// - Returns: how many lines were lost.
    func release() -> Int {
        collected.withLock { $0.isHeld = false }
        return write()
    }

    private func take(_ writer: inout LogWriter) {
        collected.withLock { collected in
            if !collected.isHeld { collected.lines.take(&writer.queue) }
        }
    }

    // MARK: Opening again, and the end

    /// Opens the file of that name again, which is another one when somebody has given the old one another name. The new
    /// one begins with a line that says which run goes on in it.
    ///
    /// - Parameter pause: calls its argument under the gateway's lock: what was collected until then belongs to the old
    ///   file.
    /// - Returns: how many lines were lost.
    func reopen(_ pause: (_ now: () -> Void) -> LogFileEvent) -> Int {
        guard let path = file.path else { return 0 }
        var new: BoundedOutput?
        do { new = try BoundedOutput(path: path) } catch {
            guard error == .noSuchAddressOrDevice else {
                logger.error("The log \(path) cannot be opened again (\(error)); lines still go to the old file.")
                return 0
            }
        }
        let deadline = ContinuousClock.now + Self.patience
        let (lost, notice) = file.writer.withLock { writer in
            let event = pause { take(&writer) }
            return (writer.continueIn(new, with: event, until: deadline), writer.takeNotice())
        }
        tell(notice)
        logger.notice("The log \(path) was opened again.")
        return lost
    }

    /// Writes what was collected, and closes the file; what comes later is not written. A session leaves the file open.
    ///
    /// - Returns: how many lines were lost.
    func close() -> Int {
        guard session == nil else { return write() }
        let deadline = ContinuousClock.now + Self.patience
        let (lost, notice) = file.writer.withLock { writer in
            take(&writer)
            return (writer.close(until: deadline), writer.takeNotice())
        }
        tell(notice)
        return lost
    }

    // MARK: Lost lines

    /// What the log lacks; `nil` when it has every line.
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

/// What a log lacks at the end.
package struct LogLoss: Sendable {
    /// The file's name.
    package let log: String
    /// How many lines were lost.
    package let lines: Int
    /// Whether there were no others.
    package let isAll: Bool
    /// Why the latest were.
    package let trouble: BoundedOutput.Trouble

    /// For people, in one sentence.
    package var sentence: String {
        isAll
            ? "Nothing could be written to the log \(log) (\(trouble)); it lacks \(counted(lines, "line"))."
            : "\(counted(lines, "line")) could not be written to the log \(log) (\(trouble))."
    }
}
