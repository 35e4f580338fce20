/// How a provider handles its provider tokens: how many it makes, how old they become, who uses them.
struct ProviderTokenRules: Sendable {
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

    private let minimum, percent: Int
    private let young, old, expired: Int64
    private let followsClock: Bool
    /// By the number in the log, which is at most ``RequestLog/tokenLimit``; further tokens are left out.
    private var tokens: [Token] = []
    private var keys: [UInt64: Key] = [:]
    /// The token of the previous push, whose key need not be looked up again.
    private var previous: UInt32 = 0

    init(_ settings: LintSettings, _ run: LintedRun) {
        followsClock = run.tokensFollowClock
        minimum = Int(settings.value(of: .tokenPerPushMinimum))
        percent = Int(settings.value(of: .tokenPerPushPercent))
        young = settings.value(of: .providerTokenYoung)
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

    func finish(_ findings: inout ProviderFindings) {
        checkNumber(&findings)
        for token in tokens where token.before > 0 { checkSuccession(token, &findings) }
        checkTopics(&findings)
    }

    /// The number of tokens of each key.
    private func checkNumber(_ findings: inout ProviderFindings) {
        for ofKey in Dictionary(grouping: tokens.filter { $0.first > 0 }, by: \.key).values where ofKey.count > 1 {
            let pushes = ofKey.reduce(0) { $0 + $1.pushes }
            guard pushes >= minimum, ofKey.count * 100 >= pushes * percent else { continue }
            let renewals = ofKey.map(\.first).sorted().dropFirst()
            findings.report(
                .tokenPerPush, in: .init(first: renewals.first, last: renewals.last, count: renewals.count),
                "\(pushes) pushes came with \(ofKey.count) provider tokens of one key; keep one for 20 to 60 minutes")
        }
    }

    /// A token that was signed soon after the one that it follows, and not because that one was refused.
    private func checkSuccession(_ token: Token, _ findings: inout ProviderFindings) {
        let before = tokens[Int(token.before)]
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
