/// Background on a check: the rule of APNs, how certain it is, and its source.
///
/// This is the only such table. The API returns it with each record; tests ensure that `Checks.md` and `Fidelity.md`
/// match.
package struct CheckFacts: Sendable {
    /// How certain it is that APNs behaves this way.
    package enum Mark: String, Sendable, CaseIterable {
        /// Stated in Apple's current documentation.
        case documented
        /// Reported from a recording.
        case observed
        /// The most likely behavior, without evidence.
        case guessed
    }

    /// The rule of APNs, in one sentence.
    package var rule: String
    package var mark: Mark
    /// The address of Apple's page, or of the observation; `nil` for a guess.
    package var source: String?
    /// The reasons for refusals; empty if a scenario names the reason.
    package var reasons: [Reason]

    init(_ rule: String, _ mark: Mark, _ source: String?, _ reasons: Reason...) {
        (self.rule, self.mark, self.source, self.reasons) = (rule, mark, source, reasons)
    }
}

private let apple = "https://developer.apple.com/documentation/usernotifications/"
private let responses = apple + "handling-notification-responses-from-apns"
private let sending = apple + "sending-notification-requests-to-apns"
private let tokens = apple + "establishing-a-token-based-connection-to-apns"
private let payload = apple + "generating-a-remote-notification"

extension Check {
    /// Background on the check. A test ensures that `Checks.md` matches.
    package var facts: CheckFacts {
        switch self {
        case .methodIsPOST:
            CheckFacts("The method is POST.", .documented, responses, .methodNotAllowed)
        case .pathIsOfADevice:
            CheckFacts("The path is /3/device/ followed by the device token.", .documented, responses, .badPath)
        case .noFieldIsRepeated:
            CheckFacts("No APNs header field is repeated.", .documented, responses, .duplicateHeaders)
        case .apnsIDIsAUUID:
            CheckFacts("apns-id is a UUID, or absent.", .documented, responses, .badMessageID)
        case .providerMayPush:
            CheckFacts(
                "A client certificate, or a provider token of a known key and team, signed with ES256 and at most an hour old.",
                .documented, tokens, .missingProviderToken, .tooManyProviderTokenUpdates, .invalidProviderToken,
                .expiredProviderToken, .unrelatedKeyIDInToken, .badEnvironmentKeyInToken, .badEnvironmentKeyIDInToken)
        case .topicIsGiven:
            CheckFacts(
                "apns-topic is present, unless a client certificate is for exactly one topic.", .documented, sending,
                .missingTopic)
        case .topicIsWellFormed:
            CheckFacts(
                "apns-topic is a bundle id, with a suffix for some push types, at most \(Topic.longest) bytes.",
                .guessed, nil, .badTopic)
        case .topicIsAllowed:
            CheckFacts(
                "The team, the key or the client certificate may push to the topic.", .documented, responses,
                .topicDisallowed, .badTopic)
        case .deviceTokenIsGiven:
            CheckFacts("A device token follows /3/device/.", .documented, responses, .missingDeviceToken)
        case .payloadIsNotEmpty:
            CheckFacts("The body is not empty; {} is enough.", .documented, responses, .payloadEmpty)
        case .payloadIsNotTooLarge:
            CheckFacts(
                "At most \(PushType.payloadLimit) bytes, \(PushType.payloadLimitForVoIP) for VoIP.",
                .documented, payload, .payloadTooLarge)
        case .payloadIsJSON:
            CheckFacts("Any body, unless the scenario sets responses.invalidJSON.", .guessed, nil)
        case .expirationIsAnInteger:
            CheckFacts(
                "apns-expiration is a whole number of seconds since 1970, or absent.", .observed,
                "seen on the wire: parse-community/parse-server#4558", .badExpirationDate)
        case .priorityIsKnown:
            CheckFacts("apns-priority is 10, 5 or 1, or absent.", .documented, sending, .badPriority)
        case .backgroundHasNotPriority10:
            CheckFacts("A push of type background has priority 5 or 1.", .documented, sending, .badPriority)
        case .collapseIDIsShort:
            CheckFacts(
                "apns-collapse-id has at most \(RequestContext.collapseIDLimit) bytes.", .documented, sending,
                .badCollapseID)
        case .pushTypeIsKnown:
            CheckFacts(
                "apns-push-type is one of Apple's push types, in lower case, or absent.", .documented, responses,
                .invalidPushType)
        case .pushTypeSuitsVoIP:
            CheckFacts(
                "A topic that ends with .voip accepts neither alert nor background.", .observed,
                "seen on the wire: Pr0Ger/PyAPNs2#87, sideshow/apns2#148", .invalidPushType)
        case .deviceTokenIsWellFormed:
            CheckFacts(
                "The device token is \(DeviceToken.lengths.lowerBound * 2) to \(DeviceToken.lengths.upperBound * 2) hexadecimal digits.",
                .documented, responses, .badDeviceToken)
        case .deviceIsKnown:
            CheckFacts(
                "A device has the token; with unknownDevices set to reject, a declared one.", .documented, responses,
                .badDeviceToken)
        case .deviceIsOfTheEnvironment:
            CheckFacts(
                "Sandbox tokens go to the sandbox, production tokens to production.", .documented, responses,
                .badDeviceToken)
        case .topicHasTheSuffixOfItsType:
            CheckFacts(
                "The topic has the suffix of its push type, such as .voip or .push-type.liveactivity.", .observed,
                "seen on the wire: laravel-notification-channels/apn#88", .deviceTokenNotForTopic)
        case .topicIsTheDevices:
            CheckFacts("The device token belongs to the topic.", .documented, responses, .deviceTokenNotForTopic)
        case .deviceIsRegistered:
            CheckFacts("The app is still on the device.", .documented, responses, .unregistered)
        case .deviceTokenHasNotExpired:
            CheckFacts("The device token has not expired.", .documented, responses, .expiredToken)
        }
    }
}
