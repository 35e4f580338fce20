/// Pushes for people who speak with each other, which are of use at once or not at all: VoIP, and Push to Talk.
struct CallRules: Sendable {
    private let ringing: Int64

    /// - Parameter ringing: how long a VoIP push may be kept, in milliseconds.
    init(ringing: Int64) { self.ringing = ringing }

    func check(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        let record = push.record
        guard record.reason != .duplicateHeaders else { return }
        let isExpirationKnown = record.reason != .badExpirationDate
        switch push.payload.type {
        case .voip where isExpirationKnown:
            guard let found = lateness(of: record.expiration, at: record.clock) else { return }
            findings.report(
                .voipExpiration, push.sequence,
                "Push \(push.sequence) is a VoIP push \(found); expected 0, or at most \(ringing.asTime) from now")
        case .pushtotalk:
            let expiration = isExpirationKnown ? record.expiration.map { "\($0)" } ?? "absent" : "0"
            let found = urgency(priority: record.priority.map { "\($0)" }, expiration: expiration)
            guard let found else { return }
            findings.report(
                .pushtotalkUrgency, push.sequence,
                "Push \(push.sequence) is a Push to Talk push with \(found); expected priority 10 and expiration 0")
        default: break
        }
    }

    /// Returns what is wrong with the expiration of a VoIP push. Times that are none have a rule of their own.
    ///
    /// - Parameter expiration: `nil` for none.
    func lateness(of expiration: Int64?, at clock: Timestamp?) -> String? {
        guard let expiration else { return "without apns-expiration, so that it is kept for up to 30 days" }
        guard let clock, expiration > 0, expiration <= Int64(1e11) else { return nil }
        let kept = expiration * 1000 - clock.milliseconds
        return kept > ringing ? "that is kept for \(kept.asTime)" : nil
    }

    /// Returns which header fields of a Push to Talk push are wrong.
    ///
    /// - Parameter priority: `nil` for none, which means 10.
    func urgency(priority: String?, expiration: String) -> String? {
        var found: [String] = []
        if let priority, priority != "10" { found.append("apns-priority \(priority)") }
        if expiration != "0" { found.append("apns-expiration \(expiration)") }
        return found.isEmpty ? nil : found.joined(separator: " and ")
    }
}
