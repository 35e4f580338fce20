/// An action on a connection in addition to answering a request: decided by the gateway, or ordered by a scenario or
/// the API.
///
/// Actions are carried out in order. With an answer, ``settings(maxConcurrentStreams:for:)`` is sent before it, the
/// frames of ``goAway(_:then:by:)`` after it and after everything else that is ready, and the connection is closed last.
package enum ConnectionAction: Sendable, Equatable {
    /// Sends these GOAWAY frames in order.
    case goAway([GoAway], then: AfterGoAway, by: ClosedBy = .goAway)
    /// Closes the connection without GOAWAY.
    case close(Ending, by: ClosedBy)
    /// Sends SETTINGS with this stream limit, permanently or for a duration in milliseconds of real time. When the last
    /// of the durations since the last permanent limit has passed, the server calls ``Gateway/restoreStreamLimit(on:)``
    /// and announces the limit that it returns.
    case settings(maxConcurrentStreams: Int, for: Int64?)
    /// Sends RST_STREAM frames on the request's stream instead of an answer, one per error code.
    case resetStream([UInt32])
    /// Stops acknowledging PING frames, or starts again.
    case ignorePings(Bool)
}
