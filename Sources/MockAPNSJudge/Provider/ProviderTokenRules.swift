import MockAPNSCore

extension LintRule {
    static let providerTokenRules = [
        tokenPerPush, providerTokenUpdates, providerTokenYoung, providerTokenOld, tokenPerTopic, teamsOnOneConnection,
    ]

    static let tokenPerPush = LintRule(
        id: "token-per-push", severity: .error,
        finds: "at least five pushes with provider tokens of one key, and at least half as many tokens as pushes",
        effect: "APNs refuses new tokens with TooManyProviderTokenUpdates.",
        sources: [.tokens, .reported("swift-server-community/APNSwift#34")],
        thresholds: [.tokenPerPushMinimum, .tokenPerPushPercent], judge: RunCheck(ProviderTokenRules.self),
        isAboutPushes: false)

    static let providerTokenUpdates = LintRule(
        id: "provider-token-updates", severity: .error,
        finds: "more than two provider tokens in 20 minutes on one connection",
        effect: "APNs may refuse pushes with the next one: TooManyProviderTokenUpdates.", sources: [.tokens],
        thresholds: [.providerTokenUpdates, .providerTokenUpdatePeriod],
        judge: RunCheck(ConnectionRules.self))

    static let providerTokenYoung = LintRule(
        id: "provider-token-young", severity: .warning,
        finds: "a provider token signed less than 20 minutes after the one that it replaces, which had not been "
            + "refused",
        effect: "Apple asks for a provider token to be kept for at least 20 minutes.",
        sources: [.tokens, .reported("AndrewBarba/apns2#44")], thresholds: [.providerTokenYoung],
        judge: RunCheck(ProviderTokenRules.self))

    static let providerTokenOld = LintRule(
        id: "provider-token-old", severity: .warning,
        finds: "a provider token older than 55 minutes; older than 60 is an error",
        effect: "After an hour APNs refuses it with ExpiredProviderToken.", sources: [.tokens],
        thresholds: [.providerTokenOld, .providerTokenExpired], judge: RunCheck(ProviderTokenRules.self))

    static let tokenPerTopic = LintRule(
        id: "token-per-topic", severity: .warning,
        finds: "provider tokens of one key in use at the same time, each for topics of its own",
        effect: "Each counts as an update of the other.", sources: [.tokens, .reported("Pr0Ger/PyAPNs2#76")],
        judge: RunCheck(ProviderTokenRules.self))

    static let teamsOnOneConnection = LintRule(
        id: "teams-on-one-connection", severity: .error, finds: "provider tokens of several teams on one connection",
        effect: "APNs accepts only the tokens of the first team.", sources: [.reported("forums/thread/72999")],
        judge: RunCheck(ConnectionRules.self))
}

extension LintThreshold {
    /// From how many pushes with a provider token on `token-per-push` speaks.
    static let tokenPerPushMinimum = Self(name: "tokenPerPushMinimum", kind: .count, usual: 5)
    /// How many provider tokens there may be for 100 pushes.
    static let tokenPerPushPercent = Self(name: "tokenPerPushPercent", kind: .percentage, usual: 50)
    /// How many provider tokens a connection may have within a period.
    static let providerTokenUpdates = Self(name: "providerTokenUpdates", kind: .count, usual: 2)
    /// The period for ``providerTokenUpdates``.
    static let providerTokenUpdatePeriod = Self(name: "providerTokenUpdatePeriod", kind: .duration, usual: 20 * 60_000)
    /// How long a provider token should be kept at least.
    static let providerTokenYoung = Self(name: "providerTokenYoung", kind: .duration, usual: 20 * 60_000)
    /// How old a provider token should become at most.
    static let providerTokenOld = Self(name: "providerTokenOld", kind: .duration, usual: 55 * 60_000)
    /// From which age on that is an error.
    static let providerTokenExpired = Self(name: "providerTokenExpired", kind: .duration, usual: 60 * 60_000)
}

/// How a provider handles its provider tokens: how many it makes, how old they become, who uses them.
struct ProviderTokenRules: RunJudge {
    /// A provider token.
    private struct Token: Sendable {
        var key: UInt64 = 0
        var issuedAt: Timestamp?
        var first = 0
        var last = 0
        var pushes = 0
        /// How often it was used again right after another token of the same key.
        var returns = 0
        /// The topics it was used for; no more than ``ProviderTokenRules/topicLimit``.
        var topics: [UInt64] = []
        /// Whether the last push with it was refused because of it.
        var wasRefused = false
        /// The token of the same key that was first used before it; 0 for none.
        var before: UInt32 = 0
    }

    /// A signing key.
    private struct Key: Sendable {
        /// The token that was first used last.
        var newest: UInt32 = 0
        /// The token that was used last.
        var current: UInt32 = 0
    }

    /// Maximum number of topics that are told apart for a provider token.
    private static let topicLimit = 16
    /// Maximum number of later tokens that one is compared with.
    private static let neighbours = 64

    private let old, expired: Int64
    private let followsClock: Bool
    /// By the number in the log, which is at most ``RequestLog/tokenLimit``; further tokens are left out.
    private var tokens: [Token] = []
    private var keys: [UInt64: Key] = [:]
    /// The token of the previous push, whose key need not be looked up again.
    private var previous: UInt32 = 0

    init(_ settings: LintSettings, _ run: LintedRun) {
        followsClock = run.tokensFollowClock
        old = settings.value(of: .providerTokenOld)
        expired = settings.value(of: .providerTokenExpired)
    }

    mutating func check(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        guard push.tokenNumber > 0, push.tokenNumber <= UInt32(RequestLog.tokenLimit), let token = push.token
        else { return }
        let index = Int(push.tokenNumber)
        if let issuedAt = token.issuedAt { checkAge(push, issuedAt, &findings) }
        while tokens.count <= index { tokens.append(Token()) }
        if tokens[index].first == 0 { begin(token, push) }
        tokens[index].last = push.sequence
        tokens[index].pushes += 1
        tokens[index].wasRefused = push.record.status == 403
        if tokens[index].topics.last != push.topic, tokens[index].topics.count < Self.topicLimit,
            !tokens[index].topics.contains(push.topic)
        {
            tokens[index].topics.append(push.topic)
        }
        if previous != push.tokenNumber {
            previous = push.tokenNumber
            let key = tokens[index].key
            let current = keys[key]?.current ?? 0
            if current != push.tokenNumber {
                keys[key]?.current = push.tokenNumber
                if tokens[index].first != push.sequence { tokens[index].returns += 1 }
            }
        }
    }

    private mutating func begin(_ token: ProviderToken, _ push: ProviderPush) {
        var hash = PushHash()
        for text in [token.keyID, token.teamID] {
            let bytes = Array((text ?? "").utf8)
            hash.mix(bytes.span)
        }
        let index = Int(push.tokenNumber)
        tokens[index].key = hash.value
        tokens[index].issuedAt = token.issuedAt
        tokens[index].first = push.sequence
        tokens[index].before = keys[hash.value]?.newest ?? 0
        keys[hash.value, default: Key()].newest = push.tokenNumber
    }

    private func checkAge(_ push: ProviderPush, _ issuedAt: Timestamp, _ findings: inout ProviderFindings) {
        let age = (followsClock ? push.clock : push.time) - issuedAt.milliseconds
        guard age > min(old, expired) else { return }
        findings.report(
            .providerTokenOld, push.sequence, severity: age > expired ? .error : nil,
            "The provider token of push \(push.sequence) is \(age.asTime) old; sign another after 20 to 60 minutes")
    }

    func finish(_ findings: inout ProviderFindings, at end: Int64) {
        checkNumber(&findings)
        for token in tokens where token.before > 0 { checkSuccession(token, &findings) }
        checkTopics(&findings)
    }

    /// The number of tokens of each key.
    private func checkNumber(_ findings: inout ProviderFindings) {
        let keys = Dictionary(grouping: tokens.filter { $0.first > 0 }, by: \.key).values.filter { $0.count > 1 }
            .map { tokens in (tokens: tokens, renewals: tokens.map(\.first).sorted().dropFirst()) }
        // Of several keys, the message is about the one that was renewed first, in every run.
        for (ofKey, renewals) in keys.sorted(by: { $0.renewals.first ?? 0 < $1.renewals.first ?? 0 }) {
            let pushes = ofKey.reduce(0) { $0 + $1.pushes }
            guard pushes >= findings.settings.count(of: .tokenPerPushMinimum),
                ofKey.count * 100 >= pushes * findings.settings.count(of: .tokenPerPushPercent)
            else { continue }
            findings.report(
                .tokenPerPush, in: .init(first: renewals.first, last: renewals.last, count: renewals.count),
                "\(pushes) pushes came with \(ofKey.count) provider tokens of one key; keep one for 20 to 60 minutes")
        }
    }

    /// A token that was signed soon after the one that it follows, and not because that one was refused.
    private func checkSuccession(_ token: Token, _ findings: inout ProviderFindings) {
        let (before, young) = (tokens[Int(token.before)], findings.settings.value(of: .providerTokenYoung))
        guard !before.wasRefused, before.last < token.first, let issuedAt = token.issuedAt?.milliseconds,
            let earlier = before.issuedAt?.milliseconds, 0..<young ~= issuedAt - earlier
        else { return }
        findings.report(
            .providerTokenYoung, token.first,
            "The provider token of push \(token.first) was signed \((issuedAt - earlier).asTime) after the one "
                + "before it; keep a token for at least \(young.asTime)")
    }

    /// Tokens of one key in use at the same time, each for topics of its own.
    private func checkTopics(_ findings: inout ProviderFindings) {
        let inTurn = tokens.filter { $0.returns >= 2 }.sorted { $0.first < $1.first }
        for (index, token) in inTurn.enumerated() {
            for other in inTurn.dropFirst(index + 1).prefix(Self.neighbours) {
                guard other.first < token.last else { break }
                guard other.key == token.key, Set(token.topics).isDisjoint(with: other.topics) else { continue }
                findings.report(
                    .tokenPerTopic, other.first,
                    "Push \(other.first) has a provider token for topics of its own, and push \(token.first) another of "
                        + "the same key; one token is for all topics of the team")
                break
            }
        }
    }
}

extension PushOnConnection {
    /// Judges the provider tokens of a connection.
    func checkTokens(
        _ push: ProviderPush, _ state: inout ConnectionRules.State, _ findings: inout ProviderFindings
    ) {
        guard let token = push.token else { return }
        if push.record.providerToken > state.newestToken {
            state.newestToken = push.record.providerToken
            let time = run.tokensFollowClock ? push.clock : push.time
            if state.tokenTimes.note(time, most: Int(updates), within: updatePeriod) {
                findings.report(
                    .providerTokenUpdates, push.sequence,
                    "Push \(push.sequence) brings more than \(updates) provider tokens in \(updatePeriod.asTime) to its "
                        + "connection; keep one for at least that time")
            }
            guard let teamID = token.teamID else { return }
            let bytes = Array(teamID.utf8)
            let team = PushHash.of(bytes.span)
            if state.team == 0 { state.team = team }
        }
        guard state.newestToken > 1, let teamID = token.teamID else { return }
        let bytes = Array(teamID.utf8)
        guard PushHash.of(bytes.span) != state.team else { return }
        findings.report(
            .teamsOnOneConnection, push.sequence,
            "The provider token of push \(push.sequence) is of team \(teamID.cut(at: 80).quotedForPeople), and its "
                + "connection began with another; use a connection for each team")
    }
}
