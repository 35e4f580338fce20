// What the header fields of a push say, as far as they are known. Those of a log are judged with the run, by HeaderRules.
extension PayloadLint {
    mutating func checkHeaderFields() {
        guard !push.isOfLog else { return }
        if push.priority == "10", facts.type == .background {
            report(.backgroundPriority, at: "", 0, "It is a background push with apns-priority 10; expected 5")
        }
        if let expiration = push.expiration.flatMap({ Int64($0) }),
            let (rule, mistake) = HeaderRules.mistake(
                in: expiration, at: push.clock, settings.seconds(from: .expirationsFrom, to: .expirationsTo))
        {
            report(rule, at: "", 0, "apns-expiration is \(mistake)")
        }
        let unknown = push.unknownFields
        if !unknown.isEmpty { report(.headerUnknown, at: "", 0, UnknownField.message("The push", unknown)) }
        checkCall()
    }

    private mutating func checkCall() {
        let ringing = settings.value(of: .voipExpiration)
        let rules = CallRules(ringing: ringing)
        switch facts.type {
        case .voip:
            guard let expiration = push.expiration.flatMap({ Int64($0) }),
                let found = rules.lateness(of: expiration, at: push.clock)
            else { return }
            report(
                .voipExpiration, at: "", 0,
                "It is a VoIP push \(found); expected 0, or at most "
                    + "\(ringing.asTime) from now")
        case .pushtotalk:
            guard let found = rules.urgency(priority: push.priority, expiration: push.expiration ?? "0") else { return }
            report(
                .pushtotalkUrgency, at: "", 0,
                "It is a Push to Talk push with \(found); expected priority 10 and expiration 0")
        default: break
        }
    }
}
