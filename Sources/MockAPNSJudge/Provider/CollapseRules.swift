import MockAPNSCore

extension LintRule {
    static let collapseRules = [collapseIDShared, collapseIDUnused]

    static let collapseIDShared = LintRule(
        id: "collapse-id-shared", severity: .warning,
        finds: "one collapse id has had three titles or more on one device",
        effect: "Only the last is seen.", sources: [.sending], thresholds: [.collapsedTitles],
        judge: RunCheck(CollapseRules.self))

    static let collapseIDUnused = LintRule(
        id: "collapse-id-unused", severity: .note,
        finds: "three alerts with the same title to a device in ten minutes, without a collapse id",
        effect: "All of them are shown.", sources: [.judgement], thresholds: [.repeatedTitles, .repeatedTitlePeriod],
        judge: RunCheck(CollapseRules.self))
}

extension LintThreshold {
    /// From how many titles on `collapse-id-shared` speaks.
    static let collapsedTitles = Self(name: "collapsedTitles", kind: .count, usual: 3)
    /// From how many equal titles within a period on `collapse-id-unused` speaks.
    static let repeatedTitles = Self(name: "repeatedTitles", kind: .count, usual: 3)
    /// The period for ``repeatedTitles``.
    static let repeatedTitlePeriod = Self(name: "repeatedTitlePeriod", kind: .duration, usual: 600_000)
}

/// Judges which pushes a provider collapses, and which it could. Only accepted pushes count.
struct CollapseRules: RunJudge {
    private let differing: Int
    /// For each device token and collapse id, the titles so far; no more than matter.
    private var titles = RecentTable<[UInt64]>()
    /// For each device token and title, when it was last sent without a collapse id.
    private var repeated = RecentTable<RecentTimes>()

    init(_ settings: LintSettings, _ run: LintedRun) {
        differing = settings.count(of: .collapsedTitles)
    }

    mutating func check(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        guard push.isAccepted, push.payload.type == .alert, let title = push.payload.title else { return }
        if push.collapseID != 0 {
            checkShared(push, title, &findings)
        } else {
            checkUnused(push, title, &findings)
        }
    }

    private mutating func checkShared(_ push: ProviderPush, _ title: UInt64, _ findings: inout ProviderFindings) {
        let key = PushHash.of(push.device, push.collapseID)
        var known = titles[key] ?? []
        guard !known.contains(title) else { return }
        if known.count >= differing - 1 {
            findings.report(
                .collapseIDShared, push.sequence, at: "/aps/alert/title",
                "With push \(push.sequence), one collapse id has had \(differing) or more titles on one device; collapse only "
                    + "what replaces what came before")
        }
        if known.count < differing {
            known.append(title)
            titles.insert(known, for: key)
        }
    }

    private mutating func checkUnused(_ push: ProviderPush, _ title: UInt64, _ findings: inout ProviderFindings) {
        let key = PushHash.of(push.device, title)
        if repeated[key] == nil { repeated.insert(RecentTimes(), for: key) }
        let most = findings.settings.count(of: .repeatedTitles) - 1
        let period = findings.settings.value(of: .repeatedTitlePeriod)
        var isOften = false
        _ = repeated.update(key) { isOften = $0.note(push.clock, most: most, within: period) }
        guard isOften else { return }
        findings.report(
            .collapseIDUnused, push.sequence, at: "/aps/alert/title",
            "Push \(push.sequence) has the same title as \(most) others to its device in \(period.asTime), and no "
                + "apns-collapse-id; expected one, if the last is to replace the others")
    }
}
