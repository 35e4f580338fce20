import ArgumentParser
import Logging
import MockAPNS
import MockAPNSCore
import SystemPackage

/// The messages of the commands. They go to standard error, so that standard output contains only results.
///
/// Both show no control character of text from outside: see `PrintableText`.
struct Messages {
    private let quiet: Bool
    private let heldBack: HeldMessages?
    private let output: @Sendable (String) -> Void
    let logger: Logger

    /// - Parameters:
    ///   - quiet: whether only errors are printed.
    ///   - verbose: whether more is printed.
    ///   - isHeldBack: whether the logger's messages wait for ``release()``, because standard error belongs to a
    ///     wrapped command until then.
    ///   - waitsForReader: whether writing a message blocks until standard error is read. A server must not
    ///     wait, as it has others to serve.
    init(quiet: Bool = false, verbose: Bool = false, isHeldBack: Bool = false, waitsForReader: Bool = true) {
        self.quiet = quiet
        let heldBack = isHeldBack ? HeldMessages() : nil
        self.heldBack = heldBack
        let output: @Sendable (String) -> Void
        if waitsForReader {
            output = { Self.put($0) }
        } else {
            let errors = BoundedErrors()
            output = { errors.write($0) }
        }
        self.output = output
        var logger = Logger(label: "mock-apns") { _ in MessageHandler(heldBack: heldBack, output: output) }
        logger.logLevel = quiet ? .error : verbose ? .debug : .notice
        self.logger = logger
    }

    /// Writes the messages held back so far, and holds back no more.
    func release() { heldBack?.release() }

    /// Writes a message of one line, unless `--quiet` was given.
    func say(_ line: String) {
        if !quiet { output(PrintableText.line(line)) }
    }

    /// Writes a text of several lines, unless `--quiet` was given.
    func say(block text: String) {
        if !quiet { output(PrintableText.block(text)) }
    }

    /// Writes an error message, and returns the exit code to throw.
    func exit(_ error: StartError) -> ExitCode {
        output(error.lines.map { PrintableText.line("mock-apns: \($0)") }.joined(separator: "\n"))
        return switch error {
        case .malformed, .mistakes: ExitCode(65)
        case .unavailable: ExitCode(69)
        }
    }

    /// Writes a result of one line to standard output.
    @discardableResult
    static func result(_ line: String) -> Bool { result(json: PrintableText.line(line)) }

    /// Writes a result of several lines to standard output.
    @discardableResult
    static func result(block text: String) -> Bool { result(json: PrintableText.block(text)) }

    /// Writes a result for programs to standard output; JSON has escapes of its own. Returns whether that was possible.
    @discardableResult
    static func result(json: String) -> Bool {
        (try? FileDescriptor.standardOutput.writeAll(Array((json + "\n").utf8))) != nil
    }

    /// Writes a message of one line to standard error.
    static func write(_ line: String) { put(PrintableText.line(line)) }

    /// Writes a text of several lines to standard error.
    static func write(block text: String) { put(PrintableText.block(text)) }

    private static func put(_ text: String) {
        _ = try? FileDescriptor.standardError.writeAll(Array((text + "\n").utf8))
    }
}

/// Standard error that waits for its reader at most one second, and only once.
private final class BoundedErrors: Sendable {
    private struct State {
        var output = BoundedOutput(standard: .standardError)
        var isStuck = false
    }

    private let state = Guarded(State())

    func write(_ text: String) {
        state.withLock { state in
            let deadline = ContinuousClock.now + (state.isStuck ? .zero : .seconds(1))
            state.isStuck = state.output.write(Array((text + "\n").utf8), until: deadline).trouble != nil
        }
    }
}

/// Messages held back; beyond a limit, later ones are dropped.
private final class HeldMessages: Sendable {
    private static let limit = 1000
    private let messages = Guarded<[String]?>([])

    /// Holds a message back; returns whether it did.
    func take(_ message: String) -> Bool {
        messages.withLock { messages in
            guard let count = messages?.count else { return false }
            if count < Self.limit { messages?.append(message) }
            return true
        }
    }

    func release() {
        let waiting = messages.withLock { messages in
            defer { messages = nil }
            return messages ?? []
        }
        for message in waiting { Messages.write(message) }
    }
}

/// Writes one line per message, with the level if it is above notice.
private struct MessageHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice
    let heldBack: HeldMessages?
    let output: @Sendable (String) -> Void

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: Logging.LogEvent) {
        let level = event.level >= .warning ? "\(event.level): " : ""
        let message = PrintableText.line("mock-apns: \(level)\(event.message)")
        if heldBack?.take(message) != true { output(message) }
    }
}
