import MockAPNSCore
import Testing

@Suite struct ReasonTests {
    /// The table of [Handling notification responses from APNs](https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
    static let statuses: [UInt16: [String]] = [
        400: [
            "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic",
            "DeviceTokenNotForTopic", "DuplicateHeaders", "IdleTimeout", "InvalidPushType", "MissingDeviceToken",
            "MissingTopic", "PayloadEmpty", "TopicDisallowed",
            // Those of broadcast channels, from another table.
            "BroadcastFeatureNotEnabled", "FeatureNotEnabled", "MissingChannelId", "BadChannelId",
            "ChannelNotRegistered", "BadRequestParams", "BadRequestPayload", "MissingPushType",
            "CannotCreateChannelConfig",
        ],
        403: [
            "BadCertificate", "BadCertificateEnvironment", "ExpiredProviderToken", "Forbidden", "InvalidProviderToken",
            "MissingProviderToken", "UnrelatedKeyIdInToken", "BadEnvironmentKeyInToken", "BadEnvironmentKeyIdInToken",
            "TopicMismatch",
        ],
        404: ["BadPath"], 405: ["MethodNotAllowed"], 410: ["ExpiredToken", "Unregistered"], 413: ["PayloadTooLarge"],
        429: ["TooManyProviderTokenUpdates", "TooManyRequests"], 500: ["InternalServerError"],
        503: ["ServiceUnavailable", "Shutdown"],
    ]

    @Test("Each reason has the status of Apple's table", arguments: statuses.keys.sorted())
    func status(_ status: UInt16) throws {
        let names = try #require(Self.statuses[status])
        #expect(Reason.allCases.filter { $0.status == status }.map(\.name).sorted() == names.sorted())
    }
}
