/// The next event that becomes due if nothing changes until then.
package struct ScheduledEvent: Sendable, Hashable {
    /// The kind of event.
    package enum Kind: Sendable, Hashable {
        /// A stored push expires; `sequence` is its number in the log.
        case expiry(device: DeviceToken, sequence: Int)
        /// A device's token becomes invalid.
        case registration(device: DeviceToken)
        /// A Live Activity ends, because its time is over.
        case endOfActivity(device: DeviceToken)
        /// A timeline entry, by its index in the scenario.
        case timeline(entry: Int)
        /// An outage ends; `rule` is the one that began it, if the timeline did not.
        case outage(reason: Reason, rule: String?)
    }

    /// When the event is due on the scenario's clock.
    package var time: Timestamp
    /// The kind of event.
    package var kind: Kind
}

extension Gateway {
    /// Returns the next event on either clock; `nil` if there is none.
    ///
    /// - Parameter now: the time on the scenario's clock.
    package mutating func nextEvent(at now: Timestamp) -> ScheduledEvent? {
        // The first one ends first.
        let outage = outages.summaries(at: now).first.map { outage in
            ScheduledEvent(time: outage.until, kind: .outage(reason: outage.reason, rule: outage.rule))
        }
        guard let event = nextScheduled(), outage.map({ event.time <= $0.time }) ?? true else { return outage }
        return event
    }

    private mutating func nextScheduled() -> ScheduledEvent? {
        guard let (time, event) = scheduler.next(state) else { return nil }
        let kind: ScheduledEvent.Kind =
            switch event {
            case .expiry(let device, let sequence): .expiry(device: state.devices.token(of: device), sequence: sequence)
            case .registration(let device): .registration(device: state.devices.token(of: device))
            case .endOfActivity(let device): .endOfActivity(device: state.devices.token(of: device))
            case .entry(let number): .timeline(entry: number)
            }
        return ScheduledEvent(time: time, kind: kind)
    }
}
