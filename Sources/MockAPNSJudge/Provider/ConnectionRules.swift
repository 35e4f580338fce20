import MockAPNSCore

extension LintRule {
    static let connectionRules =
        [connectionPerPush, connectionChurn, notMultiplexed] + pushOnConnectionRules + [goawayLost, answerNotAwaited]

    static let goawayLost = LintRule(
        id: "goaway-lost", severity: .error,
        finds: "a push above the last stream of a GOAWAY, or refused with REFUSED_STREAM, that is never sent again",
        effect: "The device never gets it; such a push is safe to repeat.", sources: [.reported("jchambers/pushy#865")],
        thresholds: [.goAwayRetry], judge: RunCheck(RetryRules.self))

    static let connectionPerPush = LintRule(
        id: "connection-per-push", severity: .error,
        finds: "at least five connections for one team, 80 % or more of them with a single push",
        effect: "APNs may take rapid connecting and disconnecting for an attack.",
        sources: [.guide, .reported("nodeapps/HttpTwo#15")],
        thresholds: [.connectionMinimum, .connectionPerPushPercent], judge: RunCheck(ConnectionRules.self),
        isAboutPushes: false)

    static let connectionChurn = LintRule(
        id: "connection-churn", severity: .warning,
        finds: "ten connections opened and closed by the client within 60 s",
        effect: "APNs may take that for an attack.", sources: [.troubleshooting],
        thresholds: [.connectionChurn, .connectionChurnPeriod], judge: RunCheck(ConnectionRules.self),
        isAboutPushes: false)

    static let notMultiplexed = LintRule(
        id: "not-multiplexed", severity: .note,
        finds: "50 or more pushes on one connection, never two at a time although the limit of streams allows it",
        effect: "Each push waits for the answer to the one before it.", sources: [.guide, .judgement],
        thresholds: [.pushesOneAtATime], judge: RunCheck(ConnectionRules.self), isAboutPushes: false)

    static let answerNotAwaited = LintRule(
        id: "answer-not-awaited", severity: .warning,
        finds: "five pushes canceled before they were answered, or 1 % of a hundred or more",
        effect: "Their outcome is not known.", sources: [.reported("jchambers/pushy#732")],
        thresholds: [.cancelledCount, .cancelledPercent, .cancelledMinimum], judge: RunCheck(ConnectionRules.self),
        isAboutPushes: false)
}

extension LintThreshold {
    /// From how many connections on `connection-per-push` speaks.
    static let connectionMinimum = Self(name: "connectionMinimum", kind: .count, usual: 5)
    /// How many of 100 connections may have only one push.
    static let connectionPerPushPercent = Self(name: "connectionPerPushPercent", kind: .percentage, usual: 80)
    /// How many connections may be opened and closed within a period.
    static let connectionChurn = Self(name: "connectionChurn", kind: .count, usual: 10)
    /// The period for ``connectionChurn``.
    static let connectionChurnPeriod = Self(name: "connectionChurnPeriod", kind: .duration, usual: 60_000)
    /// From how many pushes on a connection on `not-multiplexed` speaks.
    static let pushesOneAtATime = Self(name: "pushesOneAtATime", kind: .count, usual: 50)
    /// From how many canceled pushes on `answer-not-awaited` speaks.
    static let cancelledCount = Self(name: "cancelledCount", kind: .count, usual: 5)
    /// From which percentage of canceled pushes on it speaks.
    static let cancelledPercent = Self(name: "cancelledPercent", kind: .percentage, usual: 1)
    /// From how many pushes on that percentage counts.
    static let cancelledMinimum = Self(name: "cancelledMinimum", kind: .count, usual: 100)
}

/// How a provider uses its connections.
///
/// The state of the latest ``connectionLimit`` connections is kept.
struct ConnectionRules: RunJudge {
    struct State: Sendable {
        var id: UInt32
        var isOfRun: Bool
        var first: Int
        var last: Int
        var team: UInt64 = 0
        /// The topic of the first push.
        var topic: UInt64
        /// Number of pushes.
        var pushes = 0
        /// Number of pushes since the first that was accepted.
        var pushesOnceAccepted = 0
        var mostInFlight: UInt32 = 0
        /// The real time of the last push; before the first, that of the opening, if it is known.
        var lastTime: Int64?
        /// When a stream was first refused since the limit of streams may have fallen.
        var refusedAt: Int64?
        /// When it was first certain that there had been a GOAWAY.
        var goAwayAt: Int64?
        /// Whether a provider token on it had expired, which may make it useless.
        var hadExpiredToken = false
        /// Whether the server ended it, or made it useless.
        var isEndedByServer = false
        var newestToken: UInt32 = 0
        var tokenTimes = RecentTimes()
        var times = RecentTimes()
        var isBurst = false
    }

    /// A sender that needs connections of its own: a team, or without provider tokens, a topic.
    private struct Owner: Sendable {
        var connections = 0
        /// The number of connections with one push.
        var singles = 0
        var firstSingle = Int.max
        var lastSingle = 0

        mutating func note(_ state: State) {
            connections += 1
            guard state.pushes == 1 else { return }
            singles += 1
            firstSingle = min(firstSingle, state.first)
            lastSingle = max(lastSingle, state.last)
        }
    }

    /// Maximum number of connections whose state is kept.
    private static let connectionLimit = 65_536

    private let run: LintedRun
    private let judge: PushOnConnection
    private var table = RecentTable<State>(limit: connectionLimit)
    private var owners: [UInt64: Owner] = [:]
    private var pushes = 0
    private var cancelled = 0
    private var firstCancelled = 0
    private var lastCancelled = 0

    init(_ settings: LintSettings, _ run: LintedRun) {
        self.run = run
        judge = PushOnConnection(settings, run)
    }

    mutating func check(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        pushes += 1
        if push.record.outcome == .cancelled {
            cancelled += 1
            if firstCancelled == 0 { firstCancelled = push.sequence }
            lastCancelled = push.sequence
        }
        let key = UInt64(push.record.connectionID)
        if table[key] == nil {
            let state = State(
                id: push.record.connectionID, isOfRun: push.isOfRun, first: push.sequence, last: push.sequence,
                topic: push.topic,
                lastTime: run.connections[push.record.connectionID]?.openedAt?.milliseconds)
            if let old = table.insert(state, for: key) { leave(old, &findings) }
        }
        let judge = judge
        _ = table.update(key) { judge.note(push, on: &$0, &findings) }
    }

    /// Judges a connection that is closed or about to be forgotten.
    private mutating func leave(_ state: State, _ findings: inout ProviderFindings) {
        if let limit = run.streamLimit, limit > 1,
            state.pushesOnceAccepted >= findings.settings.count(of: .pushesOneAtATime), state.mostInFlight <= 1
        {
            findings.report(
                .notMultiplexed, in: .init(first: state.first, last: state.last, count: 1),
                "\(state.pushes) pushes came on one connection, each after the answer to the one before; up to \(limit) may "
                    + "be under way at a time")
        }
        let known = run.connections[state.id]
        let isEndedByServer =
            state.isEndedByServer
            || known.map { $0.counters.goAwaysSent > 0 || !($0.closedBy?.isClients ?? true) } ?? false
        let owner = state.team == 0 ? state.topic : state.team
        guard state.isOfRun, !isEndedByServer, owners.count < Self.connectionLimit || owners[owner] != nil else {
            return
        }
        owners[owner, default: Owner()].note(state)
    }

    mutating func finish(_ findings: inout ProviderFindings, at end: Int64) {
        var states: [State] = []
        table.forEach { states.append($0) }
        for state in states.sorted(by: { $0.first < $1.first }) { leave(state, &findings) }
        let minimum = findings.settings.count(of: .connectionMinimum)
        let percent = findings.settings.count(of: .connectionPerPushPercent)
        for owner in owners.values.sorted(by: { $0.firstSingle < $1.firstSingle })
        where owner.connections >= minimum && owner.singles * 100 >= owner.connections * percent {
            findings.report(
                .connectionPerPush, in: .init(first: owner.firstSingle, last: owner.lastSingle, count: owner.singles),
                "\(owner.singles) of \(owner.connections) connections were used for one push; keep a connection open, for "
                    + "hours and days")
        }
        // Of a few pushes, one would be too large a part.
        let isLargePart =
            pushes >= findings.settings.count(of: .cancelledMinimum) && cancelled > 0
            && cancelled * 100 >= pushes * findings.settings.count(of: .cancelledPercent)
        if cancelled >= findings.settings.count(of: .cancelledCount) || isLargePart {
            findings.report(
                .answerNotAwaited, in: .init(first: firstCancelled, last: lastCancelled, count: cancelled),
                "\(cancelled) of \(pushes) pushes were canceled before they were answered; wait for the answer")
        }
        checkChurn(&findings)
    }

    private func checkChurn(_ findings: inout ProviderFindings) {
        let churn = findings.settings.count(of: .connectionChurn)
        let churnPeriod = findings.settings.value(of: .connectionChurnPeriod)
        let lives = run.connections.values.compactMap { connection -> (opened: Int64, closed: Int64)? in
            guard connection.closedBy?.isClients ?? false, let opened = connection.openedAt?.milliseconds,
                let closed = connection.closedAt?.milliseconds, closed - opened <= churnPeriod
            else { return nil }
            return (opened, closed)
        }.sorted { $0.opened < $1.opened }
        for (index, first) in lives.enumerated() {
            var count = 0
            for life in lives[index...] {
                guard life.opened - first.opened <= churnPeriod, count < churn else { break }
                if life.closed - first.opened <= churnPeriod { count += 1 }
            }
            guard count >= churn else { continue }
            findings.report(
                .connectionChurn, nil,
                "\(churn) connections or more were opened and closed by the client in \(churnPeriod.asTime); keep them open"
            )
            return
        }
    }
}
