/// A device as a scenario declares it: an element of `devices`.
package struct DeclaredDevice: Sendable {
    /// Whether a device's token stands for it, as somebody says who may mean the present.
    package enum Registration: Sendable, Hashable {
        case registered
        /// Not since that time, `nil` for the time at which this takes effect. For so long after it, in milliseconds,
        /// pushes are accepted in vain; then the answer is 410 Unregistered.
        case unregistered(at: Timestamp?, acceptFor: Int64)
        /// 410 ExpiredToken from that time on.
        case expired(at: Timestamp)

        /// What it means when it takes effect at a time.
        package func taken(at now: Timestamp) -> Device.Registration {
            switch self {
            case .registered: .registered
            case .unregistered(let time, let acceptFor): .unregistered(at: time ?? now, acceptFor: acceptFor)
            case .expired(let time): .expired(at: time)
            }
        }
    }

    /// What the scenario calls it.
    package var name: String?
    /// Its device token.
    package var token: DeviceToken
    /// The topics that its token is good for, exactly; none: every topic.
    package var topics: [String] = []
    /// Whether its token is one of the sandbox; `nil`: of the environment that is played.
    package var isSandbox: Bool?
    /// Whether it can be reached.
    package var isOnline = true
    /// Whether its token stands for it.
    package var registration = Registration.registered
    /// Whether the user lets the app show notifications.
    package var allowsNotifications = true
    /// Whether it spares its battery.
    package var savesPower = false
    /// How many pushes it takes; `nil`: any number.
    package var rate: PushRate?

    /// A device that is online and takes everything.
    package init(token: DeviceToken) { self.token = token }
}

/// What changes about a device, by the timeline, a step or the API; `nil` leaves as it is.
package struct DeviceChange: Sendable, Hashable {
    /// Whether it can be reached.
    package var isOnline: Bool?
    /// Whether its token stands for it.
    package var registration: DeclaredDevice.Registration?
    /// Whether the user lets the app show notifications.
    package var allowsNotifications: Bool?
    /// Whether it spares its battery.
    package var savesPower: Bool?

    /// Nothing changes.
    package init() {}
}
