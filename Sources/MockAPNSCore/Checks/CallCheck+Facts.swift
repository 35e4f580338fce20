private let apple = "https://developer.apple.com/documentation/usernotifications/"
private let errors = apple + "handling-error-responses-from-apns"
private let managing = apple + "sending-channel-management-requests-to-apns"
private let publishing = apple + "sending-broadcast-push-notification-requests-to-apns"

extension CallCheck {
    /// Background on the check. A test ensures that `Broadcast.md` matches.
    package var facts: CheckFacts {
        switch self {
        case .pathIsOfACall:
            CheckFacts(
                "The path is /1/apps/BUNDLE/channels, /1/apps/BUNDLE/all-channels or /4/broadcasts/apps/BUNDLE.",
                .documented, errors, .badPath)
        case .methodFitsThePath:
            CheckFacts(
                "POST, GET and DELETE for channels, GET for all-channels, POST for broadcasts.", .guessed, nil,
                .methodNotAllowed)
        case .requestIDIsAUUID:
            CheckFacts("apns-request-id is a UUID, or absent.", .guessed, nil, .badMessageID)
        case .providerMayCall:
            CheckFacts(
                "A client certificate, or a provider token, as for a push to a device.", .documented, errors,
                .missingProviderToken, .tooManyProviderTokenUpdates, .invalidProviderToken, .expiredProviderToken,
                .unrelatedKeyIDInToken, .badEnvironmentKeyInToken, .badEnvironmentKeyIDInToken)
        case .bundleIDHasNoSuffix:
            CheckFacts(
                "The path has the bundle id, without the suffix of a push type.", .documented, errors, .topicDisallowed)
        case .bundleIDIsTheProviders:
            CheckFacts(
                "The bundle id in the path is the team's, the key's or the client certificate's.", .documented, errors,
                .topicMismatch)
        case .broadcastIsEnabled:
            CheckFacts(
                "The app has the broadcast capability.", .observed,
                "seen on the wire: Kontour's Station, Firepower, senpai-backend",
                .broadcastFeatureNotEnabled, .featureNotEnabled)
        case .channelIDIsGiven:
            CheckFacts("apns-channel-id is present.", .documented, errors, .missingChannelID)
        case .channelIDIsKnown:
            CheckFacts(
                "apns-channel-id is base64 in the standard alphabet with padding, and was once issued.", .observed,
                "seen on the wire: Kontour's Station, 2026-09", .badChannelID, .badPath, .channelNotRegistered)
        case .pushTypeIsGiven:
            CheckFacts("apns-push-type is present.", .documented, errors, .missingPushType)
        case .pushTypeIsLiveActivity:
            CheckFacts("apns-push-type is liveactivity, in any case.", .documented, publishing, .invalidPushType)
        case .expirationIsGiven:
            CheckFacts(
                "apns-expiration is a whole number of seconds since 1970, or 0.", .observed,
                "seen on the wire: Kontour's Station, 2026-09", .badExpirationDate)
        case .priorityIsKnownOrAbsent:
            CheckFacts("apns-priority is 10, 5 or 1, or absent.", .documented, publishing, .badPriority)
        case .channelIsRegistered:
            CheckFacts(
                "The channel has not been deleted, and belongs to the app and the environment.", .observed,
                "seen on the wire: Kontour's Station, 2026-09", .channelNotRegistered, .badPath)
        case .expirationSuitsThePolicy:
            CheckFacts(
                "apns-expiration is 0 for a channel that stores nothing.", .documented, publishing, .badExpirationDate)
        case .bodyIsNotEmpty:
            CheckFacts("The body is not empty.", .documented, errors, .payloadEmpty)
        case .bodyIsNotTooLarge:
            CheckFacts(
                "At most \(PushType.payloadLimitForBroadcast) bytes.", .documented, publishing, .payloadTooLarge)
        case .bodyIsJSON:
            CheckFacts("The body is JSON, an object to create a channel.", .documented, errors, .badRequestPayload)
        case .parametersAreKnown:
            CheckFacts(
                "The body has message-storage-policy, 0 or 1, and push-type, and nothing else.", .documented, managing,
                .badRequestParams)
        case .parametersHaveAPushType:
            CheckFacts("The body has push-type.", .guessed, nil, .missingPushType)
        case .parametersAreForLiveActivities:
            CheckFacts("push-type in the body is LiveActivity, in any case.", .guessed, nil, .invalidPushType)
        case .limitIsNotReached:
            CheckFacts(
                "The app has fewer than 10,000 channels in the environment.", .documented, managing,
                .cannotCreateChannelConfig)
        }
    }
}
