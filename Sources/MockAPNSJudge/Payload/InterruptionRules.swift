import MockAPNSCore

// How much a notification may interrupt, and how it is sorted.
extension LintRule {
    static let interruptionRules = [
        interruptionLevelValue, interruptionLevelCritical, interruptionLevelPriority, passiveWithSound,
        relevanceScoreRange,
    ]

    static let interruptionLevelValue = LintRule(
        id: "interruption-level-value", severity: .error, finds: "`interruption-level` is none of the four words",
        effect: "It is ignored, and the notification is active.", sources: [.generating],
        check: PayloadCheck(.aps) { lint in
            guard let value = lint.aps[.interruptionLevel],
                value.string.flatMap(InterruptionLevel.init(rawValue:)) == nil
            else { return }
            lint.report(at: "/aps/interruption-level", value, expected: ApsKey.interruptionLevel.facts.takes)
        })

    static let interruptionLevelCritical = LintRule(
        id: "interruption-level-critical", severity: .warning, finds: "`critical` without a sound with `critical` 1",
        effect: "No sound overrides the mute switch.", sources: [.judgement],
        check: PayloadCheck(.aps) { lint in
            guard let value = lint.aps[.interruptionLevel], value.string == "critical",
                lint.aps[.sound]?["critical"]?.isNumber(1) != true
            else { return }
            lint.report(
                at: "/aps/interruption-level", value.offset,
                "/aps/interruption-level is critical; expected a sound object with \"critical\" 1 beside it")
        })

    static let interruptionLevelPriority = LintRule(
        id: "interruption-level-priority", severity: .warning,
        finds: "`time-sensitive` or `critical` with priority 5 or 1",
        effect: "It may be delivered late, to save power.", sources: [.judgement],
        check: PayloadCheck(.aps) { lint in
            guard let value = lint.aps[.interruptionLevel], let level = value.string,
                level == "time-sensitive" || level == "critical", let priority = lint.push.priority,
                priority == "5" || priority == "1"
            else { return }
            lint.report(
                at: "/aps/interruption-level", value.offset,
                "/aps/interruption-level is \(level), and apns-priority is \(priority); expected 10")
        })

    static let passiveWithSound = LintRule(
        id: "passive-with-sound", severity: .note, finds: "`passive` with a sound",
        effect: "A passive notification plays none.", sources: [.interruptionLevel],
        check: PayloadCheck(.aps) { lint in
            guard let value = lint.aps[.interruptionLevel], value.string == "passive", let sound = lint.aps[.sound]
            else { return }
            lint.report(
                at: "/aps/interruption-level", value.offset,
                "/aps/interruption-level is passive, with \(sound.asFound) as sound; expected no sound, or another level"
            )
        })

    static let relevanceScoreRange = LintRule(
        id: "relevance-score-range", severity: .error,
        finds: "`relevance-score` is not a number; for alerts, not one from 0 to 1",
        effect: "It is ignored.", sources: [.generating, .reported("jchambers/pushy#1033")],
        check: PayloadCheck(.aps) { lint in
            guard let value = lint.aps[.relevanceScore] else { return }
            guard let score = value.double else {
                return lint.report(at: "/aps/relevance-score", value, expected: "a number")
            }
            guard lint.type == .alert, !(0...1 ~= score) else { return }
            lint.report(at: "/aps/relevance-score", value, expected: "a number from 0 to 1")
        })
}
