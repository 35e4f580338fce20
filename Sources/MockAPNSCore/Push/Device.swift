/// A device, or more precisely an app on a device: what a device token stands for.
package struct Device: Sendable {
    /// The topics its token is valid for, the first one first; empty means every topic.
    package var topics: [TopicIndex]
    /// Whether its token belongs to the sandbox; otherwise to production.
    package var isSandbox: Bool
    /// Whether the device is online.
    package var isOnline = true
    /// What decides what the device does with a push that has reached it.
    package var phone = Phone()
    /// Whether the device saves power.
    package var savesPower = false
    /// Whether its token is still valid.
    package var registration = Registration.registered
    /// The name in the scenario.
    package var name: String?
    /// The rate limit for pushes; `nil` means no limit.
    package var rate: PushRate?
    /// The number of pushes that have reached the device.
    package internal(set) var received = 0
    /// Whether the device was registered by a push to its token, not declared by the scenario or the API.
    package internal(set) var registeredItself = false

    /// Creates a device that is online and receives everything.
    package init(topics: [TopicIndex], isSandbox: Bool = true) {
        self.topics = topics
        self.isSandbox = isSandbox
    }

    /// Whether the user allows notifications of the app.
    package var allowsNotifications: Bool {
        get { phone.allowsNotifications }
        set { phone.allowsNotifications = newValue }
    }

    /// The validity of a device token.
    package enum Registration: Sendable, Hashable {
        case registered
        /// The app was removed at this time. For `acceptFor` milliseconds APNs still accepts pushes and discards them;
        /// after that it answers 410 Unregistered with this time.
        case unregistered(at: Timestamp, acceptFor: Int64)
        /// The token expired at this time: from then on, 410 ExpiredToken with this time.
        case expired(at: Timestamp)

        /// When the state takes effect; `nil` for a registered device.
        var beginning: Timestamp? {
            switch self {
            case .registered: nil
            case .unregistered(let time, _), .expired(let time): time
            }
        }

        /// Returns when the app was removed; `nil` if it is on the device at a given time.
        func removal(by now: Timestamp) -> Timestamp? {
            guard case .unregistered(let time, _) = self, time <= now else { return nil }
            return time
        }

        /// Returns what happens to a push at a given time.
        package func status(at now: Timestamp) -> RegistrationStatus {
            switch self {
            case .registered:
                return .registered
            case .unregistered(let time, let acceptFor):
                if now < time { return .registered }
                let (end, isBeyond) = time.milliseconds.addingReportingOverflow(acceptFor)
                return isBeyond || now.milliseconds < end
                    ? .acceptedThenDiscarded : .refused(.unregistered, since: time)
            case .expired(let time):
                return now < time ? .registered : .refused(.expiredToken, since: time)
            }
        }
    }

    /// The effect of a device's registration on a push.
    package enum RegistrationStatus: Sendable, Hashable {
        case registered
        /// APNs does not know yet that the app was removed: 200, and the push is discarded.
        case acceptedThenDiscarded
        /// 410 with this reason, and this time as its `timestamp`.
        case refused(Reason, since: Timestamp)
    }
}

/// Maximum number of pushes per period; further ones get 429 TooManyRequests.
///
/// A period starts with its first push. After it has ended, the next push starts another.
package struct PushRate: Sendable, Hashable {
    /// The number of pushes accepted per period.
    package var allowed: Int
    /// The length of the period in milliseconds.
    package var per: Int64

    private var start: Timestamp?
    /// When the present period ends; `nil` before the first push.
    var end: Timestamp? { start?.advanced(by: per) }
    private var count = 0

    /// Creates a rate limit with no pushes counted.
    package init(allowed: Int, per: Int64) {
        self.allowed = allowed
        self.per = per
    }

    /// Returns whether another push is within the limit, and counts it if so.
    package mutating func admit(at now: Timestamp) -> Bool {
        if let start, now >= start, now.milliseconds - start.milliseconds < per {
            guard count < allowed else { return false }
        } else {
            start = now
            count = 0
            guard allowed > 0 else { return false }
        }
        count += 1
        return true
    }
}
