import MockAPNSTransport
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file, pipe or terminal for lines that never blocks its writer beyond a deadline.
///
/// A pipe, terminal or socket accepts as much as it has room for; a regular file accepts everything or fails. The rest
/// of a partially accepted line is kept and written before anything else, so that every line is complete.
package struct BoundedOutput: Sendable {
    /// Why lines were not written.
    package enum Trouble: Sendable, Hashable, CustomStringConvertible {
        /// The FIFO is not open for reading.
        case noReader
        /// The reader has not made room in time.
        case notRead
        /// The system's error.
        case failed(Errno)

        package var description: String {
            switch self {
            case .noReader, .failed(.brokenPipe): "it is not read"
            case .notRead: "its reader does not read"
            case .failed(let error): "\(error)"
            }
        }
    }

    /// The result of writing lines.
    package struct Outcome: Sendable {
        /// Number of bytes accepted.
        package var bytes = 0
        /// Number of lines that will never be written.
        package var lostLines = 0
        /// Why not everything was accepted.
        package var trouble: Trouble?
    }

    private let descriptor: FileDescriptor
    private let isOwn: Bool
    /// The identity of the file, to recognize it later.
    private let file: (device: DeviceID, inode: Inode)?
    /// Whether a write may block, so that it first has to check for room.
    private let needsRoom: Bool
    /// Whether the last line in the file is incomplete.
    private var isTorn = false
    /// The rest of a partially accepted line.
    private var unfinished: [UInt8] = []

    /// Number of bytes that a pipe with any room accepts at once.
    private static let pieceLength = Int(PIPE_BUF)

    // MARK: Opening

    /// Opens a file for appending, creating it if missing. Anything but a regular file is opened without waiting for
    /// its other end: a FIFO without a reader fails with ENXIO.
    package init(path: FilePath) throws(Errno) {
        let descriptor: FileDescriptor
        do { descriptor = try Self.open(path) } catch { throw error as? Errno ?? .ioError }
        self.init(descriptor, isOwn: true)
        if let stat = try? descriptor.stat(), stat.type == .regular, stat.size > 0 {
            isTorn = Self.byte(at: stat.size - 1, of: path) != UInt8(ascii: "\n")
        }
    }

    /// Writes to standard output or standard error.
    ///
    /// The open file is shared with other processes, which would not expect it to be nonblocking. So on Linux the same
    /// pipe or terminal is opened again; elsewhere, and where that fails, each piece first checks for room.
    package init(standard descriptor: FileDescriptor) {
        #if os(Linux)
        if (try? descriptor.stat())?.type != .regular,
            let own = try? FileDescriptor.open(
                FilePath("/proc/self/fd/\(descriptor.rawValue)"), .writeOnly,
                options: [.nonBlocking, .closeOnExec, FileDescriptor.OpenOptions(rawValue: O_NOCTTY)])
        {
            self.init(own, isOwn: true)
            return
        }
        #endif
        self.init(descriptor, isOwn: false)
    }

    private init(_ descriptor: FileDescriptor, isOwn: Bool) {
        self.descriptor = descriptor
        self.isOwn = isOwn
        let stat = try? descriptor.stat()
        file = stat.map { ($0.deviceID, $0.inode) }
        needsRoom = stat?.type != .regular && fcntl(descriptor.rawValue, F_GETFL) & O_NONBLOCK == 0
    }

    private static func open(_ path: FilePath) throws -> FileDescriptor {
        let options: FileDescriptor.OpenOptions = [.append, .nonBlocking, .closeOnExec]
        do {
            // For an existing FIFO, some systems do not let every user pass O_CREAT.
            return try FileDescriptor.open(path, .writeOnly, options: options)
        } catch Errno.noSuchFileOrDirectory {
            return try FileDescriptor.open(
                path, .writeOnly, options: options.union(.create),
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        }
    }

    private static func byte(at offset: Int64, of path: FilePath) -> UInt8? {
        guard let reading = try? FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec]) else {
            return nil
        }
        defer { try? reading.close() }
        return DescriptorAccess.byte(at: offset, of: reading.rawValue)
    }

    /// Returns whether both are the same file.
    package func isSameFile(as other: BoundedOutput) -> Bool {
        guard let file, let other = other.file else { return false }
        return file == other
    }

    // MARK: Writing

    /// Writes complete lines, each ending with a line feed. Lines not accepted in time are lost.
    package mutating func write(_ lines: [UInt8], until deadline: ContinuousClock.Instant) -> Outcome {
        var outcome = Outcome()
        if finishLine(until: deadline, &outcome) { outcome.bytes = put(lines.span, until: deadline, &outcome) }
        guard outcome.bytes < lines.count else { return outcome }
        var lost = outcome.bytes
        if lost > 0, lines[lost - 1] != UInt8(ascii: "\n") {
            // The rest of a partially written line.
            let end = lines[lost...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? lines.count
            unfinished = Array(lines[lost..<end])
            lost = end
        }
        outcome.lostLines += lines[lost...].count { $0 == UInt8(ascii: "\n") }
        // A later reader has not seen the beginning of the line.
        if outcome.trouble == .failed(.brokenPipe) { outcome.lostLines += dropUnfinishedLine() }
        return outcome
    }

    /// Writes the rest of the previous line, and ends an incomplete one found in the file.
    ///
    /// - Returns: whether the next line can start.
    private mutating func finishLine(until deadline: ContinuousClock.Instant, _ outcome: inout Outcome) -> Bool {
        if isTorn {
            guard put([UInt8(ascii: "\n")].span, until: deadline, &outcome) == 1 else { return false }
            isTorn = false
        }
        if !unfinished.isEmpty {
            let count = put(unfinished.span, until: deadline, &outcome)
            unfinished.removeFirst(count)
        }
        return unfinished.isEmpty
    }

    private mutating func dropUnfinishedLine() -> Int {
        defer { unfinished = [] }
        return unfinished.isEmpty ? 0 : 1
    }

    /// Writes as much as is accepted; returns the number of bytes.
    private func put(_ bytes: Span<UInt8>, until deadline: ContinuousClock.Instant, _ outcome: inout Outcome) -> Int {
        var done = 0
        while done < bytes.count {
            if needsRoom, !hasRoom(until: deadline) {
                outcome.trouble = .notRead
                break
            }
            let end = needsRoom ? min(bytes.count, done + Self.pieceLength) : bytes.count
            switch DescriptorAccess.write(bytes.extracting(done..<end), to: descriptor.rawValue) {
            case .bytes(0): outcome.trouble = .failed(.ioError)
            case .bytes(let count): done += count
            case .failed(EINTR): continue
            case .failed(EAGAIN):
                if !hasRoom(until: deadline) || ContinuousClock.now >= deadline { outcome.trouble = .notRead }
            case .failed(let number): outcome.trouble = .failed(Errno(rawValue: number))
            }
            if outcome.trouble != nil { break }
        }
        return done
    }

    private func hasRoom(until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let left = max(.zero, deadline - .now)
            // Rounded up, to avoid busy waiting in the last millisecond.
            let milliseconds = Int32(left / .milliseconds(1)) + (left > .zero ? 1 : 0)
            if DescriptorAccess.isWritable(descriptor.rawValue, within: milliseconds) { return true }
            if left == .zero { return false }
        }
    }

    // MARK: Closing

    /// Writes the rest of a line, and closes the file if this opened it.
    ///
    /// - Returns: the number of lines lost by that, 0 or 1.
    package mutating func close(until deadline: ContinuousClock.Instant) -> Int {
        var outcome = Outcome()
        if !unfinished.isEmpty { _ = finishLine(until: deadline, &outcome) }
        if isOwn { try? descriptor.close() }
        return dropUnfinishedLine()
    }
}
