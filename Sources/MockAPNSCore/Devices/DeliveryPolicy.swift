/// Decides what happens to an accepted push, given the state of its device.
///
/// The order of the questions follows
/// [Viewing the status of push notifications using Metrics and APNs](https://developer.apple.com/documentation/usernotifications/viewing-the-status-of-push-notifications-using-metrics-and-apns):
/// Is the token registered, and are notifications allowed? Is the device online? Is it saving power? Has the push
/// expired?
package enum DeliveryPolicy {
    /// APNs stores a push for at most 30 days.
    static let longestStorage: Int64 = 30 * 86_400_000

    /// The state of a device that matters for delivery.
    struct Conditions: Sendable, Hashable {
        var isRegistered = true
        var allowsNotifications = true
        var isOnline = true
        var savesPower = false

        /// The state as it is for a push that may change this part of the screen: notifications that are switched off keep
        /// away what would show something, and nothing else.
        func facing(_ part: ScreenPart, _ payload: Span<UInt8>) -> Self {
            var conditions = self
            if !allowsNotifications, part != .notifications || !NotificationContent(payload).showsSomething {
                conditions.allowsNotifications = true
            }
            return conditions
        }
    }

    /// Returns what happens to a new push.
    ///
    /// - Parameters:
    ///   - priority: the priority sent, or 10.
    ///   - isWorthStoring: whether it has not expired. An expired push is tried once, and is not stored.
    static func ofNew(_ priority: Priority, isWorthStoring: Bool, _ device: Conditions) -> Delivery {
        if !device.isRegistered { return .discardedUnregistered }
        if !device.allowsNotifications { return .discardedDisabled }
        if !device.isOnline { return isWorthStoring ? .storedOffline : .discardedExpired }
        if device.savesPower, priority != .immediate { return isWorthStoring ? .storedPower : .discardedExpired }
        return .delivered
    }

    /// Returns what happens to a stored push that has not expired.
    static func ofStored(_ priority: Priority, _ device: Conditions) -> Delivery {
        if !device.isRegistered { return .discardedUnregisteredFromStorage }
        if !device.allowsNotifications { return .discardedDisabledFromStorage }
        if !device.isOnline { return .storedOffline }
        if device.savesPower, priority != .immediate { return .storedPower }
        return .deliveredFromStorage
    }

    /// Returns until when a push is stored.
    ///
    /// - Parameter expiration: seconds since 1970; `nil` if absent, so that APNs decides.
    package static func expiry(_ expiration: Int64?, at now: Timestamp) -> Timestamp {
        let latest = now.advanced(by: longestStorage)
        guard let expiration else { return latest }
        let (milliseconds, isBeyond) = expiration.multipliedReportingOverflow(by: 1000)
        if isBeyond { return expiration < 0 ? Timestamp(milliseconds: .min) : latest }
        return min(Timestamp(milliseconds: milliseconds), latest)
    }
}

extension Delivery {
    /// Whether this is final, so that nothing more happens to the push.
    package var isFinal: Bool {
        switch self {
        case .received, .storedOffline, .storedPower: false
        case .delivered, .deliveredFromStorage, .discardedUnregistered, .discardedUnregisteredFromStorage,
            .discardedExpired, .discardedDisabled, .discardedDisabledFromStorage:
            true
        }
    }

    /// Whether the push has reached its device.
    package var reachedDevice: Bool { self == .delivered || self == .deliveredFromStorage }
}

extension Timestamp {
    /// Returns the time this many milliseconds later, or the last representable one if that is earlier.
    func advanced(by milliseconds: Int64) -> Self {
        let (sum, isBeyond) = self.milliseconds.addingReportingOverflow(milliseconds)
        return Self(milliseconds: isBeyond ? (milliseconds < 0 ? .min : .max) : sum)
    }
}
