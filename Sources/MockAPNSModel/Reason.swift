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

        // The only table of reasons: nothing else in the project spells out a status.
        private var row: (code: UInt8, status: UInt16) {
            switch self {
            case .badCollapseID: (0, 400)
            case .badDeviceToken: (1, 400)
            case .badExpirationDate: (2, 400)
            case .badMessageID: (3, 400)
            case .badPriority: (4, 400)
            case .badTopic: (5, 400)
            case .deviceTokenNotForTopic: (6, 400)
            case .duplicateHeaders: (7, 400)
            case .idleTimeout: (8, 400)
            case .invalidPushType: (9, 400)
            case .missingDeviceToken: (10, 400)
            case .missingTopic: (11, 400)
            case .payloadEmpty: (12, 400)
            case .topicDisallowed: (13, 400)
            case .badCertificate: (14, 403)
            case .badCertificateEnvironment: (15, 403)
            case .expiredProviderToken: (16, 403)
            case .forbidden: (17, 403)
            case .invalidProviderToken: (18, 403)
            case .missingProviderToken: (19, 403)
            case .unrelatedKeyIDInToken: (20, 403)
            case .badEnvironmentKeyInToken: (21, 403)
            case .badEnvironmentKeyIDInToken: (22, 403)
            case .badPath: (23, 404)
            case .methodNotAllowed: (24, 405)
            case .expiredToken: (25, 410)
            case .unregistered: (26, 410)
            case .payloadTooLarge: (27, 413)
            case .tooManyProviderTokenUpdates: (28, 429)
            case .tooManyRequests: (29, 429)
            case .internalServerError: (30, 500)
            case .serviceUnavailable: (31, 503)
            case .shutdown: (32, 503)
            case .broadcastFeatureNotEnabled: (33, 400)
            case .featureNotEnabled: (34, 400)
            case .missingChannelID: (35, 400)
            case .badChannelID: (36, 400)
            case .channelNotRegistered: (37, 400)
            case .badRequestParams: (38, 400)
            case .badRequestPayload: (39, 400)
            case .missingPushType: (40, 400)
            case .cannotCreateChannelConfig: (41, 400)
            case .topicMismatch: (42, 403)
            }
        }
    }
}
