import MockAPNSCore

// Flags, and what the push type asks for.
extension LintRule {
    static let flagRules = [flagNotOne, mutableWithoutAlert]
    static let backgroundRules = [
        backgroundWithAlert, backgroundWithoutFlag, backgroundExtraKeys, alertShowsNothing, alertWakesApp,
        contentChangedValue,
    ]

    static let flagNotOne = LintRule(
        id: "flag-not-one", severity: .error,
        finds: "`content-available` or `mutable-content` is not the number 1; 0 is a note",
        effect: "It has no effect.", sources: [.generating, .reported("AndrewBarba/apns2#82")],
        check: PayloadCheck(.aps) { lint in
            for key in [ApsKey.contentAvailable, .mutableContent] {
                guard let value = lint.aps[key], !value.isNumber(1) else { continue }
                let severity = value.isNumber(0) ? LintSeverity.note : nil
                lint.report(at: "/aps/\(key.rawValue)", value, severity: severity, expected: "the number 1")
            }
        })

    static let mutableWithoutAlert = LintRule(
        id: "mutable-without-alert", severity: .warning,
        finds: "`mutable-content` 1, and no alert object with title, subtitle or body",
        effect: "The service extension does not run.", sources: [.modifying, .reported("nomad/houston#151")],
        check: PayloadCheck(.aps) { lint in
            guard let value = lint.aps[.mutableContent], value.isNumber(1), !lint.hasTexts(AlertKey.texts)
            else { return }
            let found = lint.alert.isObject ? "an alert without text" : "no alert that is an object"
            lint.report(
                at: "/aps/mutable-content", value.offset,
                "/aps/mutable-content is 1, and there is \(found); expected one with a title, a subtitle or a body")
        })

    static let backgroundWithAlert = LintRule(
        id: "background-with-alert", severity: .error, finds: "push type `background` with `alert`, `badge` or `sound`",
        effect: "A background push shows nothing; it may be dropped.", sources: [.background],
        check: PayloadCheck(.aps) { lint in
            guard lint.says(.background) else { return }
            for key in [ApsKey.alert, .badge, .sound] {
                guard let value = lint.aps[key] else { continue }
                lint.report(
                    at: "/aps/\(key.rawValue)", value.offset,
                    "The push type is background, and /aps has \"\(key.rawValue)\"; expected it left out, or push type "
                        + "alert")
            }
        })

    static let backgroundWithoutFlag = LintRule(
        id: "background-without-flag", severity: .error, finds: "push type `background` without `content-available` 1",
        effect: "The app is not woken.", sources: [.background],
        check: PayloadCheck(.aps) { lint in
            guard lint.says(.background) else { return }
            let value = lint.aps[.contentAvailable]
            guard value?.isNumber(1) != true else { return }
            lint.report(
                at: "/aps", lint.aps.offset,
                "The push type is background, and /aps/content-available is \(value?.asFound ?? "absent"); expected the "
                    + "number 1")
        })

    static let backgroundExtraKeys = LintRule(
        id: "background-extra-keys", severity: .note, finds: "a background push with other keys of `aps`",
        effect: "It should have content-available only; the others are ignored.",
        sources: [.background, .reported("onmyway133#29")],
        check: PayloadCheck(.aps) { lint in
            guard lint.type == .background else { return }
            for member in lint.aps.all {
                guard let key = ApsKey(rawValue: member.key) else { continue }
                switch key {
                case .contentAvailable, .alert, .badge, .sound: continue
                default:
                    // A key that is for neither is reported by its own rule.
                    if let types = key.facts.types, !types.contains(.alert) { continue }
                    lint.report(
                        at: "/aps/\(key.rawValue)", member.keyOffset,
                        "A background push has \"\(key.rawValue)\"; expected no key of aps but content-available")
                }
            }
        })

    static let alertShowsNothing = LintRule(
        id: "alert-shows-nothing", severity: .warning, finds: "push type `alert` without `alert`, `badge` and `sound`",
        effect: "Nothing is shown; is it meant to be a background push?",
        sources: [.sending, .reported("parse-community/parse-server#6106")],
        check: PayloadCheck(.aps) { lint in
            guard lint.says(.alert), lint.aps[.alert] == nil, lint.aps[.badge] == nil, lint.aps[.sound] == nil
            else { return }
            lint.report(
                at: "/aps", lint.aps.offset,
                "The push type is alert, and /aps has no alert, badge or sound; expected one of them")
        })

    static let alertWakesApp = LintRule(
        id: "alert-wakes-app", severity: .note, finds: "`alert` and `content-available`",
        effect: "This is allowed, but the app is woken no more often than by background pushes.", sources: [.guide],
        check: PayloadCheck(.aps) { lint in
            guard let value = lint.aps[.contentAvailable], value.isNumber(1), !lint.says(.background),
                lint.aps[.alert] != nil
            else { return }
            lint.report(
                at: "/aps/content-available", value.offset, "/aps/content-available is 1 beside an alert")
        })

    static let contentChangedValue = LintRule(
        id: "content-changed-value", severity: .error,
        finds: "push type `widgets` or `controls`, and `content-changed` is not true",
        effect: "Nothing is updated.", sources: [.widgets],
        check: PayloadCheck(.aps) { lint in
            guard lint.type == .widgets || lint.type == .controls, lint.aps[.contentChanged]?.bool != true
            else { return }
            lint.reportAbsentOrWrong(.contentChanged)
        })
}
