package import MockAPNSCore

extension LintRule {
    /// The rules by what they are about, under the headings of the documentation.
    package static let families: [(title: String, rules: [LintRule])] = [
        ("The body", bodyRules + textRules), ("The object aps", apsRules), ("Keys", keyRules), ("Alerts", alertRules),
        ("Localized texts", localizationRules), ("Identifiers", identifierRules), ("Badges", badgeRules),
        ("Sounds", soundRules), ("Flags", flagRules), ("Push types", backgroundRules + pushTypeRules),
        ("Interruption level and relevance", interruptionRules), ("Live Activities", liveActivityRules),
        ("Secrets", secretRules), ("Provider tokens", providerTokenRules), ("Connections", connectionRules),
        ("Refused pushes", refusalRules), ("Pushes sent again", retryRules),
        ("Header fields", headerRules + callRules), ("Repeated pushes", repetitionRules + collapseRules),
        ("Broadcast channels", channelRules),
    ]

    /// All rules, in the order of the documentation.
    package static let all = families.flatMap { $0.rules }

    private static let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })

    /// Returns the rule with an id.
    package static func named(_ id: String) -> LintRule? { byID[id] }

    /// The title of its family.
    package var family: String? { Self.families.first { $0.rules.contains(self) }?.title }
}

extension LintThreshold {
    /// The thresholds of all rules.
    package static let all = LintRule.all.flatMap(\.thresholds)

    /// Returns the threshold with a name.
    package static func named(_ name: String) -> Self? { all.first { $0.name == name } }

    /// The rule that compares with it.
    package var rule: LintRule? { LintRule.all.first { $0.thresholds.contains(self) } }
}
