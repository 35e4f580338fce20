import MockAPNSCore

extension MockAPNSServer {
    /// The delivery status of an accepted push: the member `delivery` of its record, in the terms of Apple's Push
    /// Notifications Console.
    ///
    /// See
    /// [Viewing the status of push notifications using Metrics and APNs](https://developer.apple.com/documentation/usernotifications/viewing-the-status-of-push-notifications-using-metrics-and-apns).
    public struct Delivery: RawRepresentable, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        let core: MockAPNSCore.Delivery

        init(_ core: MockAPNSCore.Delivery) { self.core = core }

        /// Creates the value for that word; `nil` for any other word.
        public init?(rawValue: String) {
            guard let core = MockAPNSCore.Delivery.allCases.first(where: { $0.name == rawValue }) else { return nil }
            self.core = core
        }

        /// The word used in records and scenarios.
        public var rawValue: String { core.name }

        /// The word.
        public var description: String { rawValue }

        /// All values.
        public static var allCases: [Self] { MockAPNSCore.Delivery.allCases.map(Self.init) }
    }
}

extension MockAPNSServer.Delivery {
    /// `Received by APNs`.
    public static let received = Self(.received)
    /// `Delivered to Device`.
    public static let delivered = Self(.delivered)
    /// `Delivered to Device (From Storage)`.
    public static let deliveredFromStorage = Self(.deliveredFromStorage)
    /// `Stored - Device Offline`.
    public static let storedOffline = Self(.storedOffline)
    /// `Stored - Power Considerations`.
    public static let storedPower = Self(.storedPower)
    /// `Discarded - Token Unregistered`.
    public static let discardedUnregistered = Self(.discardedUnregistered)
    /// `Discarded - Token Unregistered (From Storage)`.
    public static let discardedUnregisteredFromStorage = Self(.discardedUnregisteredFromStorage)
    /// `Discarded - Expired`.
    public static let discardedExpired = Self(.discardedExpired)
    /// `Discarded - Disabled`.
    public static let discardedDisabled = Self(.discardedDisabled)
    /// `Discarded - Disabled (From Storage)`.
    public static let discardedDisabledFromStorage = Self(.discardedDisabledFromStorage)
}
