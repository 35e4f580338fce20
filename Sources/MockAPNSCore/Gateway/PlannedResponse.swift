/// The planned response to one push, if anything is not sent at once or not as APNs would send it.
///
/// It accompanies a ``Decision``. If ``delay`` is above 0, the server waits that long and then calls
/// ``Gateway/due(_:latencyMicroseconds:at:)``; if the stream is closed before that, it calls ``Gateway/abandon(_:as:at:)``
/// instead.
package final class PlannedResponse: Sendable {
    /// The plan to carry out.
    package let plan: ResponsePlan
    /// The sequence number of the push.
    package let sequence: Int
    /// The id of its connection.
    package let connection: Int
    /// Its stream.
    package let stream: UInt32
    /// Delay before the server does anything about the push, in milliseconds of real time; usually 0.
    package let delay: Int64
    /// The status and reason, for counting errors on the connection.
    let status: UInt16?
    let reason: Reason?
    /// The gateway's generation; after a reset, sequence numbers mean other records.
    let generation: Int

    /// Creates the response to a push from its script.
    ///
    /// - Parameter record: where the push is recorded.
    init(
        _ script: ScriptedPlan, to request: inout RequestContext, _ answer: Answer?,
        record: (sequence: Int, generation: Int)
    ) {
        plan = script.plan
        delay = script.delay
        (sequence, generation) = record
        connection = request.origin.id & Int(UInt32.max)
        stream = request.facts.streamID
        status = answer?.status
        reason = answer?.reason
    }
}
