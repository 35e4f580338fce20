/// One step of a rule on pushes: an outcome, and what goes with it. An element of `then`.
package struct Step: Sendable {
    /// What happens instead of the normal decision.
    package var outcome: PushOutcome
    /// How long the outcome waits, in real time; `nil`: not at all.
    package var delay: Delay?
    /// Whether the answer's bytes come in drops; `nil`: in one piece.
    package var drip: Drip?
    /// Whether the push is taken and delivered although the answer is a failure.
    package var deliver = false
    /// The value of `retry-after` in the answer, in seconds; `nil`: no such field.
    package var retryAfter: Int?
    /// SETTINGS that are sent before the answer.
    package var settings: StreamLimitChange?
    /// What changes about the device of the push, after it was decided.
    package var deviceChange: DeviceChange?

    /// A step with that outcome and nothing else.
    package init(_ outcome: PushOutcome) { self.outcome = outcome }

    /// How long something waits.
    package enum Delay: Sendable, Hashable {
        /// Always this, in milliseconds.
        case fixed(Int64)
        /// Between these, in milliseconds, each as likely.
        case uniform(Int64, Int64)
        /// By a log-normal distribution with this median and this 99th percentile, in milliseconds.
        case lognormal(median: Int64, p99: Int64)
    }

    /// An answer that comes in drops.
    package struct Drip: Sendable, Hashable {
        /// The bytes of a drop, at least 1.
        package var bytes: Int
        /// The time between two, in milliseconds of real time, at least 1.
        package var every: Int64

        /// This many bytes in each interval, which is in milliseconds.
        package init(bytes: Int, every: Int64) {
            self.bytes = bytes
            self.every = every
        }
    }
}
