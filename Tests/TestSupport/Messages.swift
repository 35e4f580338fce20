package import Logging
import MockAPNS

/// What a server tells people.
package final class Messages: Sendable {
    private let texts = Guarded<[String]>([])

    package init() {}

    package var all: [String] { texts.withLock { $0 } }

    package var logger: Logger { Logger(label: "test") { _ in Handler(messages: self) } }

    private struct Handler: LogHandler {
        let messages: Messages
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { messages.texts.withLock { $0.append("\(event.message)") } }
    }
}
