import Logging

/// Names a session in each of its messages.
struct SessionLogHandler: LogHandler {
    private let session: String
    private var handler: any LogHandler

    /// Returns a server's logger for the messages of one of its sessions.
    static func logger(_ logger: Logger, of session: String) -> Logger {
        var own = Logger(label: logger.label) { _ in SessionLogHandler(session: session, handler: logger.handler) }
        own.logLevel = logger.logLevel
        return own
    }

    /// Returns the message of a session, with its name.
    static func message(_ text: String, of session: String) -> String { "Session \(session): \(text)" }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: Logging.LogEvent) {
        var event = event
        event.message = "\(Self.message(event.message.description, of: session))"
        handler.log(event: event)
    }
}
