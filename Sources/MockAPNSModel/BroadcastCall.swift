extension MockAPNSWords {
    /// A call about broadcast channels: the member `call` of its record.
    ///
    /// See [Sending channel management requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-channel-management-requests-to-apns)
    /// and [Sending broadcast push notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-broadcast-push-notification-requests-to-apns).
    public enum BroadcastCall: String, MockAPNSWord, CodedWord {
        /// Creates a channel.
        case create
        /// Reads the configuration of a channel.
        case read
        /// Deletes a channel.
        case delete
        /// Lists the channels of an app.
        case list
        /// Publishes a push to a channel.
        case publish

        package static let coded: [Self] = allCases

        package var code: UInt8 {
            switch self {
            case .create: 0
            case .read: 1
            case .delete: 2
            case .list: 3
            case .publish: 4
            }
        }
    }
}
