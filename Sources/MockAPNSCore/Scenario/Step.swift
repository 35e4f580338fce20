/// One step of a rule for pushes: an outcome with its options. An element of `then`.
package struct Step: Sendable {
    /// The outcome instead of the normal decision.
    package var outcome: PushOutcome
    /// The delay of the outcome in real time; `nil` for none.
    package var delay: Delay?
    /// How slowly the answer is sent; `nil` means all at once.
    package var drip: Drip?
    /// Whether the push is delivered although the answer is an error.
    package var deliver = false
    /// The value of `retry-after` in the answer, in seconds; `nil` for no such field.
    package var retryAfter: Int?
    /// SETTINGS sent before the answer.
    package var settings: StreamLimitChange?
    /// The change to the push's device after the decision.
    package var deviceChange: DeviceChange?

    /// Creates a step with this outcome and nothing else.
    package init(_ outcome: PushOutcome) { self.outcome = outcome }

    /// A delay.
    package enum Delay: Sendable, Hashable {
        /// A constant delay in milliseconds.
        case fixed(Int64)
        /// A uniform distribution between these values in milliseconds.
        case uniform(Int64, Int64)
        /// A log-normal distribution with this median and 99th percentile in milliseconds.
        case lognormal(median: Int64, p99: Int64)
    }

    /// A slow transmission of an answer, a few bytes at a time.
    package struct Drip: Sendable, Hashable {
        /// The number of bytes sent at a time, at least 1.
        package var bytes: Int
        /// The interval in milliseconds of real time, at least 1.
        package var every: Int64

        /// Creates a transmission of this many bytes per interval in milliseconds.
        package init(bytes: Int, every: Int64) {
            self.bytes = bytes
            self.every = every
        }
    }
}
