/// A rule of lint, by its id.
///
/// What there is to know of each is in one table: `LintRule+PayloadTable.swift` and `LintRule+ProviderTable.swift`.
package enum LintRule: String, Sendable, CaseIterable {
    case payloadNotJSON = "payload-not-json"
    case payloadNotObject = "payload-not-object"
    case payloadTooLarge = "payload-too-large"
    case payloadNearLimit = "payload-near-limit"
    case payloadDuplicateKey = "payload-duplicate-key"
    case payloadCompressed = "payload-compressed"
    case unpairedSurrogate = "unpaired-surrogate"
    case replacementCharacter = "replacement-character"
    case numberOutOfRange = "number-out-of-range"
    case apsMissing = "aps-missing"
    case apsMisspelled = "aps-misspelled"
    case apsNotObject = "aps-not-object"
    case apsNested = "aps-nested"
    case apsKeysOutside = "aps-keys-outside"
    case contentAvailableOutside = "content-available-outside"
    case apsUnknownKey = "aps-unknown-key"
    case keyMisspelled = "key-misspelled"
    case keyDeprecated = "key-deprecated"
    case keyTooNew = "key-too-new"
    case keyWrongPushType = "key-wrong-push-type"
    case alertType = "alert-type"
    case alertEmpty = "alert-empty"
    case alertIsString = "alert-is-string"
    case alertTitleMissing = "alert-title-missing"
    case alertTextType = "alert-text-type"
    case alertEscapedU = "alert-escaped-u"
    case alertPlaceholder = "alert-placeholder"
    case locArgsWithoutKey = "loc-args-without-key"
    case locKeyAndText = "loc-key-and-text"
    case locArgsType = "loc-args-type"
    case locKeyWithoutArgs = "loc-key-without-args"
    case locKeyUnknown = "loc-key-unknown"
    case locArgsCount = "loc-args-count"
    case stringKeyType = "string-key-type"
    case categoryUnknown = "category-unknown"
    case badgeType = "badge-type"
    case badgeNotWhole = "badge-not-whole"
    case badgeZeroWithAlert = "badge-zero-with-alert"
    case soundType = "sound-type"
    case soundObjectNotCritical = "sound-object-not-critical"
    case soundCriticalValues = "sound-critical-values"
    case soundDefaultCase = "sound-default-case"
    case soundFileKind = "sound-file-kind"
    case flagNotOne = "flag-not-one"
    case mutableWithoutAlert = "mutable-without-alert"
    case backgroundWithAlert = "background-with-alert"
    case backgroundWithoutFlag = "background-without-flag"
    case backgroundExtraKeys = "background-extra-keys"
    case alertShowsNothing = "alert-shows-nothing"
    case alertWakesApp = "alert-wakes-app"
    case contentChangedValue = "content-changed-value"
    case safariURLArgs = "safari-url-args"
    case fileproviderKeys = "fileprovider-keys"
    case mdmKeys = "mdm-keys"
    case locationPriority = "location-priority"
    case interruptionLevelValue = "interruption-level-value"
    case interruptionLevelCritical = "interruption-level-critical"
    case interruptionLevelPriority = "interruption-level-priority"
    case passiveWithSound = "passive-with-sound"
    case relevanceScoreRange = "relevance-score-range"
    case liveactivityEvent = "liveactivity-event"
    case liveactivityTimestamp = "liveactivity-timestamp"
    case dateNotSeconds = "date-not-seconds"
    case timestampPast = "timestamp-past"
    case timestampFuture = "timestamp-future"
    case contentStateType = "content-state-type"
    case contentStateDate = "content-state-date"
    case startIncomplete = "start-incomplete"
    case startAlertEmpty = "start-alert-empty"
    case inputPush = "input-push"
    case dismissalWithoutEnd = "dismissal-without-end"
    case staleBeforeTimestamp = "stale-before-timestamp"
    case liveactivityPriority = "liveactivity-priority"
    case broadcastStart = "broadcast-start"
    case secretValue = "secret-value"

    // What a provider does over a run.
    case tokenPerPush = "token-per-push"
    case providerTokenUpdates = "provider-token-updates"
    case providerTokenYoung = "provider-token-young"
    case providerTokenOld = "provider-token-old"
    case tokenPerTopic = "token-per-topic"
    case teamsOnOneConnection = "teams-on-one-connection"
    case connectionPerPush = "connection-per-push"
    case connectionChurn = "connection-churn"
    case notMultiplexed = "not-multiplexed"
    case oneConnectionBurst = "one-connection-burst"
    case streamLimitIgnored = "stream-limit-ignored"
    case idleWithoutPing = "idle-without-ping"
    case goawayIgnored = "goaway-ignored"
    case goawayLost = "goaway-lost"
    case answerNotAwaited = "answer-not-awaited"
    case pushAfter410 = "push-after-410"
    case pushAfterBadToken = "push-after-bad-token"
    case environmentsMixed = "environments-mixed"
    case tooManyRefusals = "too-many-refusals"
    case retryAfterIgnored = "retry-after-ignored"
    case retryUseless = "retry-useless"
    case retryWithoutBackoff = "retry-without-backoff"
    case retryEarly = "retry-early"
    case retryStorm = "retry-storm"
    case retryNewID = "retry-new-id"
    case neverRetried = "never-retried"
    case hostMissing = "host-missing"
    case headerUnknown = "header-unknown"
    case apnsIDMissing = "apns-id-missing"
    case apnsIDReused = "apns-id-reused"
    case pushTypeMissing = "push-type-missing"
    case backgroundPriority = "background-priority"
    case expirationUnit = "expiration-unit"
    case expirationPast = "expiration-past"
    case expirationMissing = "expiration-missing"
    case voipExpiration = "voip-expiration"
    case pushtotalkUrgency = "pushtotalk-urgency"
    case duplicatePush = "duplicate-push"
    case backgroundTooMany = "background-too-many"
    case complicationTooMany = "complication-too-many"
    case liveactivityAllUrgent = "liveactivity-all-urgent"
    case liveactivityNotStarted = "liveactivity-not-started"
    case collapseIDShared = "collapse-id-shared"
    case collapseIDUnused = "collapse-id-unused"
    case channelsLeft = "channels-left"
    case channelPerPush = "channel-per-push"
}

extension LintRule {
    /// What a rule is about.
    package enum Family: String, Sendable, CaseIterable {
        case body, aps, keys, alert, localization, identifiers, badge, sound, flags, background, interruption
        case liveActivities, secrets
        case providerTokens, connections, refusals, retries, headers, repetition, channels

        /// The heading of its rules in the documentation.
        package var title: String {
            switch self {
            case .body: "The body"
            case .aps: "The object aps"
            case .keys: "Keys"
            case .alert: "Alerts"
            case .localization: "Localized texts"
            case .identifiers: "Identifiers"
            case .badge: "Badges"
            case .sound: "Sounds"
            case .flags: "Flags"
            case .background: "Push types"
            case .interruption: "Interruption level and relevance"
            case .liveActivities: "Live Activities"
            case .secrets: "Secrets"
            case .providerTokens: "Provider tokens"
            case .connections: "Connections"
            case .refusals: "Refused pushes"
            case .retries: "Pushes sent again"
            case .headers: "Header fields"
            case .repetition: "Repeated pushes"
            case .channels: "Broadcast channels"
            }
        }

        /// Whether its rules judge what a provider does over a run, and not single payloads.
        package var isAboutProviders: Bool {
            switch self {
            case .providerTokens, .connections, .refusals, .retries, .headers, .repetition, .channels: true
            default: false
            }
        }
    }

    /// A line of the table.
    struct Row {
        var severity: LintSeverity
        var family: Family
        var finds: String
        var effect: String
        var sources: [LintSource]

        init(
            _ severity: LintSeverity, _ family: Family, _ finds: String, _ effect: String, _ sources: LintSource...
        ) {
            self.severity = severity
            self.family = family
            self.finds = finds
            self.effect = effect
            self.sources = sources
        }
    }

    /// Its line of the table.
    private var row: Row {
        guard let row = payloadRow ?? providerRow else { preconditionFailure("\(rawValue) is not in the table") }
        return row
    }

    /// How bad its findings are, where the scenario says nothing else and no finding is less bad than the others.
    package var severity: LintSeverity { row.severity }
    /// What it is about.
    package var family: Family { row.family }
    /// Whether each finding is about one push, which it names, and not about many together or their connections.
    package var isAboutPushes: Bool {
        switch self {
        case .tokenPerPush, .connectionPerPush, .connectionChurn, .notMultiplexed, .answerNotAwaited, .apnsIDMissing,
            .expirationMissing, .channelsLeft, .channelPerPush:
            false
        default: true
        }
    }
    /// What it finds, without a full stop.
    package var finds: String { row.finds }
    /// What happens to a push in which it has found something: a sentence.
    package var effect: String { row.effect + (row.effect.hasSuffix("?") ? "" : ".") }
    /// Where it comes from.
    package var sources: [LintSource] { row.sources }
    /// Where it comes from, in one line.
    package var source: String { row.sources.map(\.title).joined(separator: "; ") }
}
