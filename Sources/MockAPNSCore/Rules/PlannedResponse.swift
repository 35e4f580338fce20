/// The response to one push by a plan, where something is sent in another way than at once and as APNs does.
///
/// It comes with a ``Decision``. When ``delay`` is above 0, the server waits for so long and then calls
/// ``Gateway/due(_:latencyMicroseconds:)``; if the stream is gone before, it calls ``Gateway/abandon(_:as:)`` instead.
package final class PlannedResponse: Sendable {
    /// What is done, and how.
    package let plan: ResponsePlan
    /// The number of the push's record.
    package let sequence: Int
    /// The id of its connection.
    package let connection: Int
    /// Its stream.
    package let stream: UInt32
    /// Delay before the server does anything about the push, in milliseconds of real time; mostly 0.
    package let delay: Int64
    /// The answer, as far as it counts as an error of the connection.
    let status: UInt16?
    let reason: Reason?
    /// Of which start of the gateway it is; after a reset, records have other numbers.
    let generation: Int

    /// The response to a push, by the script that was found for it.
    ///
    /// - Parameter record: where the push is recorded.
    init(
        _ script: Script, to request: inout RequestContext, _ answer: Answer?,
        record: (sequence: Int, generation: Int)
    ) {
        plan = script.plan
        delay = script.delay
        (sequence, generation) = record
        connection = request.origin.id
        stream = request.facts.streamID
        status = answer?.status
        reason = answer?.reason
    }
}

/// What is to be done when a delayed answer is due, beside sending it.
package struct DueAnswer: Sendable {
    /// What to do to the connection, as with a ``Decision``; also the reset of the stream instead of an answer.
    package var actions: [ConnectionAction]
    /// What changes in the record: to be written into the log's file, and told to whoever listens. `nil` after a reset,
    /// which has forgotten the record.
    package var change: RecordChange?
}

/// A change of a past record.
package struct RecordChange: Sendable {
    /// The record's number.
    package var sequence: Int
    /// What changes.
    package var update: RequestUpdate
}
