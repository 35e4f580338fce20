/// The next event that becomes due if nothing changes until then.
package struct ScheduledEvent: Sendable, Hashable {
    /// The kind of event.
    package enum Kind: Sendable, Hashable {
        /// A stored push expires; `sequence` is its number in the log.
        case expiry(device: DeviceToken, sequence: Int)
        /// A device's token becomes invalid.
        case registration(device: DeviceToken)
        /// A timeline entry, by its index in the scenario.
        case timeline(entry: Int)
    }

    /// When the event is due on the scenario's clock.
    package var time: Timestamp
    /// The kind of event.
    package var kind: Kind
}

extension Gateway {
    /// Returns the next event on either clock; `nil` if there is none.
    package mutating func nextEvent() -> ScheduledEvent? {
        guard let (time, event) = scheduler.next(devices, mailboxes) else { return nil }
        let kind: ScheduledEvent.Kind =
            switch event {
            case .expiry(let device, let sequence): .expiry(device: devices.token(of: device), sequence: sequence)
            case .registration(let device): .registration(device: devices.token(of: device))
            case .entry(let number): .timeline(entry: number)
            }
        return ScheduledEvent(time: time, kind: kind)
    }
}
