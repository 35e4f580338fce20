/// What a provider collapses, and what it could. Only accepted pushes count.
struct CollapseRules: Sendable {
    private let differing: Int
    private let equal, equalPeriod: Int64
    /// For each device token and collapse id, the titles so far; no more than matter.
    private var titles = RecentTable<[UInt64]>()
    /// For each device token and title, when it was last sent without a collapse id.
    private var repeated = RecentTable<RecentTimes>()

    init(_ settings: LintSettings) {
        differing = Int(settings.value(of: .collapsedTitles))
        equal = settings.value(of: .repeatedTitles)
        equalPeriod = settings.value(of: .repeatedTitlePeriod)
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
        let (most, period) = (Int(equal) - 1, equalPeriod)
        var isOften = false
        _ = repeated.update(key) { isOften = $0.note(push.clock, most: most, within: period) }
        guard isOften else { return }
        findings.report(
            .collapseIDUnused, push.sequence, at: "/aps/alert/title",
            "Push \(push.sequence) has the same title as \(equal - 1) others to its device in \(equalPeriod.asTime), and no "
                + "apns-collapse-id; expected one, if the last is to replace the others")
    }
}
