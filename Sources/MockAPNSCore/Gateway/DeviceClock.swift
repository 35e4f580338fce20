/// The clock that drives device time: expiration, store-and-forward, the timeline, rates and outages.
package enum DeviceClock: Sendable, Hashable {
    /// The time of day.
    case real
    /// The time of day, where the replicas of a fleet have one order.
    case fleet(FleetClock)
    /// A clock that stands still at this time until it is moved.
    case manual(Timestamp)

    /// Creates the clock of a scenario that starts at `start`.
    package init(_ clock: Scenario.Clock, startedAt start: Timestamp) {
        switch clock {
        case .real: self = .real
        case .manual(let time): self = .manual(time ?? start)
        }
    }

    /// Returns the time this clock shows at a real time.
    package func time(at real: Timestamp) -> Timestamp {
        switch self {
        case .real: real
        case .fleet(let clock): clock.time(at: real)
        case .manual(let time): time
        }
    }

    /// Whether the clock is moved by hand.
    package var isManual: Bool {
        switch self {
        case .real, .fleet: false
        case .manual: true
        }
    }
}

/// The error for moving a clock that is the real one.
package struct ClockIsReal: Error, Sendable, CustomStringConvertible {
    /// Creates the error.
    package init() {}

    /// The problem and its remedy.
    package var description: String {
        #"The clock is real and moves by itself; a scenario with "clock": {"manual": "now"} has one that can be moved."#
    }
}
