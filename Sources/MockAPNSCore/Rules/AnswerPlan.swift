/// How the answer to a push is sent, where a scenario has something sent in another way than at once and as APNs does.
///
/// It comes with a ``Decision``. When ``delay`` is above 0, the server waits for so long and then calls
/// ``Gateway/due(_:latencyMicroseconds:)``; if the stream is gone before, it calls ``Gateway/abandon(_:as:)`` instead.
public final class AnswerPlan: Sendable {
    /// The number of the push's record.
    public let sequence: Int
    /// The number of its connection.
    public let connection: Int
    /// Its stream.
    public let stream: UInt32
    /// So long the server waits before it does anything about the push, in milliseconds of real time; mostly 0.
    public let delay: Int64
    /// How the bytes of the answer are dealt out; `nil`: all at once.
    public let drip: Step.Drip?
    /// In which unusual way the answer is sent; `nil`: in the usual one.
    public let hostility: Hostility?
    /// The value of `retry-after`, in seconds, to be added to the answer; `nil`: no such field.
    public let retryAfter: Int?
    /// The whole answer, its fields and body, in place of what the decision's ``Answer`` says: not even `apns-id` is
    /// added to it, but ``retryAfter`` is. `nil`: as the decision says.
    public let response: ScriptedAnswer?

    /// What is done when the delay has passed; empty without a delay, since it was then done at once.
    let later: Later
    /// Of which start of the gateway it is; after a reset, records have other numbers.
    let generation: Int

    /// What a delayed push does to its connection.
    struct Later: Sendable {
        var settings: StreamLimitChange?
        var outcome = Outcome.responded
        var goAway: GoAwayPlan?
        var close: ConnectionAction.Ending?
        var resetCodes: [UInt32] = []
        /// The answer, as far as it counts as an error of the connection.
        var status: UInt16?
        var reason: Reason?
    }

    init(
        _ step: Step, sequence: Int, connection: Int, stream: UInt32, delay: Int64, later: Later, generation: Int
    ) {
        self.sequence = sequence
        self.connection = connection
        self.stream = stream
        self.delay = delay
        drip = step.drip
        retryAfter = step.retryAfter
        hostility = if case .hostile(let hostility) = step.outcome { hostility } else { nil }
        response = if case .respond(let response) = step.outcome { response } else { nil }
        self.later = later
        self.generation = generation
    }

    /// Whether a step needs one.
    static func isNeeded(for step: Step, delay: Int64) -> Bool {
        if delay > 0 || step.drip != nil || step.retryAfter != nil { return true }
        switch step.outcome {
        case .hostile, .respond: return true
        default: return false
        }
    }
}

/// What is to be done when a delayed answer is due, beside sending it.
public struct DueAnswer: Sendable {
    /// What to do to the connection, as with a ``Decision``; also the reset of the stream in place of an answer.
    public var actions: [ConnectionAction]
    /// What changes in the record: to be written into the log's file, and told to whoever listens. `nil` after a reset,
    /// which has forgotten the record.
    public var change: RecordChange?
}

/// A change of a past record.
public struct RecordChange: Sendable {
    /// The record's number.
    public var sequence: Int
    /// What changes.
    public var update: RequestUpdate
}
