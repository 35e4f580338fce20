/// Something that happens during a scenario: an element of `timeline`.
package struct TimelineEntry: Sendable {
    /// Delay after the scenario's start, or after ``after`` is met, in milliseconds of the scenario's clock.
    package var delay: Int64 = 0
    /// The requests to wait for first; `nil` means the scenario's start.
    package var after: Requests?
    /// The actions in order; at least one.
    package var actions: [TimelineAction]

    /// Creates an entry.
    package init(delay: Int64 = 0, after: Requests? = nil, actions: [TimelineAction]) {
        (self.delay, self.after, self.actions) = (delay, after, actions)
    }

    /// Requests to wait for.
    package struct Requests: Sendable {
        /// The requests.
        package var match: MatchExpression
        /// Their number, at least 1.
        package var count: Int

        /// Creates a condition on requests.
        package init(match: MatchExpression, count: Int) { (self.match, self.count) = (match, count) }
    }
}

/// An action of the timeline. Connections are given by number; `nil` means all.
package enum TimelineAction: Sendable {
    /// Changes a device, by its index in the scenario.
    case device(Int, DeviceChange)
    /// Sends GOAWAY frames.
    case goAway(GoAwayPlan, connection: Int?)
    /// Closes connections.
    case close(Ending, connection: Int?)
    /// Sends SETTINGS with another stream limit.
    case settings(StreamLimitChange, connection: Int?)
    /// Starts an outage.
    case outage(Outage)
    /// Revokes or restores a key.
    case key(String, isRevoked: Bool)
    /// Turns the broadcast capability of an app on or off.
    case broadcast(topic: String, isOn: Bool)
    /// Advances the manual clock by this many milliseconds.
    case advance(Int64)
}
