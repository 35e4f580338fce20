// Flags, and what the push type asks for.
extension PayloadLint {
    mutating func checkFlags() {
        for key in [ApsKey.contentAvailable, .mutableContent] {
            guard let value = aps[key], !value.isNumber(1) else { continue }
            let pointer = "/aps/\(key.rawValue)"
            report(
                .flagNotOne, at: pointer, value.offset, severity: value.isNumber(0) ? .note : nil,
                "\(pointer) is \(value.asFound); expected the number 1")
        }
        guard let value = aps[.mutableContent], value.isNumber(1),
            !hasTexts([.title, .subtitle, .body, .titleLocKey, .subtitleLocKey, .locKey])
        else { return }
        let found = alert.isObject ? "an alert without text" : "no alert that is an object"
        report(
            .mutableWithoutAlert, at: "/aps/mutable-content", value.offset,
            "/aps/mutable-content is 1, and there is \(found); expected one with a title, a subtitle or a body")
    }

    mutating func checkBackground() {
        let wakes = aps[.contentAvailable]?.isNumber(1) == true
        if says(.background) { checkShownInBackground(wakes) }
        if type == .background { checkExtraKeys() }
        if says(.alert), aps[.alert] == nil, aps[.badge] == nil, aps[.sound] == nil {
            report(
                .alertShowsNothing, at: "/aps", aps.offset,
                "The push type is alert, and /aps has no alert, badge or sound; expected one of them")
        }
        if wakes, !says(.background), let value = aps[.contentAvailable], aps[.alert] != nil {
            report(
                .alertWakesApp, at: "/aps/content-available", value.offset,
                "/aps/content-available is 1 beside an alert")
        }
        if type == .widgets || type == .controls, aps[.contentChanged]?.bool != true {
            let value = aps[.contentChanged]
            report(
                .contentChangedValue, at: value == nil ? "/aps" : "/aps/content-changed", value?.offset ?? aps.offset,
                value.map { "/aps/content-changed is \($0.asFound); expected true" }
                    ?? "/aps has no \"content-changed\"; expected true")
        }
    }

    private mutating func checkShownInBackground(_ wakes: Bool) {
        for key in [ApsKey.alert, .badge, .sound] {
            guard let value = aps[key] else { continue }
            report(
                .backgroundWithAlert, at: "/aps/\(key.rawValue)", value.offset,
                "The push type is background, and /aps has \"\(key.rawValue)\"; expected it left out, or push type alert"
            )
        }
        if !wakes {
            let value = aps[.contentAvailable]
            report(
                .backgroundWithoutFlag, at: "/aps", aps.offset,
                "The push type is background, and /aps/content-available is \(value?.asFound ?? "absent"); expected the number 1"
            )
        }
    }

    private mutating func checkExtraKeys() {
        for member in aps.all {
            guard let key = ApsKey(rawValue: member.key) else { continue }
            switch key {
            case .contentAvailable, .alert, .badge, .sound: continue
            default:
                // A key that is for neither is reported by its own rule.
                if let types = key.facts.types, !types.contains(.alert) { continue }
                report(
                    .backgroundExtraKeys, at: "/aps/\(key.rawValue)", member.keyOffset,
                    "A background push has \"\(key.rawValue)\"; expected no key of aps but content-available")
            }
        }
    }
}
