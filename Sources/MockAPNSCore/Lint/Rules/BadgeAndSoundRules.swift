// The number on the icon, and the sound.
extension PayloadLint {
    mutating func checkBadge() {
        guard let value = aps[.badge] else { return }
        guard let number = value.number else {
            return reportType(.badgeType, at: "/aps/badge", value, takes: "a number")
        }
        guard let badge = number.int64, badge >= 0 else {
            return report(
                .badgeNotWhole, at: "/aps/badge", value.offset,
                "/aps/badge is \(value.asFound); expected a whole number from 0 on")
        }
        if badge == 0, aps[.alert] != nil {
            report(
                .badgeZeroWithAlert, at: "/aps/badge", value.offset,
                "/aps/badge is 0 beside an alert; expected the badge removed by a push of its own")
        }
    }

    mutating func checkSound() {
        if let value = aps[.sound] {
            switch value.content {
            case .string(let name): checkSoundName(name, value, "/aps/sound")
            case .object: checkSoundObject(value)
            default: reportType(.soundType, at: "/aps/sound", value, takes: "a string or an object")
            }
        }
        guard isLiveActivity, let value = alert[.sound] else { return }
        if let name = value.string {
            checkSoundName(name, value, "/aps/alert/sound")
        } else {
            reportType(.soundType, at: "/aps/alert/sound", value, takes: "a string")
        }
    }

    private mutating func checkSoundObject(_ value: JSONText.Value) {
        let sound = KnownMembers<SoundKey>(value)
        let critical = sound[.critical]
        if critical?.isNumber(1) != true {
            report(
                .soundObjectNotCritical, at: "/aps/sound", value.offset,
                "/aps/sound is an object, and \"critical\" in it is \(critical?.asFound ?? "absent"); expected a string"
            )
        }
        if let critical, !critical.isNumber(0), !critical.isNumber(1) {
            reportType(.soundCriticalValues, at: "/aps/sound/critical", critical, takes: "the number 0 or 1")
        }
        if let volume = sound[.volume], volume.double.map({ 0...1 ~= $0 }) != true {
            reportType(.soundCriticalValues, at: "/aps/sound/volume", volume, takes: "a number from 0 to 1")
        }
        guard let name = sound[.name] else {
            return report(
                .soundCriticalValues, at: "/aps/sound", value.offset,
                "/aps/sound has no \"name\"; expected the name of a sound, such as \"default\"")
        }
        if let text = name.string {
            checkSoundName(text, name, "/aps/sound/name")
        } else {
            reportType(.soundCriticalValues, at: "/aps/sound/name", name, takes: "a string")
        }
    }

    private mutating func checkSoundName(_ name: String, _ value: JSONText.Value, _ pointer: String) {
        guard name != "default" else { return }
        let lower = name.lowercased()
        if lower == "default" {
            return report(
                .soundDefaultCase, at: pointer, value.offset, "\(pointer) is \(value.asFound); expected \"default\"")
        }
        let isKnownKind = [".aiff", ".wav", ".caf"].contains { lower.hasSuffix($0) }
        if !isKnownKind || name.utf8.contains(UInt8(ascii: "/")) {
            report(
                .soundFileKind, at: pointer, value.offset,
                "\(pointer) is \(value.asFound); expected the name of an .aiff, .wav or .caf file, without a path")
        }
    }
}
