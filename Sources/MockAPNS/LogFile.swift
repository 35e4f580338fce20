import Logging
import MockAPNSCore
import SystemPackage

/// The file of `--log`: JSON lines, one write for each batch, before the batch's answers leave.
///
/// When it cannot be written (a full disk), the server says so once, counts the batches that are lost, and goes on
/// answering: the log is there to observe a provider, not to stop it.
final class LogFile: Sendable {
    private struct State {
        let descriptor: FileDescriptor
        var lines = LogLines(isKept: true)
        /// Whether lines wait for ``LogFile/release()``.
        var isHeld = false
        var hasFailed = false
        /// Whether the file may end in the middle of a line, because a write failed.
        var isTorn = false
    }

    private let name: String
    private let ownsDescriptor: Bool
    private let state: Guarded<State>
    private let logger: Logger

    /// Opens the file to append to it, or standard output.
    ///
    /// - Parameter isHeld: whether nothing is written before ``release()``.
    init(_ destination: LogDestination, isHeld: Bool, logger: Logger) throws(StartError) {
        self.logger = logger
        switch destination {
        case .standardOutput:
            name = "standard output"
            ownsDescriptor = false
            state = Guarded(State(descriptor: .standardOutput, isHeld: isHeld))
        case .file(let path):
            name = path.string
            ownsDescriptor = true
            do {
                let descriptor = try FileDescriptor.open(
                    path, .writeOnly, options: [.create, .append],
                    permissions: [.ownerReadWrite, .groupRead, .otherRead])
                state = Guarded(State(descriptor: descriptor, isHeld: isHeld))
            } catch {
                throw .unavailable("The log file \(path) cannot be opened (\(error)); choose another with --log.")
            }
        }
    }

    /// Writes the lines that the body appends, with one write. Called under the gateway's lock, so that the lines come in
    /// the order of the decisions.
    ///
    /// - Returns: what the body returns, and whether all could be written.
    func write<Result>(_ body: (inout LogLines) -> Result) -> (result: Result, isWritten: Bool) {
        state.withLock { state in
            let result = body(&state.lines)
            return (result, write(&state))
        }
    }

    /// Writes what was held, and from now on everything at once.
    ///
    /// - Returns: whether all could be written.
    func release() -> Bool {
        state.withLock { state in
            state.isHeld = false
            return write(&state)
        }
    }

    /// Closes the file. Lines are written as they come, so nothing is left to flush.
    func close() {
        guard ownsDescriptor else { return }
        state.withLock { state in try? state.descriptor.close() }
    }

    private func write(_ state: inout State) -> Bool {
        guard !state.lines.bytes.isEmpty, !state.isHeld else { return true }
        defer { state.lines.removeAll() }
        do {
            if state.isTorn { try state.descriptor.writeAll("\n".utf8) }
            state.isTorn = false
            try state.descriptor.writeAll(state.lines.bytes)
            return true
        } catch {
            state.isTorn = true
            if !state.hasFailed {
                state.hasFailed = true
                logger.error(
                    "The log cannot be written to \(name) (\(error)). Requests are answered as before, their lines are lost; the metric mock_apns_log_write_errors_total counts how often."
                )
            }
            return false
        }
    }
}
