import MockAPNSCore

extension LintRule {
    static let retryRules = [retryUseless, retryWithoutBackoff, retryEarly, retryStorm, retryNewID, neverRetried]

    static let retryUseless = LintRule(
        id: "retry-useless", severity: .error,
        finds: "a push that was refused for what it contains is sent again unchanged",
        effect: "It is refused again.", sources: [.responses], judge: RunCheck(RetryRules.self))

    static let retryWithoutBackoff = LintRule(
        id: "retry-without-backoff", severity: .warning,
        finds: "a push is sent again less than a second after 429 or 5xx, or after three pauses that do not grow",
        effect: "A busy server becomes busier.", sources: [.responses], thresholds: [.retryBackoff, .retryEvenGaps],
        judge: RunCheck(RetryRules.self))

    static let retryEarly = LintRule(
        id: "retry-early", severity: .note, finds: "a push is sent again less than 15 minutes after 5xx",
        effect: "Apple asks to wait that long.", sources: [.responses], thresholds: [.retryServerError],
        judge: RunCheck(RetryRules.self))

    static let retryStorm = LintRule(
        id: "retry-storm", severity: .warning, finds: "a push is sent more than five times without being accepted",
        effect: "It costs more than it gains.", sources: [.judgement], thresholds: [.retries],
        judge: RunCheck(RetryRules.self))

    static let retryNewID = LintRule(
        id: "retry-new-id", severity: .note, finds: "a push is sent again with another `apns-id`",
        effect: "If only the answer was lost, one push has two ids.", sources: [.reported("jchambers/pushy#794")],
        judge: RunCheck(RetryRules.self))

    static let neverRetried = LintRule(
        id: "never-retried", severity: .warning,
        finds: "a push that failed with 429, 5xx, a reset or the end of its connection is not sent again within 30 "
            + "minutes, or before the end of the run",
        effect: "The device never gets it.", sources: [.responses], thresholds: [.neverRetried],
        judge: RunCheck(RetryRules.self))
}

extension LintThreshold {
    /// How soon a push that was not processed has to be sent again.
    static let goAwayRetry = Self(name: "goAwayRetry", kind: .duration, usual: 60_000)
    /// How long a provider has to wait after 429 or 5xx at least.
    static let retryBackoff = Self(name: "retryBackoff", kind: .duration, usual: 1000)
    /// From how many pauses in a row on that do not grow `retry-without-backoff` speaks.
    static let retryEvenGaps = Self(name: "retryEvenGaps", kind: .count, usual: 3)
    /// How long it should wait after 5xx.
    static let retryServerError = Self(name: "retryServerError", kind: .duration, usual: 15 * 60_000)
    /// How often a push may be sent without being accepted.
    static let retries = Self(name: "retries", kind: .count, usual: 5)
    /// How soon a push that failed should be sent again.
    static let neverRetried = Self(name: "neverRetried", kind: .duration, usual: 30 * 60_000)
}

/// How a provider repeats pushes that failed, and whether it does.
///
/// The latest failed pushes are kept, each until it is accepted.
struct RetryRules: RunJudge {
    /// Why a push has to be sent again, or must not be.
    fileprivate enum Failure: Sendable {
        /// Not processed: it can be sent again at once.
        case unprocessed
        /// 429 or 5xx: later.
        case busy(isServers: Bool)
        /// It may have been processed, or not.
        case broken
        /// It can never be accepted as it is.
        case useless
        /// Any other.
        case other
    }

    fileprivate struct State: Sendable {
        var sequence: Int
        var failedAt: Int64
        var failure: Failure
        var reason: Reason?
        var wasScripted: Bool
        var retryAfter: Int64?
        var fields: UInt64
        var sentID: UInt64
        /// How often it was sent since it was last accepted.
        var attempts = 1
        /// The last gap before it was sent again.
        var gap: Int64 = 0
        /// How many gaps in a row did not grow.
        var evenGaps = 0
        /// Whether it need not be sent again: `apns-expiration` 0.
        var isOnlyForNow: Bool
    }

    private let settings: LintSettings
    /// Whether nothing more can come.
    private let isOver: Bool
    private var failed = RecentTable<State>()
    /// The failed pushes whose body is not known: they are told apart by device token and topic only.
    private var refused = RecentTable<State>()

    init(_ settings: LintSettings, _ run: LintedRun) {
        isOver = run.isOver
        self.settings = settings
    }

    mutating func check(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        if !refused.isEmpty { refused.remove(PushHash.of(push.device, push.topic)) }
        let failure = Self.failure(of: push)
        guard !push.record.isCutOff else {
            let state = State(push, failure ?? .other)
            if let old = refused.insert(state, for: PushHash.of(push.device, push.topic)) {
                judge(old, at: push.time, isOver: false, &findings)
            }
            return
        }
        // By far the most pushes are accepted, and were not refused before.
        guard failure != nil || !failed.isEmpty else { return }
        if var state = failed[push.key] {
            judge(push, after: &state, &findings)
            guard let failure else { return failed.remove(push.key) }
            var next = State(push, failure)
            (next.attempts, next.gap, next.evenGaps) = (state.attempts, state.gap, state.evenGaps)
            if push.sentID == 0 { next.sentID = state.sentID }
            failed.insert(next, for: push.key)
        } else if let failure, let old = failed.insert(State(push, failure), for: push.key) {
            judge(old, at: push.time, isOver: false, &findings)
        }
    }

    private static func failure(of push: ProviderPush) -> Failure? {
        switch push.record.outcome {
        case .goAway, .ignored: return .unprocessed
        case .reset: return push.isRefusedStream ? .unprocessed : .broken
        case .closed: return .broken
        case .stalled, .cancelled: return .other
        case .responded, .delayed: break
        }
        guard let status = push.record.status, status != 200 else { return nil }
        if push.record.isBusy { return .busy(isServers: status >= 500) }
        return push.record.reason?.isAboutThePush == true ? .useless : .other
    }

    // MARK: Repeated pushes

    private func judge(_ push: ProviderPush, after state: inout State, _ findings: inout ProviderFindings) {
        let gap = push.time - state.failedAt
        state.attempts += 1
        if state.attempts > settings.value(of: .retries) {
            findings.report(
                .retryStorm, push.sequence,
                "Push \(push.sequence) is the same as \(state.attempts - 1) before it, and none was accepted; give up "
                    + "after \(settings.value(of: .retries))")
        }
        switch state.failure {
        case .busy(let isServers): judgeGap(push, gap, after: &state, isServers: isServers, &findings)
        case .useless:
            let isSame =
                state.fields == push.fields && (state.reason != .badMessageID || state.sentID == push.sentID)
            // If it is accepted now, something has changed; unless a rule was to blame.
            if isSame, !push.isAccepted || state.wasScripted, let reason = state.reason {
                findings.report(
                    .retryUseless, push.sequence,
                    "Push \(push.sequence) is the same as push \(state.sequence), which was refused with \(reason.name); "
                        + "change what was wrong, or give it up")
            }
        case .unprocessed, .broken, .other: break
        }
        if case .useless = state.failure { return }
        if state.sentID != 0, push.sentID != 0, state.sentID != push.sentID {
            findings.report(
                .retryNewID, push.sequence,
                "Push \(push.sequence) is push \(state.sequence) again, with another apns-id; keep the id")
        }
    }

    private func judgeGap(
        _ push: ProviderPush, _ gap: Int64, after state: inout State, isServers: Bool,
        _ findings: inout ProviderFindings
    ) {
        // A provider that waited as long as `retry-after` says did right. Timers are not exact to the millisecond.
        if let retryAfter = state.retryAfter, gap + 10 >= retryAfter {
            (state.gap, state.evenGaps) = (0, 0)
            return
        }
        // Timers are not exact.
        let hasGrown = gap > state.gap + state.gap / 10
        state.evenGaps = state.gap > 0 && !hasGrown ? state.evenGaps + 1 : 0
        state.gap = max(gap, 1)
        if gap < settings.value(of: .retryBackoff) {
            findings.report(
                .retryWithoutBackoff, push.sequence,
                "Push \(push.sequence) is push \(state.sequence) again, \(gap.asTime) after "
                    + "\(state.reason?.name ?? "the refusal"); wait for at least "
                    + "\(settings.value(of: .retryBackoff).asTime), and longer each time")
        } else if state.evenGaps >= max(1, settings.count(of: .retryEvenGaps) - 1) {
            findings.report(
                .retryWithoutBackoff, push.sequence,
                "Push \(push.sequence) is push \(state.sequence) again, after \(gap.asTime), and \(state.evenGaps + 1) "
                    + "pauses in a row were no longer; wait longer each time")
        }
        if isServers, gap < settings.value(of: .retryServerError) {
            findings.report(
                .retryEarly, push.sequence,
                "Push \(push.sequence) is push \(state.sequence) again, \(gap.asTime) after "
                    + "\(state.reason?.name ?? "the refusal"); wait for \(settings.value(of: .retryServerError).asTime)"
            )
        }
    }

    // MARK: Pushes never repeated

    func finish(_ findings: inout ProviderFindings, at end: Int64) {
        var states: [State] = []
        failed.forEach { states.append($0) }
        refused.forEach { states.append($0) }
        for state in states.sorted(by: { $0.sequence < $1.sequence }) {
            judge(state, at: end, isOver: isOver, &findings)
        }
    }

    private func judge(_ state: State, at end: Int64, isOver: Bool, _ findings: inout ProviderFindings) {
        let time = end - state.failedAt
        switch state.failure {
        case .unprocessed:
            guard isOver || time >= settings.value(of: .goAwayRetry) else { return }
            findings.report(
                .goawayLost, state.sequence,
                "Push \(state.sequence) was not processed, and was never sent again; send it on another connection")
        case .busy, .broken:
            guard !state.isOnlyForNow else { return }
            let isLate = time >= max(settings.value(of: .neverRetried), state.retryAfter ?? 0)
            // When nothing more can come, only what may wait for longer is still to be sent.
            guard isLate || isOver && time >= usualPause(after: state) else { return }
            findings.report(
                .neverRetried, state.sequence,
                "Push \(state.sequence) failed\(state.reason.map { " with \($0.name)" } ?? ""), and was not sent again "
                    + (isLate ? "within \(settings.value(of: .neverRetried).asTime)" : "before the end of the run")
                    + "; expected the same push, after a pause")
        case .useless, .other: break
        }
    }

    /// How long a provider should wait before it sends a push again.
    private func usualPause(after state: State) -> Int64 {
        if let retryAfter = state.retryAfter { return retryAfter }
        if case .busy(isServers: true) = state.failure { return settings.value(of: .retryServerError) }
        return 0
    }
}

extension RetryRules.State {
    fileprivate init(_ push: ProviderPush, _ failure: RetryRules.Failure) {
        sequence = push.sequence
        failedAt = push.time
        self.failure = failure
        reason = push.record.reason
        wasScripted = push.isScripted
        retryAfter = push.retryAfter
        fields = push.fields
        sentID = push.sentID
        isOnlyForNow = push.record.expiration == 0
    }
}

extension Reason {
    /// Whether it says that the request itself can never be accepted; what is wrong with a device token has rules of
    /// its own.
    fileprivate var isAboutThePush: Bool {
        switch self {
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .badTopic, .duplicateHeaders,
            .invalidPushType, .missingDeviceToken, .missingTopic, .payloadEmpty, .topicDisallowed, .forbidden,
            .payloadTooLarge:
            true
        default: false
        }
    }
}
