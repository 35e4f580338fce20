import MockAPNSCore
import MockAPNSJudge

extension ScenarioReader {
    /// `lint`: which rules apply, how bad their findings are, and with which the run fails.
    mutating func lint(_ value: Value) -> LintSettings {
        enum Key: String, CaseIterable { case rules, failOn, thresholds, deploymentTarget }
        var settings = LintSettings()
        var thresholds: Value?
        object(value, "\"lint\"", example: #"{"failOn": "error"}"#, Key.self) { reader, key, value in
            switch key {
            case .rules:
                reader.freeObject(value, "an object with a setting for each rule, such as {\"badge-type\": \"off\"}") {
                    reader, member in
                    reader.lintRule(member, into: &settings)
                }
            case .failOn: settings.failOn = reader.failOn(value)
            case .thresholds: thresholds = value
            case .deploymentTarget:
                settings.deploymentTarget = value.string.flatMap { SystemVersion($0) }
                if settings.deploymentTarget == nil {
                    reader.wrong(value, expected: "a system with its version, such as \"iOS 16\" or \"iOS 17.2\"")
                }
            }
        }
        // A rule's own threshold has been read before, wherever it stands.
        if let thresholds { at("thresholds") { $0.lintThresholds(thresholds, into: &settings) } }
        return settings
    }

    /// Which findings of lint an expectation counts.
    mutating func lintQuery(_ value: Value) -> LintQuery {
        enum Key: String, CaseIterable { case rule, severity }
        var query = LintQuery()
        object(value, "a condition on findings", example: #"{"severity": "error"}"#, Key.self) { reader, key, value in
            switch key {
            case .rule:
                query.rule = value.string.flatMap(LintRule.named)
                if query.rule == nil {
                    reader.wrongWord(
                        value, LintRule.all.map(\.id), expected: "a rule of lint, such as \"badge-type\"")
                }
            case .severity: query.severity = reader.word(value, LintSeverity.self)
            }
        }
        return query
    }

    /// Which pushes with findings are wanted.
    mutating func lintedPushes(_ value: Value) -> LintQuery {
        let query = lintQuery(value)
        if let rule = query.rule, !rule.isAboutPushes, let given = value["rule"] {
            at("rule") { $0.wrong(given, expected: "a rule that is about single pushes") }
        }
        return query
    }

    private mutating func failOn(_ value: Value) -> LintSeverity? {
        let words = LintSeverity.allCases.reversed().map { ($0.rawValue, LintSeverity?.some($0)) }
        return choice(value, words + [("never", nil)]) ?? nil
    }

    private mutating func lintRule(_ member: JSONText.Member, into settings: inout LintSettings) {
        enum Key: String, CaseIterable { case severity, threshold }
        guard let rule = LintRule.named(member.key) else {
            let near = nearestWord(to: member.key, among: LintRule.all.map(\.id))
            let hint = near.map { "did you mean \"\($0)\"?" } ?? "expected one such as \"badge-type\""
            return note(member.keyOffset, "is not a rule of lint; \(hint)")
        }
        guard member.value.object != nil else {
            settings.rules[rule] = lintChoice(member.value, or: ", or {\"severity\": …, \"threshold\": …}")
            return
        }
        readMembers(of: member.value, "the setting of a rule", Key.self) { reader, key, value in
            switch key {
            case .severity: settings.rules[rule] = reader.lintChoice(value)
            case .threshold:
                guard let threshold = rule.thresholds.first else {
                    return reader.note(value.offset, "is set, but \(rule.id) has no threshold")
                }
                settings.thresholds[threshold] = reader.lintThreshold(value, threshold)
            }
        }
    }

    private mutating func lintChoice(_ value: Value, or others: String = "") -> LintSettings.Choice? {
        let words: [(word: String, choice: LintSettings.Choice)] =
            [("off", .off)] + LintSeverity.allCases.map { ($0.rawValue, .severity($0)) }
        if let text = value.string, let found = words.first(where: { $0.word == text }) { return found.choice }
        wrongWord(value, words.map(\.word), expected: Self.list(words.map(\.word), "or") + others)
        return nil
    }

    private mutating func lintThresholds(_ value: Value, into settings: inout LintSettings) {
        freeObject(value, "an object with a value for each threshold, such as {\"timestampPast\": \"10m\"}") {
            reader, member in
            guard let threshold = LintThreshold.named(member.key) else {
                let names = LintThreshold.all.map(\.name)
                let near = nearestWord(to: member.key, among: names).map { "did you mean \"\($0)\"?" }
                return reader.note(
                    member.keyOffset, "is not a threshold of lint; \(near ?? "expected \(Self.list(names, "or"))")")
            }
            if settings.thresholds[threshold] != nil {
                return reader.note(
                    member.keyOffset, "is set by the rule \"\(threshold.rule?.id ?? "")\" already; expected it once",
                    isCrossReference: true)
            }
            settings.thresholds[threshold] = reader.lintThreshold(member.value, threshold)
        }
    }

    private mutating func lintThreshold(_ value: Value, _ threshold: LintThreshold) -> Int64? {
        switch threshold.kind {
        case .duration: duration(value)
        case .percentage: integer(value, in: 1...100, "a percentage").map(Int64.init)
        case .count: integer(value, in: 1...1_000_000, "a number").map(Int64.init)
        case .time: integer(value, in: 1...1_000_000_000_000_000, "seconds since 1970").map(Int64.init)
        }
    }
}
