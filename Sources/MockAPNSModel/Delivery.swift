extension MockAPNSWords {
    /// The delivery status of an accepted push: the member `delivery` of its record, in the terms of Apple's Push
    /// Notifications Console.
    ///
    /// `Stored - Device Offline` and `Discarded - Disabled` are documented in
    /// [Viewing the status of push notifications using Metrics and APNs](https://developer.apple.com/documentation/usernotifications/viewing-the-status-of-push-notifications-using-metrics-and-apns).
    public enum Delivery: String, MockAPNSWord, CodedWord {
        /// `Received by APNs`.
        case received = "Received by APNs"
        /// `Delivered to Device`.
        case delivered = "Delivered to Device"
        /// `Delivered to Device (From Storage)`.
        case deliveredFromStorage = "Delivered to Device (From Storage)"
        /// `Stored - Device Offline`.
        case storedOffline = "Stored - Device Offline"
        /// `Stored - Power Considerations`.
        case storedPower = "Stored - Power Considerations"
        /// `Discarded - Token Unregistered`.
        case discardedUnregistered = "Discarded - Token Unregistered"
        /// `Discarded - Token Unregistered (From Storage)`.
        case discardedUnregisteredFromStorage = "Discarded - Token Unregistered (From Storage)"
        /// `Discarded - Expired`.
        case discardedExpired = "Discarded - Expired"
        /// `Discarded - Disabled`.
        case discardedDisabled = "Discarded - Disabled"
        /// `Discarded - Disabled (From Storage)`.
        case discardedDisabledFromStorage = "Discarded - Disabled (From Storage)"

        package static let coded: [Self] = allCases

        package var code: UInt8 {
            switch self {
            case .received: 0
            case .delivered: 1
            case .deliveredFromStorage: 2
            case .storedOffline: 3
            case .storedPower: 4
            case .discardedUnregistered: 5
            case .discardedUnregisteredFromStorage: 6
            case .discardedExpired: 7
            case .discardedDisabled: 8
            case .discardedDisabledFromStorage: 9
            }
        }
    }
}
