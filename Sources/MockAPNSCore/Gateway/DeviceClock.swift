/// What drives the devices' time: expiry, storage, the timeline, rates and outages.
package enum DeviceClock: Sendable, Hashable {
    /// The time of day.
    case real
    /// It stands still at that time until it is moved.
    case manual(Timestamp)

    /// The clock of a scenario that starts at a time.
    package init(_ clock: Scenario.Clock, startedAt start: Timestamp) {
        switch clock {
        case .real: self = .real
        case .manual(let time): self = .manual(time ?? start)
        }
    }

    /// What it shows at a time of day.
    package func time(at real: Timestamp) -> Timestamp {
        switch self {
        case .real: real
        case .manual(let time): time
        }
    }

    /// Whether it is moved by hand.
    package var isManual: Bool {
        switch self {
        case .real: false
        case .manual: true
        }
    }
}

/// Why a clock cannot be moved: it is the real one.
package struct ClockIsReal: Error, Sendable, CustomStringConvertible {
    /// The only reason that there is.
    package init() {}

    /// What to do about it.
    package var description: String {
        #"The clock is real and moves by itself; a scenario with "clock": {"manual": "now"} has one that can be moved."#
    }
}
