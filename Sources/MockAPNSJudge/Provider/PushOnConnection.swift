import MockAPNSCore

extension LintRule {
    static let pushOnConnectionRules = [oneConnectionBurst, streamLimitIgnored, idleWithoutPing, goawayIgnored]

    static let oneConnectionBurst = LintRule(
        id: "one-connection-burst", severity: .note, finds: "more than 10,000 pushes in 10 s on one connection",
        effect: "Several connections are faster.", sources: [.sending], thresholds: [.burst, .burstPeriod],
        judge: RunCheck(ConnectionRules.self))

    static let streamLimitIgnored = LintRule(
        id: "stream-limit-ignored", severity: .warning, finds: "a stream beyond the server's limit of streams",
        effect: "It is refused, and has to be sent again.", sources: [.guide], thresholds: [.streamLimitNotice],
        judge: RunCheck(ConnectionRules.self))

    static let idleWithoutPing = LintRule(
        id: "idle-without-ping", severity: .note,
        finds: "a push that failed after an hour without a push, on a connection without any PING",
        effect: "The connection may have ended long before.", sources: [.sending, .reported("AndrewBarba/apns2#97")],
        thresholds: [.idle], judge: RunCheck(ConnectionRules.self))

    static let goawayIgnored = LintRule(
        id: "goaway-ignored", severity: .error,
        finds: "pushes on a connection that go on for a second or more after its GOAWAY",
        effect: "It is never processed.", sources: [.reported("jchambers/pushy#567")], thresholds: [.goAwayNotice],
        judge: RunCheck(ConnectionRules.self))
}

extension LintThreshold {
    /// How many pushes may come on a connection within a period.
    static let burst = Self(name: "burst", kind: .count, usual: 10_000)
    /// The period for ``burst``.
    static let burstPeriod = Self(name: "burstPeriod", kind: .duration, usual: 10_000)
    /// How long after the limit of streams has fallen a push may have been under way.
    static let streamLimitNotice = Self(name: "streamLimitNotice", kind: .duration, usual: 1000)
    /// How long a connection may be without a push or a PING.
    static let idle = Self(name: "idle", kind: .duration, usual: 3_600_000)
    /// How long after a GOAWAY a push may have been under way.
    static let goAwayNotice = Self(name: "goAwayNotice", kind: .duration, usual: 1000)
}

/// Judges a push by the pushes before it on its connection.
struct PushOnConnection: Sendable {
    let run: LintedRun
    let updates, updatePeriod: Int64
    private let burst, burstPeriod, idle, notice, limitNotice: Int64

    init(_ settings: LintSettings, _ run: LintedRun) {
        self.run = run
        updates = settings.value(of: .providerTokenUpdates)
        updatePeriod = settings.value(of: .providerTokenUpdatePeriod)
        burst = settings.value(of: .burst)
        burstPeriod = settings.value(of: .burstPeriod)
        idle = settings.value(of: .idle)
        notice = settings.value(of: .goAwayNotice)
        limitNotice = settings.value(of: .streamLimitNotice)
    }

    func note(_ push: ProviderPush, on state: inout ConnectionRules.State, _ findings: inout ProviderFindings) {
        checkTokens(push, &state, &findings)
        checkStreamLimit(push, &state, &findings)
        checkIdle(push, state, &findings)
        checkGoAway(push, &state, &findings)
        state.pushes += 1
        state.last = push.sequence
        state.lastTime = push.time
        state.mostInFlight = max(state.mostInFlight, push.record.inFlight)
        if state.pushesOnceAccepted > 0 || push.isAccepted { state.pushesOnceAccepted += 1 }
        if push.record.reason == .expiredProviderToken { state.hadExpiredToken = true }
        if push.record.outcome == .closed || state.hadExpiredToken { state.isEndedByServer = true }
        let isTooMany = state.times.note(push.time, most: Int(burst), within: burstPeriod)
        if isTooMany, !state.isBurst {
            findings.report(
                .oneConnectionBurst, push.sequence,
                "More than \(burst) pushes came in \(burstPeriod.asTime) on one connection; use several for so many")
        }
        state.isBurst = isTooMany
    }

    /// A provider that sends at the moment the limit falls cannot know about it; after a while it must.
    private func checkStreamLimit(
        _ push: ProviderPush, _ state: inout ConnectionRules.State, _ findings: inout ProviderFindings
    ) {
        guard isOverStreamLimit(push, state) else {
            // It is higher again.
            if push.isAccepted, push.record.inFlight > 1 { state.refusedAt = nil }
            return
        }
        if run.streamLimit == nil, state.pushesOnceAccepted > 0 {
            let refusedAt = state.refusedAt ?? push.time
            state.refusedAt = refusedAt
            guard push.time - refusedAt >= limitNotice else { return }
        }
        findings.report(
            .streamLimitIgnored, push.sequence,
            "Push \(push.sequence) was one stream too many, and was reset; wait for SETTINGS, and send one push until "
                + "the first is accepted")
    }

    /// Whether the connection had no room for the push. An expired provider token may have made the connection useless;
    /// what it refuses from then on need not be a matter of the limit.
    private func isOverStreamLimit(_ push: ProviderPush, _ state: ConnectionRules.State) -> Bool {
        push.isRefusedStream && push.record.decidedBy == .connection && !state.hadExpiredToken
    }

    private func checkIdle(_ push: ProviderPush, _ state: ConnectionRules.State, _ findings: inout ProviderFindings) {
        guard let lastTime = state.lastTime, push.time - lastTime > idle, push.record.outcome.isWithoutAnswer,
            run.connections[state.id]?.reported?.pings == 0
        else { return }
        findings.report(
            .idleWithoutPing, push.sequence,
            "Push \(push.sequence) failed after \((push.time - lastTime).asTime) without a push, and its connection "
                + "never had a PING; send one now and then")
    }

    /// A provider that sends at the moment of a GOAWAY cannot know about it; after a while it must.
    private func checkGoAway(
        _ push: ProviderPush, _ state: inout ConnectionRules.State, _ findings: inout ProviderFindings
    ) {
        guard push.record.outcome == .goAway || push.record.outcome == .ignored else { return }
        state.isEndedByServer = true
        guard let goAwayAt = state.goAwayAt else {
            state.goAwayAt = push.time
            return
        }
        guard push.record.outcome == .ignored, push.time - goAwayAt >= notice else { return }
        findings.report(
            .goawayIgnored, push.sequence,
            "Push \(push.sequence) came \((push.time - goAwayAt).asTime) after a GOAWAY on its connection; open another "
                + "for further pushes")
    }
}

extension Outcome {
    /// Whether no answer was sent.
    fileprivate var isWithoutAnswer: Bool {
        switch self {
        case .responded, .delayed: false
        case .stalled, .reset, .goAway, .closed, .ignored, .cancelled: true
        }
    }
}
