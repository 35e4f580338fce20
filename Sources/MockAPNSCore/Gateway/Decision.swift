/// A decision about a request.
package struct Decision: Sendable {
    /// The answer to send; `nil` if none is sent now: the transport has handled the request, the connection accepts no more,
    /// it waits for the fleet or for another APNs, or a rule gives no answer.
    package var answer: Answer?
    /// A stream limit to announce with SETTINGS before the answer; `nil` leaves it unchanged.
    package var streamLimit: Int?
    /// Further actions on the connection, in order; usually none. ``ConnectionAction`` says what precedes the answer
    /// and what follows it.
    package var actions: [ConnectionAction] = []
    /// How the answer is sent, if a scenario delays or changes that; nearly always `nil`.
    package var response: PlannedResponse?
}
