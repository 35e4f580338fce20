/// What becomes of an accepted push, by what is known of its device at that time.
///
/// The order of the questions is that of
/// [Viewing the status of push notifications using Metrics and APNs](https://developer.apple.com/documentation/usernotifications/viewing-the-status-of-push-notifications-using-metrics-and-apns):
/// is the token registered and are notifications allowed, can the device be reached, does it spare its battery, has the
/// push expired?
enum DeliveryPolicy {
    /// APNs stores a push no longer than 30 days.
    static let longestStorage: Int64 = 30 * 86_400_000

    /// What is asked of a device.
    struct Conditions: Sendable, Hashable {
        var isRegistered = true
        var allowsNotifications = true
        var isOnline = true
        var savesPower = false
    }

    /// What becomes of a push when it comes in.
    ///
    /// - Parameters:
    ///   - priority: what it says, or 10.
    ///   - isWorthStoring: whether it has not expired; a push that has is tried once, and is not stored.
    static func ofNew(_ priority: Priority, isWorthStoring: Bool, _ device: Conditions) -> Delivery {
        if !device.isRegistered { return .discardedUnregistered }
        if !device.allowsNotifications { return .discardedDisabled }
        if !device.isOnline { return isWorthStoring ? .storedOffline : .discardedExpired }
        if device.savesPower, priority != .immediate { return isWorthStoring ? .storedPower : .discardedExpired }
        return .delivered
    }

    /// What becomes of a push in storage that has not expired.
    static func ofStored(_ priority: Priority, _ device: Conditions) -> Delivery {
        if !device.isRegistered { return .discardedUnregisteredFromStorage }
        if !device.allowsNotifications { return .discardedDisabledFromStorage }
        if !device.isOnline { return .storedOffline }
        if device.savesPower, priority != .immediate { return .storedPower }
        return .deliveredFromStorage
    }

    /// Until when a push is stored.
    ///
    /// - Parameter expiration: seconds since 1970; `nil` when it does not say, so that APNs decides.
    static func expiry(_ expiration: Int64?, at now: Timestamp) -> Timestamp {
        let latest = now.advanced(by: longestStorage)
        guard let expiration else { return latest }
        let (milliseconds, isBeyond) = expiration.multipliedReportingOverflow(by: 1000)
        if isBeyond { return expiration < 0 ? Timestamp(milliseconds: .min) : latest }
        return min(Timestamp(milliseconds: milliseconds), latest)
    }
}

extension Delivery {
    /// Whether nothing more becomes of the push.
    package var isFinal: Bool {
        switch self {
        case .received, .storedOffline, .storedPower: false
        default: true
        }
    }

    /// Whether the push has come to its device.
    package var reachedDevice: Bool { self == .delivered || self == .deliveredFromStorage }
}

extension Timestamp {
    /// This many milliseconds later; the last moment that can be represented where that is beyond it.
    func advanced(by milliseconds: Int64) -> Self {
        let (sum, isBeyond) = self.milliseconds.addingReportingOverflow(milliseconds)
        return Self(milliseconds: isBeyond ? (milliseconds < 0 ? .min : .max) : sum)
    }
}
