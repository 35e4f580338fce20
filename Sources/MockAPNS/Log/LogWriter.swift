import MockAPNSCore
import SystemPackage

/// Makes the log's lines and writes them, and keeps the account of those that were lost.
///
/// From the first line that is lost until none was for a second, nothing waits: a reader that is slow for good costs one
/// second, not one for each push.
struct LogWriter: Sendable {
    /// What people have to be told, once each.
    enum Notice: Sendable, Hashable {
        /// From now on lines are lost.
        case lost(BoundedOutput.Trouble)
        /// The log is written again, and so many lines are missing.
        case recovered(lines: Int)
        /// The log has ended with so many lines missing.
        case ended(lines: Int)
    }

    private struct Episode {
        var lines = 0
        var latest: ContinuousClock.Instant
    }

    /// What the next lines tell of.
    var queue = LineQueue()
    /// The lines to be written next.
    private var lines: [UInt8] = []
    private var records = RecordWriter()
    /// How many lines were lost so far.
    private(set) var lostLines = 0
    /// Why the latest were.
    private(set) var trouble: BoundedOutput.Trouble?
    /// Whether a line was written.
    private(set) var hasWritten = false

    /// `nil` as long as it cannot be opened, which is so for a FIFO without a reader.
    private var output: BoundedOutput?
    private let path: FilePath?
    private var isClosed = false
    private var episode: Episode?
    /// How many lines are missing where the log goes on.
    private var unreportedLines = 0
    private var notice: Notice?

    init(_ output: BoundedOutput?, path: FilePath?) { (self.output, self.path) = (output, path) }

    /// What people have to be told since the last call.
    mutating func takeNotice() -> Notice? {
        defer { notice = nil }
        return notice
    }

    /// Writes the lines of ``queue``.
    ///
    /// - Parameter session: the name of the session whose lines they are; `nil` for the server's own.
    /// - Returns: how many lines were lost.
    mutating func write(until deadline: ContinuousClock.Instant, of session: String? = nil) -> Int {
        guard !queue.isEmpty else { return 0 }
        queue.writeLines(using: &records, to: &lines)
        if let session { nameSession(session) }
        return write(until: deadline, isBeginning: false)
    }

    /// Adds the member `session` to each of the lines.
    private mutating func nameSession(_ session: String) {
        var named: [UInt8] = []
        named.reserveCapacity(lines.count + lines.count / 8)
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            named += line.dropLast()
            named += #","session":"\#(session)"}"#.utf8
            named.append(UInt8(ascii: "\n"))
        }
        lines = named
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
        LogFileEvent.lost(lines: unreportedLines).appendLine(at: WallClock.now(), to: &line)
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
        guard let episode, ContinuousClock.now - episode.latest >= LogFile.patience else { return }
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

    /// Writes the lines of ``queue`` to the file of before and goes on in another, which begins with a line of its own. When both are the
    /// same, nothing happens.
    ///
    /// - Parameter new: the other file; `nil` when it cannot be opened yet.
    /// - Returns: how many lines were lost.
    mutating func continueIn(
        _ new: BoundedOutput?, with event: LogFileEvent, until deadline: ContinuousClock.Instant
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
        // Nothing was told yet that would go on.
        guard hasWritten else { return lost }
        event.appendLine(at: WallClock.now(), to: &lines)
        return lost + write(until: deadline, isBeginning: true)
    }

    /// Writes the lines of ``queue``, and closes the file.
    ///
    /// - Returns: how many lines were lost.
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
