import MockAPNSCore

extension LintRule {
    static let repetitionRules = [
        duplicatePush, backgroundTooMany, complicationTooMany, liveactivityAllUrgent, liveactivityNotStarted,
    ]

    static let duplicatePush = LintRule(
        id: "duplicate-push", severity: .warning,
        finds: "the same push is accepted twice within 60 s, without a collapse id, and its payload is not the same "
            + "by nature, as `{}` for Wallet and that of a background, widget or MDM push",
        effect: "The device gets it twice.", sources: [.reported("novuhq/novu#10636")], thresholds: [.duplicatePeriod],
        judge: RunCheck(RepetitionRules.self))

    static let backgroundTooMany = LintRule(
        id: "background-too-many", severity: .warning,
        finds: "more than three background pushes to a device in an hour",
        effect: "The system holds back more than two or three an hour.", sources: [.background],
        thresholds: [.backgroundPushes, .backgroundPeriod], judge: RunCheck(RepetitionRules.self))

    static let complicationTooMany = LintRule(
        id: "complication-too-many", severity: .warning, finds: "more than 50 complication pushes to a device in a day",
        effect: "Apple limits them, and those beyond the limit are not delivered.", sources: [.complications],
        thresholds: [.complicationPushes, .complicationPeriod], judge: RunCheck(RepetitionRules.self))

    static let liveactivityAllUrgent = LintRule(
        id: "liveactivity-all-urgent", severity: .warning,
        finds: "20 pushes or more to a Live Activity in an hour, all with priority 10",
        effect: "They use up the app's budget; then the system delays them.", sources: [.liveActivities],
        thresholds: [.urgentActivityPushes, .urgentActivityPeriod], judge: RunCheck(RepetitionRules.self))

    static let liveactivityNotStarted = LintRule(
        id: "liveactivity-not-started", severity: .note,
        finds: "a device token gets an update or the end of a Live Activity that no push has started",
        effect: "If the app has not started it, a device ignores the push.", sources: [.liveActivities],
        judge: RunCheck(RepetitionRules.self))
}

extension LintThreshold {
    /// The period within which an identical push counts as a duplicate.
    static let duplicatePeriod = Self(name: "duplicatePeriod", kind: .duration, usual: 60_000)
    /// How many background pushes a device may get within a period.
    static let backgroundPushes = Self(name: "backgroundPushes", kind: .count, usual: 3)
    /// The period for ``backgroundPushes``.
    static let backgroundPeriod = Self(name: "backgroundPeriod", kind: .duration, usual: 3_600_000)
    /// How many complication pushes a device may get within a period.
    static let complicationPushes = Self(name: "complicationPushes", kind: .count, usual: 50)
    /// The period for ``complicationPushes``.
    static let complicationPeriod = Self(name: "complicationPeriod", kind: .duration, usual: 24 * 3_600_000)
    /// From how many urgent pushes to a Live Activity within a period on `liveactivity-all-urgent` speaks.
    static let urgentActivityPushes = Self(name: "urgentActivityPushes", kind: .count, usual: 20)
    /// The period for ``urgentActivityPushes``.
    static let urgentActivityPeriod = Self(name: "urgentActivityPeriod", kind: .duration, usual: 3_600_000)
}

/// How often a provider pushes the same, or to the same device. Only accepted pushes count.
struct RepetitionRules: RunJudge {
    /// The pushes without a collapse id that were accepted last.
    private var accepted = RecentTable<(time: Int64, sequence: Int)>()
    /// Background pushes by device token.
    private var backgrounds = RecentTable<RecentTimes>()
    /// Complication pushes by device token.
    private var complications = RecentTable<RecentTimes>()
    /// Urgent pushes to Live Activities by device token, and until when there was another.
    private var activities = RecentTable<(times: RecentTimes, mixedUntil: Int64)>()
    /// The device tokens with a Live Activity that was started, or found not to be.
    private var started = RecentTable<Bool>()
    private let judgesStarts: Bool

    init(_ settings: LintSettings, _ run: LintedRun) {
        judgesStarts = !run.activitiesHaveOwnTokens
        for device in run.devicesWithActivities { started.insert(true, for: device) }
    }

    mutating func check(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        // A delayed answer is the usual reason to push the same again.
        guard push.isAccepted, push.record.outcome == .responded || push.record.outcome == .delayed else { return }
        if push.collapseID == 0, !push.payload.isSameByNature { checkDuplicate(push, &findings) }
        switch push.payload.type {
        case .background: checkBackground(push, &findings)
        case .complication: checkComplication(push, &findings)
        case .liveactivity: checkActivity(push, &findings)
        default: break
        }
    }

    private mutating func checkDuplicate(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        if let before = accepted[push.key], push.time - before.time < findings.settings.value(of: .duplicatePeriod) {
            findings.report(
                .duplicatePush, push.sequence,
                "Push \(push.sequence) is the same as push \(before.sequence), \((push.time - before.time).asTime) before; "
                    + "both were accepted; send it once, or with a collapse id")
        }
        accepted.insert((push.time, push.sequence), for: push.key)
    }

    private mutating func checkBackground(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        let most = findings.settings.value(of: .backgroundPushes)
        let period = findings.settings.value(of: .backgroundPeriod)
        guard backgrounds.note(push, most: most, within: period) else { return }
        findings.report(
            .backgroundTooMany, push.sequence,
            "Push \(push.sequence) is more than the \(most) background pushes in \(period.asTime) that a "
                + "device should get")
    }

    private mutating func checkComplication(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        let most = findings.settings.value(of: .complicationPushes)
        let period = findings.settings.value(of: .complicationPeriod)
        guard complications.note(push, most: most, within: period) else { return }
        findings.report(
            .complicationTooMany, push.sequence,
            "Push \(push.sequence) is one more than the \(most) complication pushes that a device gets in "
                + "\(period.asTime); send fewer, with the data in them")
    }

    private mutating func checkActivity(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        if judgesStarts, let event = push.payload.event, started[push.device] == nil {
            started.insert(true, for: push.device)
            if event != .start {
                let does = event == .end ? "ends" : "updates"
                findings.report(
                    .liveactivityNotStarted, push.sequence,
                    "Push \(push.sequence) \(does) a Live Activity that no push has started; expected a start to the same "
                        + "device token before it, unless the app starts it")
            }
        }
        if activities[push.device] == nil { activities.insert((RecentTimes(), .min), for: push.device) }
        let isUrgent = push.record.priority ?? 10 == 10
        let most = findings.settings.count(of: .urgentActivityPushes) - 1
        let period = findings.settings.value(of: .urgentActivityPeriod)
        var isTooMany = false
        _ = activities.update(push.device) { known in
            if isUrgent {
                let isFull = known.times.note(push.clock, most: most, within: period)
                isTooMany = isFull && push.clock >= known.mixedUntil
            } else {
                known.times.removeAll()
                known.mixedUntil = push.clock + period
            }
        }
        guard isTooMany else { return }
        findings.report(
            .liveactivityAllUrgent, push.sequence,
            "Push \(push.sequence) is one of \(most + 1) or more to a Live Activity in \(period.asTime), all with "
                + "priority 10; use 5 for what can wait")
    }
}

extension RecentTable<RecentTimes> {
    /// Notes a push to its device.
    ///
    /// - Returns: whether there were already `most` others within the period before.
    fileprivate mutating func note(_ push: ProviderPush, most: Int64, within period: Int64) -> Bool {
        if self[push.device] == nil { insert(RecentTimes(), for: push.device) }
        var isTooMany = false
        _ = update(push.device) { isTooMany = $0.note(push.clock, most: Int(most), within: period) }
        return isTooMany
    }
}
