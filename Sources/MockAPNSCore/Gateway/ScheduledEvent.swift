/// What will happen next by itself, when nothing changes until then.
package struct ScheduledEvent: Sendable, Hashable {
    /// What happens.
    package enum Kind: Sendable, Hashable {
        /// A push that is stored for a device expires; its number in the log.
        case expiry(device: DeviceToken, sequence: Int)
        /// A device's token ceases to stand for it.
        case registration(device: DeviceToken)
        /// An entry of the scenario's timeline, by its index in the list.
        case timeline(entry: Int)
    }

    /// When, by the scenario's clock.
    package var time: Timestamp
    /// What happens.
    package var kind: Kind
}

extension Gateway {
    /// What is due next, on either clock; `nil` when nothing is.
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
