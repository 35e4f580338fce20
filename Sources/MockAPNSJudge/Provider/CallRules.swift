import MockAPNSCore

extension LintRule {
    static let callRules = [voipExpiration, pushtotalkUrgency]

    static let voipExpiration = LintRule(
        id: "voip-expiration", severity: .warning,
        finds: "a VoIP push without `apns-expiration`, or one that is kept for more than 60 s",
        effect: "A device that was offline rings for a call that is over.", sources: [.pushKit],
        thresholds: [.voipExpiration], judge: RunCheck(CallRules.self),
        check: PayloadCheck(.fields) { lint in
            let ringing = lint.settings.value(of: .voipExpiration)
            guard lint.facts.type == .voip, let expiration = lint.push.expiration.flatMap({ Int64($0) }),
                let found = CallRules.lateness(of: expiration, at: lint.push.clock, ringing)
            else { return }
            lint.report(
                at: "", 0, "It is a VoIP push \(found); expected 0, or at most \(ringing.asTime) from now")
        })

    static let pushtotalkUrgency = LintRule(
        id: "pushtotalk-urgency", severity: .warning,
        finds: "a Push to Talk push with another priority than 10, or another `apns-expiration` than 0",
        effect: "It may arrive when the speaker has finished.", sources: [.pushToTalk], judge: RunCheck(CallRules.self),
        check: PayloadCheck(.fields) { lint in
            let (priority, expiration) = (lint.push.priority, lint.push.expiration ?? "0")
            guard lint.facts.type == .pushtotalk,
                let found = CallRules.urgency(priority: priority, expiration: expiration)
            else { return }
            lint.report(
                at: "", 0, "It is a Push to Talk push with \(found); expected priority 10 and expiration 0")
        })
}

extension LintThreshold {
    /// How long a VoIP push may be kept.
    static let voipExpiration = Self(name: "voipExpiration", kind: .duration, usual: 60_000)
}

/// Pushes for people who speak with each other, which are of use at once or not at all: VoIP, and Push to Talk.
struct CallRules: RunJudge {
    private let ringing: Int64

    init(_ settings: LintSettings, _ run: LintedRun) { ringing = settings.value(of: .voipExpiration) }

    func check(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        let record = push.record
        guard record.reason != .duplicateHeaders else { return }
        let isExpirationKnown = record.reason != .badExpirationDate
        switch push.payload.type {
        case .voip where isExpirationKnown:
            guard let found = Self.lateness(of: record.expiration, at: record.clock, ringing) else { return }
            findings.report(
                .voipExpiration, push.sequence,
                "Push \(push.sequence) is a VoIP push \(found); expected 0, or at most \(ringing.asTime) from now")
        case .pushtotalk:
            let expiration = isExpirationKnown ? record.expiration.map { "\($0)" } ?? "absent" : "0"
            let found = Self.urgency(priority: record.priority.map { "\($0)" }, expiration: expiration)
            guard let found else { return }
            findings.report(
                .pushtotalkUrgency, push.sequence,
                "Push \(push.sequence) is a Push to Talk push with \(found); expected priority 10 and expiration 0")
        default: break
        }
    }

    /// Returns what is wrong with the expiration of a VoIP push. Times that are none have a rule of their own.
    ///
    /// - Parameters:
    ///   - expiration: `nil` for none.
    ///   - ringing: how long it may be kept, in milliseconds.
    fileprivate static func lateness(of expiration: Int64?, at clock: Timestamp?, _ ringing: Int64) -> String? {
        guard let expiration else { return "without apns-expiration, so that it is kept for up to 30 days" }
        guard let clock, expiration > 0, expiration <= Int64(1e11) else { return nil }
        let kept = expiration * 1000 - clock.milliseconds
        return kept > ringing ? "that is kept for \(kept.asTime)" : nil
    }

    /// Returns which header fields of a Push to Talk push are wrong.
    ///
    /// - Parameter priority: `nil` for none, which means 10.
    fileprivate static func urgency(priority: String?, expiration: String) -> String? {
        var found: [String] = []
        if let priority, priority != "10" { found.append("apns-priority \(priority)") }
        if expiration != "0" { found.append("apns-expiration \(expiration)") }
        return found.isEmpty ? nil : found.joined(separator: " and ")
    }
}
