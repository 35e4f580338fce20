/// A number that a rule of lint compares with, and that can be set.
package enum LintThreshold: String, Sendable, CaseIterable {
    /// The percentage of the largest size from which `payload-near-limit` speaks.
    case nearLimitPercent
    /// How old the timestamp of an update may be.
    case timestampPast
    /// How far ahead a timestamp may be.
    case timestampFuture
    /// From when on a date of a Live Activity is in seconds since 1970, and not since 2001.
    case datesFrom
    /// Until when it is, and not in milliseconds.
    case datesTo
    /// How long after its end a Live Activity can be kept on the Lock Screen.
    case dismissalAfterEnd
    /// From how many pushes with a provider token on `token-per-push` speaks.
    case tokenPerPushMinimum
    /// How many provider tokens there may be for 100 pushes.
    case tokenPerPushPercent
    /// How many provider tokens a connection may have within a period.
    case providerTokenUpdates
    /// That period.
    case providerTokenUpdatePeriod
    /// How long a provider token should be kept at least.
    case providerTokenYoung
    /// How old a provider token should become at most.
    case providerTokenOld
    /// From which age on that is an error.
    case providerTokenExpired
    /// From how many connections on `connection-per-push` speaks.
    case connectionMinimum
    /// How many of 100 connections may have only one push.
    case connectionPerPushPercent
    /// How many connections may be opened and closed within a period.
    case connectionChurn
    /// That period.
    case connectionChurnPeriod
    /// From how many pushes on a connection on `not-multiplexed` speaks.
    case pushesOneAtATime
    /// How many pushes may come on a connection within a period.
    case burst
    /// That period.
    case burstPeriod
    /// How long after the limit of streams has fallen a push may have been under way.
    case streamLimitNotice
    /// How long a connection may be without a push or a PING.
    case idle
    /// How long after a GOAWAY a push may have been under way.
    case goAwayNotice
    /// How soon a push that was not processed has to be sent again.
    case goAwayRetry
    /// From how many canceled pushes on `answer-not-awaited` speaks.
    case cancelledCount
    /// From which percentage of canceled pushes on it speaks.
    case cancelledPercent
    /// From how many pushes on that percentage counts.
    case cancelledMinimum
    /// How long after a 410 another push may have been under way.
    case pushAfter410
    /// How long after the refusal another push may have been under way.
    case pushAfterBadToken
    /// How many of 100 pushes may be refused.
    case refusalPercent
    /// Over how many pushes that is counted.
    case refusalWindow
    /// How long after the answer another push may have been under way.
    case retryAfterNotice
    /// How long a provider has to wait after 429 or 5xx at least.
    case retryBackoff
    /// From how many pauses in a row on that do not grow `retry-without-backoff` speaks.
    case retryEvenGaps
    /// How long it should wait after 5xx.
    case retryServerError
    /// How often a push may be sent without being accepted.
    case retries
    /// How soon a push that failed should be sent again.
    case neverRetried
    /// From how many pushes on `apns-id-missing` speaks.
    case withoutID
    /// From how many alerts on `expiration-missing` speaks.
    case withoutExpiration
    /// From when on `apns-expiration` is in seconds since 1970, and not a duration.
    case expirationsFrom
    /// Until when it is, and not in milliseconds.
    case expirationsTo
    /// How long a VoIP push may be kept.
    case voipExpiration
    /// Within which time the same push counts as a duplicate.
    case duplicatePeriod
    /// How many background pushes a device may get within a period.
    case backgroundPushes
    /// That period.
    case backgroundPeriod
    /// How many complication pushes a device may get within a period.
    case complicationPushes
    /// That period.
    case complicationPeriod
    /// From how many urgent pushes to a Live Activity within a period on `liveactivity-all-urgent` speaks.
    case urgentActivityPushes
    /// That period.
    case urgentActivityPeriod
    /// From how many titles on `collapse-id-shared` speaks.
    case collapsedTitles
    /// From how many equal titles within a period on `collapse-id-unused` speaks.
    case repeatedTitles
    /// That period.
    case repeatedTitlePeriod
    /// How many of an app's channels may be left for a warning, as a percentage of its limit.
    case channelsLeftPercent
    /// From how many channels on `channel-per-push` speaks.
    case channelPerPushMinimum
    /// How many channels there may be for 100 broadcasts.
    case channelPerPushPercent

    /// What a threshold is.
    package enum Kind: Sendable {
        /// Milliseconds.
        case duration
        case percentage
        case count
        /// Seconds since 1970.
        case time
    }

    private typealias Row = (kind: Kind, usual: Int64, rule: LintRule)

    /// What it is.
    package var kind: Kind { row.kind }
    /// Its value where nobody has set it.
    package var usual: Int64 { row.usual }
    /// The rule that compares with it.
    package var rule: LintRule { row.rule }

    private var row: Row {
        switch self {
        case .nearLimitPercent: (.percentage, 90, .payloadNearLimit)
        case .timestampPast: (.duration, 60_000, .timestampPast)
        case .timestampFuture: (.duration, 8 * 3_600_000, .timestampFuture)
        case .datesFrom: (.time, 1_000_000_000, .dateNotSeconds)
        case .datesTo: (.time, 100_000_000_000, .dateNotSeconds)
        case .dismissalAfterEnd: (.duration, 4 * 3_600_000, .dismissalWithoutEnd)
        case .tokenPerPushMinimum: (.count, 5, .tokenPerPush)
        case .tokenPerPushPercent: (.percentage, 50, .tokenPerPush)
        case .providerTokenUpdates: (.count, 2, .providerTokenUpdates)
        case .providerTokenUpdatePeriod: (.duration, 20 * 60_000, .providerTokenUpdates)
        case .providerTokenYoung: (.duration, 20 * 60_000, .providerTokenYoung)
        case .providerTokenOld: (.duration, 55 * 60_000, .providerTokenOld)
        case .providerTokenExpired: (.duration, 60 * 60_000, .providerTokenOld)
        case .connectionMinimum: (.count, 5, .connectionPerPush)
        case .connectionPerPushPercent: (.percentage, 80, .connectionPerPush)
        case .connectionChurn: (.count, 10, .connectionChurn)
        case .connectionChurnPeriod: (.duration, 60_000, .connectionChurn)
        case .pushesOneAtATime: (.count, 50, .notMultiplexed)
        case .burst: (.count, 10_000, .oneConnectionBurst)
        case .burstPeriod: (.duration, 10_000, .oneConnectionBurst)
        case .streamLimitNotice: (.duration, 1000, .streamLimitIgnored)
        case .idle: (.duration, 3_600_000, .idleWithoutPing)
        case .goAwayNotice: (.duration, 1000, .goawayIgnored)
        case .goAwayRetry: (.duration, 60_000, .goawayLost)
        case .cancelledCount: (.count, 5, .answerNotAwaited)
        case .cancelledPercent: (.percentage, 1, .answerNotAwaited)
        case .cancelledMinimum: (.count, 100, .answerNotAwaited)
        case .pushAfter410: (.duration, 1000, .pushAfter410)
        case .pushAfterBadToken: (.duration, 1000, .pushAfterBadToken)
        case .refusalPercent: (.percentage, 10, .tooManyRefusals)
        case .refusalWindow: (.count, 1000, .tooManyRefusals)
        case .retryAfterNotice: (.duration, 1000, .retryAfterIgnored)
        case .retryBackoff: (.duration, 1000, .retryWithoutBackoff)
        case .retryEvenGaps: (.count, 3, .retryWithoutBackoff)
        case .retryServerError: (.duration, 15 * 60_000, .retryEarly)
        case .retries: (.count, 5, .retryStorm)
        case .neverRetried: (.duration, 30 * 60_000, .neverRetried)
        case .withoutID: (.count, 10, .apnsIDMissing)
        case .withoutExpiration: (.count, 10, .expirationMissing)
        case .expirationsFrom: (.time, 1_000_000_000, .expirationUnit)
        case .expirationsTo: (.time, 100_000_000_000, .expirationUnit)
        case .voipExpiration: (.duration, 60_000, .voipExpiration)
        case .duplicatePeriod: (.duration, 60_000, .duplicatePush)
        case .backgroundPushes: (.count, 3, .backgroundTooMany)
        case .backgroundPeriod: (.duration, 3_600_000, .backgroundTooMany)
        case .complicationPushes: (.count, 50, .complicationTooMany)
        case .complicationPeriod: (.duration, 24 * 3_600_000, .complicationTooMany)
        case .urgentActivityPushes: (.count, 20, .liveactivityAllUrgent)
        case .urgentActivityPeriod: (.duration, 3_600_000, .liveactivityAllUrgent)
        case .collapsedTitles: (.count, 3, .collapseIDShared)
        case .repeatedTitles: (.count, 3, .collapseIDUnused)
        case .repeatedTitlePeriod: (.duration, 600_000, .collapseIDUnused)
        case .channelsLeftPercent: (.percentage, 10, .channelsLeft)
        case .channelPerPushMinimum: (.count, 5, .channelPerPush)
        case .channelPerPushPercent: (.percentage, 50, .channelPerPush)
        }
    }
}

extension LintRule {
    /// What it compares with, if that can be set; the first of several.
    package var threshold: LintThreshold? { LintThreshold.allCases.first { $0.rule == self } }
}
