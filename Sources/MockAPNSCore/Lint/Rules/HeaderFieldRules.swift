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
    }
}
