import ArgumentParser
import Logging
import MockAPNS
import Synchronization
import SystemPackage

/// What the commands say to people: on standard error, so that standard output holds results only.
struct Messages {
    private let quiet: Bool
    private let heldBack: HeldBack?
    private let write: @Sendable (String) -> Void
    let logger: Logger

    /// - Parameters:
    ///   - isHeldBack: whether the logger's messages wait for ``release()``, because standard error is a wrapped command's
    ///     until then.
    ///   - waitsForReader: whether somebody who does not read standard error holds up whoever has something to say, for
    ///     as long as that lasts. A server has others to serve.
    init(_ options: ServerOptions? = nil, isHeldBack: Bool = false, waitsForReader: Bool = true) {
        quiet = options?.quiet ?? false
        let heldBack = isHeldBack ? HeldBack() : nil
        self.heldBack = heldBack
        let write: @Sendable (String) -> Void
        if waitsForReader {
            write = { Self.write($0) }
        } else {
            let errors = BoundedErrors()
            write = { errors.write($0) }
        }
        self.write = write
        var logger = Logger(label: "mock-apns") { _ in MessageHandler(heldBack: heldBack, write: write) }
        logger.logLevel = quiet ? .error : options?.verbose == true ? .debug : .notice
        self.logger = logger
    }

    /// Says what was held back, and holds nothing back any more.
    func release() { heldBack?.release() }

    /// A text for people, unless they asked for quiet.
    func say(_ text: String) {
        if !quiet { write(text) }
    }

    /// Says why it cannot go on; what to throw to end with the contract's exit code.
    func exit(_ error: StartError) -> ExitCode {
        write("mock-apns: \(error)")
        return switch error {
        case .malformed: ExitCode(65)
        case .unavailable: ExitCode(69)
        }
    }

    /// A result, on standard output.
    static func result(_ text: String) {
        _ = try? FileDescriptor.standardOutput.writeAll(Array((text + "\n").utf8))
    }

    /// A message, on standard error.
    static func write(_ text: String) {
        _ = try? FileDescriptor.standardError.writeAll(Array((text + "\n").utf8))
    }
}

/// Standard error where nobody waits for its reader longer than a second, once.
private final class BoundedErrors: Sendable {
    private struct State {
        var output = BoundedOutput(standard: .standardError)
        var isStuck = false
    }

    private let state = Mutex(State())

    func write(_ text: String) {
        state.withLock { state in
            let deadline = ContinuousClock.now + (state.isStuck ? .zero : .seconds(1))
            state.isStuck = state.output.write(Array((text + "\n").utf8), until: deadline).trouble != nil
        }
    }
}

/// Messages that wait; of very many the first.
private final class HeldBack: Sendable {
    private static let limit = 1000
    private let messages = Mutex<[String]?>([])

    /// Whether the message waits now.
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

/// One line a message, with its level where it is more than a notice.
private struct MessageHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice
    let heldBack: HeldBack?
    let write: @Sendable (String) -> Void

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let level = event.level >= .warning ? "\(event.level): " : ""
        let message = "mock-apns: \(level)\(event.message)"
        if heldBack?.take(message) != true { write(message) }
    }
}
