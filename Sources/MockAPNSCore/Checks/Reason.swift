/// Why APNs refuses a push: the `reason` of an error answer, with its status.
///
/// This is the only table of reasons. Whatever refuses a push, whether a check, a device or a scenario, uses one of
/// these cases; nothing else in the project spells out a reason or a status.
///
/// The names and statuses are those on Apple's page
/// [Handling notification responses from APNs](https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
package enum Reason: UInt8, Sendable, CaseIterable {
    case badCollapseID
    case badDeviceToken
    case badExpirationDate
    case badMessageID
    case badPriority
    case badTopic
    case deviceTokenNotForTopic
    case duplicateHeaders
    case idleTimeout
    case invalidPushType
    case missingDeviceToken
    case missingTopic
    case payloadEmpty
    case topicDisallowed
    case badCertificate
    case badCertificateEnvironment
    case expiredProviderToken
    case forbidden
    case invalidProviderToken
    case missingProviderToken
    case unrelatedKeyIDInToken
    /// The reason observed for a key of the other environment (kylebrowning/APNSwift#229).
    case badEnvironmentKeyInToken
    /// The reason in Apple's table for the same; a scenario can choose it.
    case badEnvironmentKeyIDInToken
    case badPath
    case methodNotAllowed
    case expiredToken
    case unregistered
    case payloadTooLarge
    case tooManyProviderTokenUpdates
    case tooManyRequests
    case internalServerError
    case serviceUnavailable
    case shutdown

    // Only for broadcast channels, from
    // [Handling error responses from APNs](https://developer.apple.com/documentation/usernotifications/handling-error-responses-from-apns).

    /// The reason observed for an app without the broadcast capability.
    case broadcastFeatureNotEnabled
    /// The reason in Apple's table for the same; a scenario can choose it.
    case featureNotEnabled
    case missingChannelID
    case badChannelID
    case channelNotRegistered
    case badRequestParams
    case badRequestPayload
    case missingPushType
    case cannotCreateChannelConfig
    case topicMismatch

    /// The text on the wire, for example `BadDeviceToken`.
    package var name: String { Self.table[Int(rawValue)].name }

    /// The HTTP status that Apple sends with it.
    package var status: UInt16 { Self.table[Int(rawValue)].status }

    /// Whether Apple adds a `timestamp` (milliseconds since 1970) to the answer: only for status 410.
    package var hasTimestamp: Bool { status == 410 }

    /// The body of the answer, `{"reason":"BadDeviceToken"}`, without white space as on the wire.
    package var body: [UInt8] { Self.bodies[Int(rawValue)] }

    /// Returns the body of a 410 answer, with the time since which the token has been inactive.
    package func body(timestamp: Timestamp) -> [UInt8] {
        Array(#"{"reason":"\#(name)","timestamp":\#(timestamp.milliseconds)}"#.utf8)
    }

    /// Creates the reason with this name on the wire, if there is one.
    package init?(name: String) {
        guard let index = Self.table.firstIndex(where: { $0.name == name }) else { return nil }
        self.init(rawValue: UInt8(index))
    }

    /// Returns the reason that is meant most often by a status; `nil` if no reason has it.
    package static func usual(status: Int64) -> Reason? {
        let usual: [Reason] = [
            .badDeviceToken, .expiredProviderToken, .unregistered, .tooManyRequests, .serviceUnavailable,
        ]
        return (usual + allCases).first { Int64($0.status) == status }
    }

    private static let table: [(name: String, status: UInt16)] = allCases.map { reason in
        switch reason {
        case .badCollapseID: ("BadCollapseId", 400)
        case .badDeviceToken: ("BadDeviceToken", 400)
        case .badExpirationDate: ("BadExpirationDate", 400)
        case .badMessageID: ("BadMessageId", 400)
        case .badPriority: ("BadPriority", 400)
        case .badTopic: ("BadTopic", 400)
        case .deviceTokenNotForTopic: ("DeviceTokenNotForTopic", 400)
        case .duplicateHeaders: ("DuplicateHeaders", 400)
        case .idleTimeout: ("IdleTimeout", 400)
        case .invalidPushType: ("InvalidPushType", 400)
        case .missingDeviceToken: ("MissingDeviceToken", 400)
        case .missingTopic: ("MissingTopic", 400)
        case .payloadEmpty: ("PayloadEmpty", 400)
        case .topicDisallowed: ("TopicDisallowed", 400)
        case .badCertificate: ("BadCertificate", 403)
        case .badCertificateEnvironment: ("BadCertificateEnvironment", 403)
        case .expiredProviderToken: ("ExpiredProviderToken", 403)
        case .forbidden: ("Forbidden", 403)
        case .invalidProviderToken: ("InvalidProviderToken", 403)
        case .missingProviderToken: ("MissingProviderToken", 403)
        case .unrelatedKeyIDInToken: ("UnrelatedKeyIdInToken", 403)
        case .badEnvironmentKeyInToken: ("BadEnvironmentKeyInToken", 403)
        case .badEnvironmentKeyIDInToken: ("BadEnvironmentKeyIdInToken", 403)
        case .badPath: ("BadPath", 404)
        case .methodNotAllowed: ("MethodNotAllowed", 405)
        case .expiredToken: ("ExpiredToken", 410)
        case .unregistered: ("Unregistered", 410)
        case .payloadTooLarge: ("PayloadTooLarge", 413)
        case .tooManyProviderTokenUpdates: ("TooManyProviderTokenUpdates", 429)
        case .tooManyRequests: ("TooManyRequests", 429)
        case .internalServerError: ("InternalServerError", 500)
        case .serviceUnavailable: ("ServiceUnavailable", 503)
        case .shutdown: ("Shutdown", 503)
        case .broadcastFeatureNotEnabled: ("BroadcastFeatureNotEnabled", 400)
        case .featureNotEnabled: ("FeatureNotEnabled", 400)
        case .missingChannelID: ("MissingChannelId", 400)
        case .badChannelID: ("BadChannelId", 400)
        case .channelNotRegistered: ("ChannelNotRegistered", 400)
        case .badRequestParams: ("BadRequestParams", 400)
        case .badRequestPayload: ("BadRequestPayload", 400)
        case .missingPushType: ("MissingPushType", 400)
        case .cannotCreateChannelConfig: ("CannotCreateChannelConfig", 400)
        case .topicMismatch: ("TopicMismatch", 403)
        }
    }

    private static let bodies: [[UInt8]] = allCases.map { Array(#"{"reason":"\#($0.name)"}"#.utf8) }
}
