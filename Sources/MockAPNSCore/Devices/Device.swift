/// A device, or rather one app on one device: what a device token stands for.
package struct Device: Sendable {
    /// The topics that its token is good for, the first one first; none: every topic.
    package var topics: [TopicIndex]
    /// Whether its token is one of the sandbox; otherwise it is one of production.
    package var isSandbox: Bool
    /// Whether it can be reached now.
    package var isOnline = true
    /// Whether the user lets the app show notifications.
    package var allowsNotifications = true
    /// Whether it spares its battery.
    package var savesPower = false
    /// Whether its token still stands for it.
    package var registration = Registration.registered
    /// What the scenario calls it.
    package var name: String?
    /// How many pushes it takes; `nil`: any number.
    package var rate: PushRate?
    /// How many pushes have reached it.
    package internal(set) var received = 0
    /// Whether it came into being by a push to its token, not by the scenario or the API.
    package internal(set) var registeredItself = false

    /// A device that is online and takes everything.
    package init(topics: [TopicIndex], isSandbox: Bool = true) {
        self.topics = topics
        self.isSandbox = isSandbox
    }

    /// Whether, and until when, a token stands for its device.
    package enum Registration: Sendable, Hashable {
        case registered
        /// The app was removed at a time. For so long after it, in milliseconds, APNs goes on to accept pushes, and
        /// discards them; then it answers 410 Unregistered with that time.
        case unregistered(at: Timestamp, acceptFor: Int64)
        /// The token expired at a time: from then on, 410 ExpiredToken with it.
        case expired(at: Timestamp)

        /// What becomes of a push at a time.
        package func status(at now: Timestamp) -> RegistrationStatus {
            switch self {
            case .registered:
                return .registered
            case .unregistered(let time, let acceptFor):
                if now < time { return .registered }
                let (end, isBeyond) = time.milliseconds.addingReportingOverflow(acceptFor)
                return isBeyond || now.milliseconds < end ? .acceptedInVain : .refused(.unregistered, since: time)
            case .expired(let time):
                return now < time ? .registered : .refused(.expiredToken, since: time)
            }
        }
    }

    /// What a device's registration means for a push.
    package enum RegistrationStatus: Sendable, Hashable {
        case registered
        /// APNs does not yet know that the app is gone: 200, and the push is discarded.
        case acceptedInVain
        /// 410 with that reason, and that time as its `timestamp`.
        case refused(Reason, since: Timestamp)
    }
}

/// Maximum number of pushes in a period: those beyond are answered 429 TooManyRequests.
///
/// The period begins with the first push; when it is over, the next push begins another.
package struct PushRate: Sendable, Hashable {
    /// The number of pushes that are taken.
    package var allowed: Int
    /// The length of the time, in milliseconds.
    package var per: Int64

    private var start: Timestamp?
    private var count = 0

    /// A rate of which nothing has been used.
    package init(allowed: Int, per: Int64) {
        self.allowed = allowed
        self.per = per
    }

    /// Whether one more push is taken at a time; if it is, it counts.
    package mutating func take(at now: Timestamp) -> Bool {
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
