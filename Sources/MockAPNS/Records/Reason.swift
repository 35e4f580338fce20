import MockAPNSCore

extension MockAPNSServer {
    /// Why a push was rejected: the `reason` of an error answer.
    ///
    /// The names and statuses are listed in
    /// [Handling notification responses from APNs](https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
    public struct Reason: RawRepresentable, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        let core: MockAPNSCore.Reason

        init(_ core: MockAPNSCore.Reason) { self.core = core }

        /// Creates the value for that word; `nil` for any other word.
        public init?(rawValue: String) {
            guard let core = MockAPNSCore.Reason.allCases.first(where: { $0.name == rawValue }) else { return nil }
            self.core = core
        }

        /// The word used in records and scenarios.
        public var rawValue: String { core.name }

        /// The word.
        public var description: String { rawValue }

        /// All values.
        public static var allCases: [Self] { MockAPNSCore.Reason.allCases.map(Self.init) }

        /// The HTTP status used with it.
        public var status: Int { Int(core.status) }
    }
}

extension MockAPNSServer.Reason {
    /// `BadCollapseId`, 400.
    public static let badCollapseID = Self(.badCollapseID)
    /// `BadDeviceToken`, 400.
    public static let badDeviceToken = Self(.badDeviceToken)
    /// `BadExpirationDate`, 400.
    public static let badExpirationDate = Self(.badExpirationDate)
    /// `BadMessageId`, 400.
    public static let badMessageID = Self(.badMessageID)
    /// `BadPriority`, 400.
    public static let badPriority = Self(.badPriority)
    /// `BadTopic`, 400.
    public static let badTopic = Self(.badTopic)
    /// `DeviceTokenNotForTopic`, 400.
    public static let deviceTokenNotForTopic = Self(.deviceTokenNotForTopic)
    /// `DuplicateHeaders`, 400.
    public static let duplicateHeaders = Self(.duplicateHeaders)
    /// `IdleTimeout`, 400.
    public static let idleTimeout = Self(.idleTimeout)
    /// `InvalidPushType`, 400.
    public static let invalidPushType = Self(.invalidPushType)
    /// `MissingDeviceToken`, 400.
    public static let missingDeviceToken = Self(.missingDeviceToken)
    /// `MissingTopic`, 400.
    public static let missingTopic = Self(.missingTopic)
    /// `PayloadEmpty`, 400.
    public static let payloadEmpty = Self(.payloadEmpty)
    /// `TopicDisallowed`, 400.
    public static let topicDisallowed = Self(.topicDisallowed)
    /// `BadCertificate`, 403.
    public static let badCertificate = Self(.badCertificate)
    /// `BadCertificateEnvironment`, 403.
    public static let badCertificateEnvironment = Self(.badCertificateEnvironment)
    /// `ExpiredProviderToken`, 403.
    public static let expiredProviderToken = Self(.expiredProviderToken)
    /// `Forbidden`, 403.
    public static let forbidden = Self(.forbidden)
    /// `InvalidProviderToken`, 403.
    public static let invalidProviderToken = Self(.invalidProviderToken)
    /// `MissingProviderToken`, 403.
    public static let missingProviderToken = Self(.missingProviderToken)
    /// `UnrelatedKeyIdInToken`, 403.
    public static let unrelatedKeyIDInToken = Self(.unrelatedKeyIDInToken)
    /// `BadEnvironmentKeyInToken`, 403.
    public static let badEnvironmentKeyInToken = Self(.badEnvironmentKeyInToken)
    /// `BadEnvironmentKeyIdInToken`, 403.
    public static let badEnvironmentKeyIDInToken = Self(.badEnvironmentKeyIDInToken)
    /// `BadPath`, 404.
    public static let badPath = Self(.badPath)
    /// `MethodNotAllowed`, 405.
    public static let methodNotAllowed = Self(.methodNotAllowed)
    /// `ExpiredToken`, 410.
    public static let expiredToken = Self(.expiredToken)
    /// `Unregistered`, 410.
    public static let unregistered = Self(.unregistered)
    /// `PayloadTooLarge`, 413.
    public static let payloadTooLarge = Self(.payloadTooLarge)
    /// `TooManyProviderTokenUpdates`, 429.
    public static let tooManyProviderTokenUpdates = Self(.tooManyProviderTokenUpdates)
    /// `TooManyRequests`, 429.
    public static let tooManyRequests = Self(.tooManyRequests)
    /// `InternalServerError`, 500.
    public static let internalServerError = Self(.internalServerError)
    /// `ServiceUnavailable`, 503.
    public static let serviceUnavailable = Self(.serviceUnavailable)
    /// `Shutdown`, 503.
    public static let shutdown = Self(.shutdown)
    /// `BroadcastFeatureNotEnabled`, 400; only for broadcast channels.
    public static let broadcastFeatureNotEnabled = Self(.broadcastFeatureNotEnabled)
    /// `FeatureNotEnabled`, 400; only for broadcast channels.
    public static let featureNotEnabled = Self(.featureNotEnabled)
    /// `MissingChannelId`, 400; only for broadcast channels.
    public static let missingChannelID = Self(.missingChannelID)
    /// `BadChannelId`, 400; only for broadcast channels.
    public static let badChannelID = Self(.badChannelID)
    /// `ChannelNotRegistered`, 400; only for broadcast channels.
    public static let channelNotRegistered = Self(.channelNotRegistered)
    /// `BadRequestParams`, 400; only for broadcast channels.
    public static let badRequestParams = Self(.badRequestParams)
    /// `BadRequestPayload`, 400; only for broadcast channels.
    public static let badRequestPayload = Self(.badRequestPayload)
    /// `MissingPushType`, 400; only for broadcast channels.
    public static let missingPushType = Self(.missingPushType)
    /// `CannotCreateChannelConfig`, 400; only for broadcast channels.
    public static let cannotCreateChannelConfig = Self(.cannotCreateChannelConfig)
    /// `TopicMismatch`, 403; only for broadcast channels.
    public static let topicMismatch = Self(.topicMismatch)
}
