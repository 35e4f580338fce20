/// The outcome of a step for a push.
package enum PushOutcome: Sendable {
    /// The normal decision.
    case pass
    /// An answer with this reason; status and timestamp are Apple's unless given.
    case reject(Reason, status: Int? = nil, timestamp: Timestamp? = nil)
    /// This answer.
    case respond(ScriptedAnswer)
    /// No answer, ever; the stream stays open.
    case stall
    /// RST_STREAM frames with these error codes, at least one.
    case resetStream([UInt32])
    /// GOAWAY frames.
    case goAway(GoAwayPlan)
    /// The connection is closed in this way.
    case close(Ending)
    /// The start of an outage.
    case outage(Outage)
    /// The normal decision, sent in an unusual way.
    case hostile(Hostility)
}

/// An answer defined by a scenario.
package struct ScriptedAnswer: Sendable, Hashable {
    /// A header field.
    package struct Field: Sendable, Hashable {
        /// The name in lower case.
        package var name: String
        /// The value.
        package var value: String

        /// Creates a field.
        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    /// The HTTP status, 200 to 599.
    package var status: Int
    /// The header fields in the order of the file.
    package var fields: [Field] = []
    /// The body; `nil` for none.
    package var body: [UInt8]?

    /// Creates an answer with this status and nothing else.
    package init(status: Int) { self.status = status }
}

/// A period in which every push gets the same reason.
package struct Outage: Sendable, Hashable {
    /// The reason.
    package var reason: Reason
    /// The duration in milliseconds of the scenario's clock.
    package var duration: Int64

    /// Creates an outage.
    package init(reason: Reason, duration: Int64) {
        self.reason = reason
        self.duration = duration
    }
}

/// A change of the stream limit.
package struct StreamLimitChange: Sendable, Hashable {
    /// The new limit.
    package var maxConcurrentStreams: Int
    /// Milliseconds of real time after which the old limit is restored; `nil` means never.
    package var duration: Int64?

    /// Creates a change.
    package init(maxConcurrentStreams: Int, duration: Int64? = nil) {
        self.maxConcurrentStreams = maxConcurrentStreams
        self.duration = duration
    }
}
