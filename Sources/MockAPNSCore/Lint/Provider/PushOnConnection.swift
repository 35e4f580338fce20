/// Judges a push by the pushes before it on its connection.
struct PushOnConnection: Sendable {
    private let run: LintedRun
    private let updates, updatePeriod, burst, burstPeriod, idle, notice, limitNotice: Int64

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

    private func checkTokens(
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
            run.connections[state.id]?.pings == 0
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
