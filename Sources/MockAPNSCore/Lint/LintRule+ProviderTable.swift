extension LintRule {
    /// What there is to know of a rule about what a provider does over a run, as in ``payloadRow``.
    var providerRow: Row? {
        switch self {
        case .tokenPerPush:
            .init(
                .error, .providerTokens,
                "at least five pushes with provider tokens of one key, and at least half as many tokens as pushes",
                "APNs refuses new tokens with TooManyProviderTokenUpdates", .tokens,
                .reported("swift-server-community/APNSwift#34"))
        case .providerTokenUpdates:
            .init(
                .error, .providerTokens,
                "more than two provider tokens in 20 minutes on one connection",
                "APNs may refuse pushes with the next one: TooManyProviderTokenUpdates", .tokens)
        case .providerTokenYoung:
            .init(
                .warning, .providerTokens,
                "a provider token signed less than 20 minutes after the one that it replaces, which had not "
                    + "been refused",
                "Apple asks for a provider token to be kept for at least 20 minutes", .tokens,
                .reported("AndrewBarba/apns2#44"))
        case .providerTokenOld:
            .init(
                .warning, .providerTokens,
                "a provider token older than 55 minutes; older than 60 is an error",
                "After an hour APNs refuses it with ExpiredProviderToken", .tokens)
        case .tokenPerTopic:
            .init(
                .warning, .providerTokens,
                "provider tokens of one key in use at the same time, each for topics of its own",
                "Each counts as an update of the other", .tokens, .reported("Pr0Ger/PyAPNs2#76"))
        case .teamsOnOneConnection:
            .init(
                .error, .providerTokens,
                "provider tokens of several teams on one connection",
                "APNs accepts only the tokens of the first team", .reported("forums/thread/72999"))
        case .connectionPerPush:
            .init(
                .error, .connections,
                "at least five connections for one team, 80 % or more of them with a single push",
                "APNs may take rapid connecting and disconnecting for an attack", .guide,
                .reported("nodeapps/HttpTwo#15"))
        case .connectionChurn:
            .init(
                .warning, .connections,
                "ten connections opened and closed by the client within 60 s",
                "APNs may take that for an attack", .troubleshooting)
        case .notMultiplexed:
            .init(
                .note, .connections,
                "50 or more pushes on one connection, never two at a time although the limit of streams allows it",
                "Each push waits for the answer to the one before it", .guide, .judgement)
        case .oneConnectionBurst:
            .init(
                .note, .connections,
                "more than 10,000 pushes in 10 s on one connection",
                "Several connections are faster", .sending)
        case .streamLimitIgnored:
            .init(
                .warning, .connections,
                "a stream beyond the server's limit of streams",
                "It is refused, and has to be sent again", .guide)
        case .idleWithoutPing:
            .init(
                .note, .connections,
                "a push that failed after an hour without a push, on a connection without any PING",
                "The connection may have ended long before", .sending, .reported("AndrewBarba/apns2#97"))
        case .goawayIgnored:
            .init(
                .error, .connections,
                "pushes on a connection that go on for a second or more after its GOAWAY",
                "It is never processed", .reported("jchambers/pushy#567"))
        case .goawayLost:
            .init(
                .error, .connections,
                "a push above the last stream of a GOAWAY, or refused with REFUSED_STREAM, that is never "
                    + "sent again",
                "The device never gets it; such a push is safe to repeat", .reported("jchambers/pushy#865"))
        case .answerNotAwaited:
            .init(
                .warning, .connections,
                "five pushes canceled before they were answered, or 1 % of a hundred or more",
                "What became of them is not known", .reported("jchambers/pushy#732"))
        case .pushAfter410:
            .init(
                .error, .refusals,
                "another push to a device token that was refused with 410",
                "The app is gone; APNs counts such pushes", .responses)
        case .pushAfterBadToken:
            .init(
                .error, .refusals,
                "another push to a device token that was refused with BadDeviceToken or DeviceTokenNotForTopic",
                "It can never arrive; APNs throttles a provider that goes on, then disconnects it", .responses,
                .reported("clave#14"))
        case .environmentsMixed:
            .init(
                .error, .refusals,
                "a device token that is accepted in one environment, and refused with BadDeviceToken in "
                    + "the other",
                "A device token is valid in one environment only", .reported("clave#14"))
        case .tooManyRefusals:
            .init(
                .warning, .refusals,
                "more than 10 % of 1000 pushes are refused with a status from 400 to 499, not counting 410",
                "APNs throttles such a provider, then disconnects", .responses)
        case .retryAfterIgnored:
            .init(
                .error, .refusals,
                "a push to a device token before the time that `retry-after` gave",
                "It is refused again", .rfc9110)
        case .retryUseless:
            .init(
                .error, .retries,
                "a push that was refused for what it contains is sent again unchanged",
                "It is refused again", .responses)
        case .retryWithoutBackoff:
            .init(
                .warning, .retries,
                "a push is sent again less than a second after 429 or 5xx, or after three pauses that do not grow",
                "A busy server becomes busier", .responses)
        case .retryEarly:
            .init(
                .note, .retries,
                "a push is sent again less than 15 minutes after 5xx",
                "Apple asks to wait that long", .responses)
        case .retryStorm:
            .init(
                .warning, .retries,
                "a push is sent more than five times without being accepted",
                "It costs more than it gains", .judgement)
        case .retryNewID:
            .init(
                .note, .retries,
                "a push is sent again with another `apns-id`",
                "If only the answer was lost, one push has two ids", .reported("jchambers/pushy#794"))
        case .neverRetried:
            .init(
                .warning, .retries,
                "a push that failed with 429, 5xx, a reset or the end of its connection is not sent "
                    + "again within 30 minutes, or before the end of the run",
                "The device never gets it", .responses)
        case .hostMissing:
            .init(
                .note, .headers,
                "a request that has neither `:authority` nor `host`",
                "It is not known whether APNs accepts it", .http2)
        case .headerUnknown:
            .init(
                .warning, .headers,
                "a header field that begins with `apns-` and that APNs does not know, one of APNs that lacks "
                    + "`apns-`, or a key of the payload sent as a field",
                "It is ignored", .sending)
        case .apnsIDMissing:
            .init(
                .note, .headers,
                "none of ten pushes or more has an `apns-id`",
                "It is harder to find out what became of a push", .sending)
        case .apnsIDReused:
            .init(
                .warning, .headers,
                "one `apns-id` for different pushes",
                "An answer could be about any of them", .sending)
        case .pushTypeMissing:
            .init(
                .warning, .headers,
                "no `apns-push-type`",
                "watchOS 6 and later need it, and APNs may delay or drop the push", .sending)
        case .backgroundPriority:
            .init(
                .error, .headers,
                "a background push with priority 10, or with none, which means 10",
                "APNs may refuse or drop it", .sending)
        case .expirationUnit:
            .init(
                .error, .headers,
                "`apns-expiration` is in milliseconds, or is a duration",
                "It is taken for a different time", .sending, .reported("rpush/rpush#313"))
        case .expirationPast:
            .init(
                .warning, .headers,
                "`apns-expiration` is before the clock",
                "It is not kept for a device that is offline", .observed)
        case .expirationMissing:
            .init(
                .note, .headers,
                "none of ten alerts or more has an `apns-expiration`",
                "They may be shown up to 30 days late", .sending)
        case .voipExpiration:
            .init(
                .warning, .headers,
                "a VoIP push without `apns-expiration`, or one that is kept for more than 60 s",
                "A device that was offline rings for a call that is over", .pushKit)
        case .pushtotalkUrgency:
            .init(
                .warning, .headers,
                "a Push to Talk push with another priority than 10, or another `apns-expiration` than 0",
                "It may arrive when the speaker has finished", .pushToTalk)
        case .duplicatePush:
            .init(
                .warning, .repetition,
                "the same push is accepted twice within 60 s, without a collapse id, and its payload is not the same "
                    + "by nature, as `{}` for Wallet and that of a background, widget or MDM push",
                "The device gets it twice", .reported("novuhq/novu#10636"))
        case .backgroundTooMany:
            .init(
                .warning, .repetition,
                "more than three background pushes to a device in an hour",
                "The system holds back more than two or three an hour", .background)
        case .complicationTooMany:
            .init(
                .warning, .repetition,
                "more than 50 complication pushes to a device in a day",
                "Apple limits them, and those beyond the limit are not delivered", .complications)
        case .liveactivityAllUrgent:
            .init(
                .warning, .repetition,
                "20 pushes or more to a Live Activity in an hour, all with priority 10",
                "They use up the app's budget; then the system delays them", .liveActivities)
        case .liveactivityNotStarted:
            .init(
                .note, .repetition,
                "a device token gets an update or the end of a Live Activity that no push has started",
                "If the app has not started it, a device ignores the push", .liveActivities)
        case .collapseIDShared:
            .init(
                .warning, .repetition,
                "one collapse id has had three titles or more on one device",
                "Only the last is seen", .sending)
        case .collapseIDUnused:
            .init(
                .note, .repetition,
                "three alerts with the same title to a device in ten minutes, without a collapse id",
                "All of them are shown", .judgement)
        case .channelsLeft:
            .init(
                .warning, .channels,
                "a channel that was created is never deleted; more than 10 % of an app's limit is an error",
                "An app may have 10,000 channels; then it can create no more", .channels)
        case .channelPerPush:
            .init(
                .error, .channels,
                "at least five channels, and at least half as many channels as broadcasts",
                "A channel is for an event that many people follow, and an app may have 10,000", .channels)
        default: nil
        }
    }
}
