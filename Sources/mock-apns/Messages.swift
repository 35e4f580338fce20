import ArgumentParser
import Logging
import MockAPNS
import SystemPackage

/// What the commands say to people: on standard error, so that standard output holds results only.
struct Messages {
    private let quiet: Bool
    let logger: Logger

    init(_ options: ServerOptions? = nil) {
        quiet = options?.quiet ?? false
        var logger = Logger(label: "mock-apns") { _ in MessageHandler() }
        logger.logLevel = quiet ? .error : options?.verbose == true ? .debug : .notice
        self.logger = logger
    }

    /// A text for people, unless they asked for quiet.
    func say(_ text: String) {
        if !quiet { Self.write(text) }
    }

    /// Says why it cannot go on; what to throw to end with the contract's exit code.
    func exit(_ error: StartError) -> ExitCode {
        Self.write("mock-apns: \(error)")
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

/// One line a message, with its level where it is more than a notice.
private struct MessageHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let level = event.level >= .warning ? "\(event.level): " : ""
        Messages.write("mock-apns: \(level)\(event.message)")
    }
}
