/// A device as a scenario declares it: an element of `devices`.
package struct DeclaredDevice: Sendable {
    /// The validity of a device token as declared, possibly relative to the present.
    package enum Registration: Sendable, Hashable {
        case registered
        /// Invalid since this time, or `nil` for the time this takes effect. For `acceptFor` milliseconds, pushes are
        /// still accepted and discarded; after that the answer is 410 Unregistered.
        case unregistered(at: Timestamp?, acceptFor: Int64)
        /// 410 ExpiredToken from this time on.
        case expired(at: Timestamp)

        /// Returns the registration if this takes effect at a given time.
        package func taken(at now: Timestamp) -> Device.Registration {
            switch self {
            case .registered: .registered
            case .unregistered(let time, let acceptFor): .unregistered(at: time ?? now, acceptFor: acceptFor)
            case .expired(let time): .expired(at: time)
            }
        }
    }

    /// The name in the scenario.
    package var name: String?
    /// The device token.
    package var token: DeviceToken
    /// The exact topics its token is valid for; empty means every topic.
    package var topics: [String] = []
    /// Whether its token belongs to the sandbox; `nil` means the environment of the server.
    package var isSandbox: Bool?
    /// Whether the device is online.
    package var isOnline = true
    /// Whether its token is valid.
    package var registration = Registration.registered
    /// What decides what the device does with a push that has reached it.
    package var phone = Phone()
    /// Whether the device saves power.
    package var savesPower = false
    /// The rate limit for pushes; `nil` means no limit.
    package var rate: PushRate?
    /// The push-to-start tokens, if its Live Activities have tokens of their own.
    package var startTokens: [StartToken] = []
    /// The Live Activities that the app has started.
    package var activities: [DeclaredActivity] = []

    /// Creates a device that is online and receives everything.
    package init(token: DeviceToken) { self.token = token }
}

/// A change to a device by the timeline, a step or the API; `nil` leaves a property unchanged.
package struct DeviceChange: Sendable, Hashable {
    /// Whether the device is online.
    package var isOnline: Bool?
    /// Whether its token is valid.
    package var registration: DeclaredDevice.Registration?
    /// The change of what decides what the device does with a push that has reached it.
    package var phone = PhoneChange()
    /// Whether the device saves power.
    package var savesPower: Bool?
    /// Whether the device gets a new token, as after a restore; the old one is unregistered.
    package var newToken = false
    /// The Live Activity that the app starts on a broadcast channel.
    package var subscribe: DeclaredActivity?
    /// The name or the id of the channel whose Live Activities the user dismisses.
    package var unsubscribe: String?
    /// The Live Activity with a token of its own that the app starts.
    package var startActivity: DeclaredActivity?
    /// The name or the update token of the Live Activity that the app ends.
    package var endActivity: String?
    /// The name or the update token of the Live Activity that the user dismisses.
    package var dismissActivity: String?

    /// Creates an empty change.
    package init() {}
}
