import MockAPNSCore

// The number on the icon, and the sound.
extension LintRule {
    static let badgeRules = [badgeType, badgeNotWhole, badgeZeroWithAlert]
    static let soundRules = [
        soundType, soundObjectNotCritical, soundCriticalValues, soundDefaultCase, soundFileKind, soundUnknown,
    ]

    static let badgeType = LintRule(
        id: "badge-type", severity: .error, finds: "`badge` is not a number",
        effect: "It is ignored; APNs cannot count up.",
        sources: [.generating, .reported("RMSPush#62, Coccodrillo/apns#45")],
        check: PayloadCheck(.aps) { lint in
            guard let value = lint.aps[.badge], value.number == nil else { return }
            lint.report(at: "/aps/badge", value, expected: "a number")
        })

    static let badgeNotWhole = LintRule(
        id: "badge-not-whole", severity: .error, finds: "`badge` is negative or a fraction",
        effect: "The app icon does not show that number.", sources: [.judgement],
        check: PayloadCheck(.aps) { lint in
            guard let value = lint.aps[.badge], value.number != nil, value.int64 ?? -1 < 0 else { return }
            lint.report(at: "/aps/badge", value, expected: "a whole number from 0 on")
        })

    static let badgeZeroWithAlert = LintRule(
        id: "badge-zero-with-alert", severity: .note, finds: "`badge` is 0 beside an alert",
        effect: "Removing the badge was seen to hide the banner at once.", sources: [.forum],
        check: PayloadCheck(.aps) { lint in
            guard let value = lint.aps[.badge], value.isNumber(0), lint.aps[.alert] != nil else { return }
            lint.report(
                at: "/aps/badge", value.offset,
                "/aps/badge is 0 beside an alert; expected the badge removed by a push of its own")
        })

    static let soundType = LintRule(
        id: "sound-type", severity: .error, finds: "`sound` is neither a string nor an object",
        effect: "It is ignored, so no sound is played.", sources: [.generating],
        check: PayloadCheck(.aps) { lint in
            if let value = lint.aps[.sound], value.string == nil, value.object == nil {
                lint.report(at: "/aps/sound", value, expected: "a string or an object")
            }
            guard lint.isLiveActivity, let value = lint.alert[.sound], value.string == nil else { return }
            lint.report(at: "/aps/alert/sound", value, expected: "a string")
        })

    static let soundObjectNotCritical = LintRule(
        id: "sound-object-not-critical", severity: .warning, finds: "`sound` is an object without `critical` 1",
        effect: "An object is for critical alerts, and was seen to play as one; use the string.",
        sources: [.generating, .reported("appleboy/gorush#394")],
        check: PayloadCheck(.aps) { lint in
            guard let value = lint.aps[.sound], value.object != nil else { return }
            let critical = value["critical"]
            guard critical?.isNumber(1) != true else { return }
            lint.report(
                at: "/aps/sound", value.offset,
                "/aps/sound is an object, and \"critical\" in it is \(critical?.asFound ?? "absent"); expected a string"
            )
        })

    static let soundCriticalValues = LintRule(
        id: "sound-critical-values", severity: .error,
        finds: "`critical` is not 0 or 1, `volume` not a number from 0 to 1, or `name` is absent",
        effect: "The sound is not played as it was meant.", sources: [.generating],
        check: PayloadCheck(.aps) { lint in
            guard let value = lint.aps[.sound], value.object != nil else { return }
            if let critical = value["critical"], !critical.isNumber(0), !critical.isNumber(1) {
                lint.report(at: "/aps/sound/critical", critical, expected: "the number 0 or 1")
            }
            if let volume = value["volume"], volume.double.map({ 0...1 ~= $0 }) != true {
                lint.report(at: "/aps/sound/volume", volume, expected: "a number from 0 to 1")
            }
            if let name = value["name"] {
                if name.string == nil { lint.report(at: "/aps/sound/name", name, expected: "a string") }
            } else {
                lint.report(
                    at: "/aps/sound", value.offset,
                    "/aps/sound has no \"name\"; expected the name of a sound, such as \"default\"")
            }
        })

    static let soundDefaultCase = LintRule(
        id: "sound-default-case", severity: .warning, finds: "`Default`, or another spelling of `default`",
        effect: #"Only "default" is the system's sound; anything else is the name of a file."#,
        sources: [.generating, .reported("edamov/pushok#103")],
        check: PayloadCheck(.aps) { lint in
            for (name, value, pointer) in lint.soundNames where name != "default" && name.lowercased() == "default" {
                lint.report(at: pointer, value, expected: "\"default\"")
            }
        })

    static let soundFileKind = LintRule(
        id: "sound-file-kind", severity: .note, finds: "a file that is not AIFF, WAV or CAF, or has a path",
        effect: "The device plays the default sound instead.", sources: [.sounds],
        check: PayloadCheck(.aps) { lint in
            for (name, value, pointer) in lint.soundNames where name != "default" {
                let lower = name.lowercased()
                let isKnownKind = [".aiff", ".wav", ".caf"].contains { lower.hasSuffix($0) }
                guard lower != "default", !isKnownKind || name.utf8.contains(UInt8(ascii: "/")) else { continue }
                lint.report(
                    at: pointer, value, expected: "the name of an .aiff, .wav or .caf file, without a path")
            }
        })

    static let soundUnknown = LintRule(
        id: "sound-unknown", severity: .warning, finds: "a sound that the app does not have",
        effect: "The device plays the default sound instead.", sources: [.sounds],
        check: PayloadCheck(.aps) { lint in
            guard let known = lint.app?.sounds?.sorted() else { return }
            for (name, value, pointer) in lint.soundNames where name != "default" && !known.contains(name) {
                let some = known.prefix(3).map { "\"\($0.cut(at: 40))\"" } + ["\"default\""]
                let right = nearestWord(to: name, among: known).map { "did you mean \"\($0)\"?" }
                lint.report(
                    at: pointer, value.offset,
                    "\(pointer) is \(value.asFound), which is no sound of the app; "
                        + (right ?? "expected one of them, such as \(some.joined(separator: ", "))"))
            }
        })
}

extension PayloadLint {
    /// The names of sounds: those of a notification, or that of a Live Activity's alert.
    fileprivate var soundNames: [(name: String, value: JSONText.Value, pointer: String)] {
        var names: [(name: String, value: JSONText.Value, pointer: String)] = []
        func add(_ value: JSONText.Value?, _ pointer: String) {
            if let value, let name = value.string { names.append((name, value, pointer)) }
        }
        if isLiveActivity {
            add(alert[.sound], "/aps/alert/sound")
        } else {
            add(aps[.sound], "/aps/sound")
            add(aps[.sound]?["name"], "/aps/sound/name")
        }
        return names
    }
}
