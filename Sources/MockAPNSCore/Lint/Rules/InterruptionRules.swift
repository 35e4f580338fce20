// How much a notification may interrupt, and how it is sorted.
extension PayloadLint {
    mutating func checkInterruption() {
        checkLevel()
        guard let value = aps[.relevanceScore] else { return }
        guard let score = value.double else {
            return reportType(.relevanceScoreRange, at: "/aps/relevance-score", value, takes: "a number")
        }
        if type == .alert, !(0...1 ~= score) {
            report(
                .relevanceScoreRange, at: "/aps/relevance-score", value.offset,
                "/aps/relevance-score is \(value.asFound); expected a number from 0 to 1")
        }
    }

    private mutating func checkLevel() {
        let pointer = "/aps/interruption-level"
        guard let value = aps[.interruptionLevel] else { return }
        switch value.string {
        case "passive":
            if let sound = aps[.sound] {
                report(
                    .passiveWithSound, at: pointer, value.offset,
                    "\(pointer) is passive, with \(sound.asFound) as sound; expected no sound, or another level")
            }
        case "active": break
        case "time-sensitive": checkPriority("time-sensitive", value)
        case "critical":
            if aps[.sound]?["critical"]?.isNumber(1) != true {
                report(
                    .interruptionLevelCritical, at: pointer, value.offset,
                    "\(pointer) is critical; expected a sound object with \"critical\" 1 beside it")
            }
            checkPriority("critical", value)
        default:
            reportType(.interruptionLevelValue, at: pointer, value, takes: ApsKey.interruptionLevel.facts.takes)
        }
    }

    private mutating func checkPriority(_ level: String, _ value: JSONText.Value) {
        guard let priority = push.priority, priority == "5" || priority == "1" else { return }
        report(
            .interruptionLevelPriority, at: "/aps/interruption-level", value.offset,
            "/aps/interruption-level is \(level), and apns-priority is \(priority); expected 10")
    }
}
