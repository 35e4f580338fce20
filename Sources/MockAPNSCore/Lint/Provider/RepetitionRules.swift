/// How often a provider pushes the same, or to the same device. Only accepted pushes count.
struct RepetitionRules: Sendable {
    private let duplicate, background, backgroundPeriod, complication, complicationPeriod, urgent, urgentPeriod: Int64
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

    init(_ settings: LintSettings, _ run: LintedRun) {
        for device in run.devicesWithActivities { started.insert(true, for: device) }
        duplicate = settings.value(of: .duplicatePeriod)
        background = settings.value(of: .backgroundPushes)
        backgroundPeriod = settings.value(of: .backgroundPeriod)
        complication = settings.value(of: .complicationPushes)
        complicationPeriod = settings.value(of: .complicationPeriod)
        urgent = settings.value(of: .urgentActivityPushes)
        urgentPeriod = settings.value(of: .urgentActivityPeriod)
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
        if let before = accepted[push.key], push.time - before.time < duplicate {
            findings.report(
                .duplicatePush, push.sequence,
                "Push \(push.sequence) is the same as push \(before.sequence), \((push.time - before.time).asTime) before; "
                    + "both were accepted; send it once, or with a collapse id")
        }
        accepted.insert((push.time, push.sequence), for: push.key)
    }

    private mutating func checkBackground(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        guard backgrounds.note(push, most: background, within: backgroundPeriod) else { return }
        findings.report(
            .backgroundTooMany, push.sequence,
            "Push \(push.sequence) is more than the \(background) background pushes in \(backgroundPeriod.asTime) that a "
                + "device should get")
    }

    private mutating func checkComplication(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        guard complications.note(push, most: complication, within: complicationPeriod) else { return }
        findings.report(
            .complicationTooMany, push.sequence,
            "Push \(push.sequence) is one more than the \(complication) complication pushes that a device gets in "
                + "\(complicationPeriod.asTime); send fewer, with the data in them")
    }

    private mutating func checkActivity(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        if let event = push.payload.event, started[push.device] == nil {
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
        let (most, period) = (Int(urgent) - 1, urgentPeriod)
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
            "Push \(push.sequence) is one of \(urgent) or more to a Live Activity in \(urgentPeriod.asTime), all with "
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
