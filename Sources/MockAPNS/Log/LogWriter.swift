import MockAPNSCore
import SystemPackage

/// Builds and writes the lines of the log, and counts those that were lost.
///
/// After the first lost line, nothing waits until a second has passed without losses: a permanently slow reader costs
/// one second, not one per push.
struct LogWriter: Sendable {
    /// The longest time that a push waits for the log.
    static let writeTimeout = Duration.seconds(1)

    /// A message for people, reported once.
    enum Notice: Sendable, Hashable {
        /// Lines are being lost.
        case lost(BoundedOutput.Trouble)
        /// The log is written again, with this number of lines missing.
        case recovered(lines: Int)
        /// The log has ended with this number of lines missing.
        case ended(lines: Int)
    }

    private struct Episode {
        var lines = 0
        var latest: ContinuousClock.Instant
    }

    /// The records of the next lines.
    var queue = LineQueue()
    /// The lines to write next.
    private var lines: [UInt8] = []
    private var records = RecordWriter()
    /// Number of lines lost so far.
    private(set) var lostLines = 0
    /// Why the latest lines were lost.
    private(set) var trouble: BoundedOutput.Trouble?
    /// Whether any line was written.
    private(set) var hasWritten = false

    /// `nil` until it can be opened, as for a FIFO without a reader.
    private var output: BoundedOutput?
    private let path: FilePath?
    private var isClosed = false
    private var episode: Episode?
    /// Number of missing lines not yet recorded in the log.
    private var unreportedLines = 0
    private var notice: Notice?

    init(_ output: BoundedOutput?, path: FilePath?) { (self.output, self.path) = (output, path) }

    /// Returns the notice that became due since the last call, and clears it.
    mutating func takeNotice() -> Notice? {
        defer { notice = nil }
        return notice
    }

    /// Writes the lines of ``queue``.
    ///
    /// - Parameter session: the name of the session whose lines they are; `nil` for the server's own.
    /// - Returns: the number of lines lost.
    mutating func write(until deadline: ContinuousClock.Instant, of session: String? = nil) -> Int {
        guard !queue.isEmpty else { return 0 }
        queue.writeLines(using: &records, of: session, to: &lines)
        return write(until: deadline, isBeginning: false)
    }

    private mutating func write(until deadline: ContinuousClock.Instant, isBeginning: Bool) -> Int {
        defer { lines.removeAll(keepingCapacity: true) }
        guard !lines.isEmpty, !isClosed else { return 0 }
        let deadline = episode == nil ? deadline : .now
        let before = lostLines
        if open(), isBeginning || reportLoss(until: deadline), let outcome = output?.write(lines, until: deadline) {
            take(outcome)
        } else {
            lose(lines.count { $0 == UInt8(ascii: "\n") }, trouble ?? .noReader)
        }
        return lostLines - before
    }

    private mutating func open() -> Bool {
        if output == nil, let path {
            do { output = try BoundedOutput(path: path) } catch {
                trouble = error == .noSuchAddressOrDevice ? .noReader : .failed(error)
            }
        }
        return output != nil
    }

    /// Writes how many lines are missing here.
    private mutating func reportLoss(until deadline: ContinuousClock.Instant) -> Bool {
        guard unreportedLines > 0 else { return true }
        var line: [UInt8] = []
        LogEvent.log(.lost(lines: unreportedLines)).appendLine(at: WallClock.now(), to: &line)
        guard let outcome = output?.write(line, until: deadline) else { return false }
        if outcome.lostLines == 0 { unreportedLines = 0 }
        if let trouble = outcome.trouble { self.trouble = trouble }
        return outcome.trouble == nil
    }

    private mutating func take(_ outcome: BoundedOutput.Outcome) {
        if let trouble = outcome.trouble {
            hasWritten = hasWritten || lines[..<outcome.bytes].contains(UInt8(ascii: "\n"))
            lose(outcome.lostLines, trouble)
            return
        }
        hasWritten = true
        guard let episode, ContinuousClock.now - episode.latest >= Self.writeTimeout else { return }
        notice = .recovered(lines: episode.lines)
        self.episode = nil
    }

    private mutating func lose(_ count: Int, _ trouble: BoundedOutput.Trouble) {
        if episode == nil { notice = .lost(trouble) }
        self.trouble = trouble
        lostLines += count
        unreportedLines += count
        episode = Episode(lines: (episode?.lines ?? 0) + count, latest: .now)
    }

    /// Writes the lines of ``queue`` to the old file and continues in a new one, which starts with a line of its own.
    /// If both are the same file, it does nothing.
    ///
    /// - Parameter new: the new file; `nil` if it cannot be opened yet.
    /// - Returns: the number of lines lost.
    mutating func continueIn(
        _ new: BoundedOutput?, with event: LogEvent, until deadline: ContinuousClock.Instant
    ) -> Int {
        var new = new
        var lost = write(until: deadline)
        guard !isClosed else {
            _ = new?.close(until: .now)
            return lost
        }
        if let output, let other = new, output.isSameFile(as: other) {
            _ = new?.close(until: .now)
            return lost
        }
        if let unfinished = output?.close(until: episode == nil ? deadline : .now), unfinished > 0 {
            lose(unfinished, trouble ?? .notRead)
            lost += unfinished
        }
        output = new
        // Nothing was written that the new file would continue.
        guard hasWritten else { return lost }
        event.appendLine(at: WallClock.now(), to: &lines)
        return lost + write(until: deadline, isBeginning: true)
    }

    /// Writes the lines of ``queue`` and closes the file.
    ///
    /// - Returns: the number of lines lost.
    mutating func close(until deadline: ContinuousClock.Instant) -> Int {
        guard !isClosed else { return 0 }
        var lost = write(until: deadline)
        isClosed = true
        let deadline = episode == nil ? deadline : .now
        if output != nil { _ = reportLoss(until: deadline) }
        if let unfinished = output?.close(until: deadline), unfinished > 0 {
            lose(unfinished, trouble ?? .notRead)
            lost += unfinished
        }
        if let episode, episode.lines > 0 { notice = .ended(lines: episode.lines) }
        return lost
    }
}
