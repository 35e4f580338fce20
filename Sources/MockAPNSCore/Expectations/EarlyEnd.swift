/// When and why expectations ended before the run did.
package struct EarlyEnd: Sendable, Hashable, CustomStringConvertible {
    /// The cause of an early end.
    package enum Cause: Sendable, Hashable {
        /// A reset, with the same scenario.
        case reset
        /// Another scenario.
        case replacement
        /// Another server that wrote to the same log.
        case start
    }

    /// The cause.
    package var cause: Cause
    /// The real time.
    package var time: Timestamp

    /// Creates an end.
    package init(cause: Cause, time: Timestamp) { (self.cause, self.time) = (cause, time) }

    /// For example `2026-11-21T10:00:00.123Z, when the scenario was reset`.
    package var description: String {
        switch cause {
        case .reset: "\(time.text), when the scenario was reset"
        case .replacement: "\(time.text), when another scenario replaced it"
        case .start: "\(time.text), when the server was started again"
        }
    }
}
