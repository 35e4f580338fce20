/// How a provider repeats pushes that failed, and whether it does.
///
/// The latest failed pushes are kept, each until it is accepted.
struct RetryRules: Sendable {
    /// Why a push has to be sent again, or must not be.
    fileprivate enum Failure: Sendable {
        /// Not processed: it can be sent again at once.
        case unprocessed
        /// 429 or 5xx: later.
        case busy(isServers: Bool)
        /// Nobody knows whether it was processed.
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

    private let backoff, evenGaps, serverError, storm, neverRetried, goAwayRetry: Int64
    private var failed = RecentTable<State>()
    /// Those of which the body is not known: they are told apart by device token and topic only.
    private var refused = RecentTable<State>()

    init(_ settings: LintSettings) {
        backoff = settings.value(of: .retryBackoff)
        evenGaps = settings.value(of: .retryEvenGaps)
        serverError = settings.value(of: .retryServerError)
        storm = settings.value(of: .retries)
        neverRetried = settings.value(of: .neverRetried)
        goAwayRetry = settings.value(of: .goAwayRetry)
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

    // MARK: What comes again

    private func judge(_ push: ProviderPush, after state: inout State, _ findings: inout ProviderFindings) {
        let gap = push.time - state.failedAt
        state.attempts += 1
        if state.attempts > storm {
            findings.report(
                .retryStorm, push.sequence,
                "Push \(push.sequence) is the same as \(state.attempts - 1) before it, and none was accepted; give up "
                    + "after \(storm)")
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
        if gap < backoff {
            findings.report(
                .retryWithoutBackoff, push.sequence,
                "Push \(push.sequence) is push \(state.sequence) again, \(gap.asTime) after "
                    + "\(state.reason?.name ?? "the refusal"); wait for at least \(backoff.asTime), and longer each time"
            )
        } else if state.evenGaps >= max(1, Int(evenGaps) - 1) {
            findings.report(
                .retryWithoutBackoff, push.sequence,
                "Push \(push.sequence) is push \(state.sequence) again, after \(gap.asTime), and \(state.evenGaps + 1) "
                    + "pauses in a row were no longer; wait longer each time")
        }
        if isServers, gap < serverError {
            findings.report(
                .retryEarly, push.sequence,
                "Push \(push.sequence) is push \(state.sequence) again, \(gap.asTime) after "
                    + "\(state.reason?.name ?? "the refusal"); wait for \(serverError.asTime)")
        }
    }

    // MARK: What never comes again

    mutating func finish(_ findings: inout ProviderFindings, at end: Int64, isOver: Bool) {
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
            guard isOver || time >= goAwayRetry else { return }
            findings.report(
                .goawayLost, state.sequence,
                "Push \(state.sequence) was not processed, and was never sent again; send it on another connection")
        case .busy, .broken:
            guard !state.isOnlyForNow else { return }
            let isLate = time >= max(neverRetried, state.retryAfter ?? 0)
            // When nothing more can come, only what may wait for longer is still to be sent.
            guard isLate || isOver && time >= usualPause(after: state) else { return }
            findings.report(
                .neverRetried, state.sequence,
                "Push \(state.sequence) failed\(state.reason.map { " with \($0.name)" } ?? ""), and was not sent again "
                    + (isLate ? "within \(neverRetried.asTime)" : "before the end of the run")
                    + "; expected the same push, after a pause")
        case .useless, .other: break
        }
    }

    /// How long a provider should wait before it sends a push again.
    private func usualPause(after state: State) -> Int64 {
        if let retryAfter = state.retryAfter { return retryAfter }
        if case .busy(isServers: true) = state.failure { return serverError }
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
