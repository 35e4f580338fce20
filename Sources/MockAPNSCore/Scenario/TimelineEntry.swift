/// Something that happens by itself: an element of `timeline`.
package struct TimelineEntry: Sendable {
    /// Delay after the scenario's start, or after ``after`` came true, in milliseconds of the scenario's clock.
    package var delay: Int64 = 0
    /// What has to come first; `nil`: the scenario's start.
    package var after: Requests?
    /// What happens, in this order; at least one.
    package var actions: [TimelineAction]

    /// Requests that are waited for.
    package struct Requests: Sendable {
        /// Which requests.
        package var match: MatchExpression
        /// How many of them, at least 1.
        package var count: Int
    }
}

/// What happens at a point of the timeline. A connection is named by its number; `nil` is all of them.
package enum TimelineAction: Sendable {
    /// A device, by its index in the scenario's list, changes.
    case device(Int, DeviceChange)
    /// GOAWAY frames.
    case goAway(GoAwayPlan, connection: Int?)
    /// The end of connections.
    case close(ConnectionAction.Ending, connection: Int?)
    /// SETTINGS with another limit of streams.
    case settings(StreamLimitChange, connection: Int?)
    /// The beginning of an outage.
    case outage(Outage)
    /// A key is revoked, or good again.
    case key(String, isRevoked: Bool)
    /// The manual clock moves on, by milliseconds.
    case advance(Int64)
}
