extension MockAPNSWords {
    /// Why APNs refuses a push: the `reason` of an error answer, with its status.
    ///
    /// The names and statuses are those on Apple's page
    /// [Handling notification responses from APNs](https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
    public enum Reason: String, MockAPNSWord, CodedWord {
        /// `BadCollapseId`, 400.
        case badCollapseID = "BadCollapseId"
        /// `BadDeviceToken`, 400.
        case badDeviceToken = "BadDeviceToken"
        /// `BadExpirationDate`, 400.
        case badExpirationDate = "BadExpirationDate"
        /// `BadMessageId`, 400.
        case badMessageID = "BadMessageId"
        /// `BadPriority`, 400.
        case badPriority = "BadPriority"
        /// `BadTopic`, 400.
        case badTopic = "BadTopic"
        /// `DeviceTokenNotForTopic`, 400.
        case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
        /// `DuplicateHeaders`, 400.
        case duplicateHeaders = "DuplicateHeaders"
        /// `IdleTimeout`, 400.
        case idleTimeout = "IdleTimeout"
        /// `InvalidPushType`, 400.
        case invalidPushType = "InvalidPushType"
        /// `MissingDeviceToken`, 400.
        case missingDeviceToken = "MissingDeviceToken"
        /// `MissingTopic`, 400.
        case missingTopic = "MissingTopic"
        /// `PayloadEmpty`, 400.
        case payloadEmpty = "PayloadEmpty"
        /// `TopicDisallowed`, 400.
        case topicDisallowed = "TopicDisallowed"
        /// `BadCertificate`, 403.
        case badCertificate = "BadCertificate"
        /// `BadCertificateEnvironment`, 403.
        case badCertificateEnvironment = "BadCertificateEnvironment"
        /// `ExpiredProviderToken`, 403.
        case expiredProviderToken = "ExpiredProviderToken"
        /// `Forbidden`, 403.
        case forbidden = "Forbidden"
        /// `InvalidProviderToken`, 403.
        case invalidProviderToken = "InvalidProviderToken"
        /// `MissingProviderToken`, 403.
        case missingProviderToken = "MissingProviderToken"
        /// `UnrelatedKeyIdInToken`, 403.
        case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
        /// `BadEnvironmentKeyInToken`, 403; the reason observed for a key of the other environment
        /// (kylebrowning/APNSwift#229).
        case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
        /// `BadEnvironmentKeyIdInToken`, 403; the reason in Apple's table for the same, which a scenario can choose.
        case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
        /// `BadPath`, 404.
        case badPath = "BadPath"
        /// `MethodNotAllowed`, 405.
        case methodNotAllowed = "MethodNotAllowed"
        /// `ExpiredToken`, 410.
        case expiredToken = "ExpiredToken"
        /// `Unregistered`, 410.
        case unregistered = "Unregistered"
        /// `PayloadTooLarge`, 413.
        case payloadTooLarge = "PayloadTooLarge"
        /// `TooManyProviderTokenUpdates`, 429.
        case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
        /// `TooManyRequests`, 429.
        case tooManyRequests = "TooManyRequests"
        /// `InternalServerError`, 500.
        case internalServerError = "InternalServerError"
        /// `ServiceUnavailable`, 503.
        case serviceUnavailable = "ServiceUnavailable"
        /// `Shutdown`, 503.
        case shutdown = "Shutdown"

        // Only for broadcast channels, from
        // [Handling error responses from APNs](https://developer.apple.com/documentation/usernotifications/handling-error-responses-from-apns).

        /// `BroadcastFeatureNotEnabled`, 400; only for broadcast channels; the reason observed for an app without the
        /// broadcast capability.
        case broadcastFeatureNotEnabled = "BroadcastFeatureNotEnabled"
        /// `FeatureNotEnabled`, 400; only for broadcast channels; the reason in Apple's table for the same, which a
        /// scenario can choose.
        case featureNotEnabled = "FeatureNotEnabled"
        /// `MissingChannelId`, 400; only for broadcast channels.
        case missingChannelID = "MissingChannelId"
        /// `BadChannelId`, 400; only for broadcast channels.
        case badChannelID = "BadChannelId"
        /// `ChannelNotRegistered`, 400; only for broadcast channels.
        case channelNotRegistered = "ChannelNotRegistered"
        /// `BadRequestParams`, 400; only for broadcast channels.
        case badRequestParams = "BadRequestParams"
        /// `BadRequestPayload`, 400; only for broadcast channels.
        case badRequestPayload = "BadRequestPayload"
        /// `MissingPushType`, 400; only for broadcast channels.
        case missingPushType = "MissingPushType"
        /// `CannotCreateChannelConfig`, 400; only for broadcast channels.
        case cannotCreateChannelConfig = "CannotCreateChannelConfig"
        /// `TopicMismatch`, 403; only for broadcast channels.
        case topicMismatch = "TopicMismatch"

        /// The HTTP status that Apple sends with it.
        public var status: Int { Int(row.status) }

        package static let coded: [Self] = allCases

        package var code: UInt8 { row.code }

        /// Its meaning for the push, in a few words for people; Apple's table has the long form.
        package var meaning: String { row.meaning }

        // The only table of reasons: nothing else in the project spells out a status.
        private var row: (code: UInt8, status: UInt16, meaning: String) {
            switch self {
            case .badCollapseID: (0, 400, "Collapse id over 64 bytes")
            case .badDeviceToken: (1, 400, "Token malformed, or of the other environment")
            case .badExpirationDate: (2, 400, "apns-expiration is no integer")
            case .badMessageID: (3, 400, "apns-id is no UUID")
            case .badPriority: (4, 400, "apns-priority is not 10, 5 or 1; or 10 for background")
            case .badTopic: (5, 400, "Malformed topic")
            case .deviceTokenNotForTopic: (6, 400, "Token of another topic, or topic without its push type’s suffix")
            case .duplicateHeaders: (7, 400, "Header field twice")
            case .idleTimeout: (8, 400, "Connection idle for too long")
            case .invalidPushType: (9, 400, "Push type unknown, or not for this topic")
            case .missingDeviceToken: (10, 400, "Path without a device token")
            case .missingTopic: (11, 400, "No topic, and no certificate for just one")
            case .payloadEmpty: (12, 400, "Payload of 0 bytes")
            case .topicDisallowed: (13, 400, "Topic not for this key, team or certificate")
            case .badCertificate: (14, 403, "Client certificate not valid")
            case .badCertificateEnvironment: (15, 403, "Client certificate for the other environment")
            case .expiredProviderToken: (16, 403, "Provider token older than an hour")
            case .forbidden: (17, 403, "Not allowed")
            case .invalidProviderToken: (18, 403, "Provider token malformed, or wrong signature, key or team")
            case .missingProviderToken: (19, 403, "Neither provider token nor client certificate")
            case .unrelatedKeyIDInToken: (20, 403, "Key not allowed beside the first of the connection")
            case .badEnvironmentKeyInToken: (21, 403, "Key for the other environment")
            case .badEnvironmentKeyIDInToken: (22, 403, "Key for the other environment, in Apple’s table")
            case .badPath: (23, 404, "Path is not /3/device/TOKEN")
            case .methodNotAllowed: (24, 405, "Method is not POST")
            case .expiredToken: (25, 410, "Device token has expired")
            case .unregistered: (26, 410, "App removed from the device")
            case .payloadTooLarge: (27, 413, "Payload over 4096 bytes, 5120 for VoIP and broadcasts")
            case .tooManyProviderTokenUpdates: (28, 429, "New provider token too soon after another")
            case .tooManyRequests: (29, 429, "Too many pushes to this device")
            case .internalServerError: (30, 500, "Fault of APNs")
            case .serviceUnavailable: (31, 503, "APNs not available")
            case .shutdown: (32, 503, "APNs closes the connection")
            case .broadcastFeatureNotEnabled: (33, 400, "App without the broadcast capability")
            case .featureNotEnabled: (34, 400, "App without the broadcast capability, in Apple’s table")
            case .missingChannelID: (35, 400, "Broadcast without a channel")
            case .badChannelID: (36, 400, "Channel id is no base64, or was never issued")
            case .channelNotRegistered: (37, 400, "Channel deleted, or of another app or environment")
            case .badRequestParams: (38, 400, "Unknown or missing parameter of a channel")
            case .badRequestPayload: (39, 400, "Body that is not JSON")
            case .missingPushType: (40, 400, "Broadcast without a push type")
            case .cannotCreateChannelConfig: (41, 400, "Too many channels")
            case .topicMismatch: (42, 403, "Bundle id of a channel not for this key, team or certificate")
            }
        }
    }
}
