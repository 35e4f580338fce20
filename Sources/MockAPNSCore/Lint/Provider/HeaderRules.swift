/// The header fields that a provider sends with its pushes.
struct HeaderRules: Sendable {
    private let withoutID, withoutExpiration: Int64
    private let known: ClosedRange<Double>
    private var pushes = 0
    private var ids = 0
    private var first = 0
    private var last = 0
    private var alerts = 0
    private var expirations = 0
    private var firstAlert = 0
    private var lastAlert = 0
    /// For each `apns-id`, the push that it was sent with.
    private var knownIDs = RecentTable<(key: UInt64, sequence: Int)>()

    init(_ settings: LintSettings) {
        withoutID = settings.value(of: .withoutID)
        withoutExpiration = settings.value(of: .withoutExpiration)
        known = settings.seconds(from: .expirationsFrom, to: .expirationsTo)
    }

    mutating func check(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        pushes += 1
        if first == 0 { first = push.sequence }
        last = push.sequence
        if push.sentID != 0 || push.record.reason == .badMessageID || push.record.reason == .duplicateHeaders {
            ids += 1
        }
        // Without all of its body, nobody knows which push it was.
        if push.sentID != 0, !push.record.isCutOff { checkID(push, &findings) }
        if push.record.pushTypeRange.isAbsent, push.record.reason != .duplicateHeaders {
            findings.report(
                .pushTypeMissing, push.sequence, "Push \(push.sequence) has no apns-push-type; send it with every push")
        }
        if push.fieldNames.lacksHost {
            findings.report(
                .hostMissing, push.sequence,
                "Push \(push.sequence) has neither :authority nor host; send :authority, as HTTP/2 clients usually do")
        }
        if !push.fieldNames.unknown.isEmpty {
            findings.report(
                .headerUnknown, push.sequence,
                UnknownField.message("Push \(push.sequence)", push.fieldNames.unknown))
        }
        if push.payload.type == .background { checkPriority(push, &findings) }
        if push.payload.type == .alert {
            if alerts == 0 { firstAlert = push.sequence }
            lastAlert = push.sequence
            alerts += 1
        }
        if let expiration = push.record.expiration {
            checkExpiration(push, expiration, &findings)
            if push.payload.type == .alert { expirations += 1 }
        } else if push.payload.type == .alert, push.record.reason == .badExpirationDate {
            expirations += 1
        }
    }

    private mutating func checkID(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        guard let known = knownIDs[push.sentID] else {
            knownIDs.insert((push.key, push.sequence), for: push.sentID)
            return
        }
        guard known.key != push.key else { return }
        findings.report(
            .apnsIDReused, push.sequence,
            "Push \(push.sequence) has the apns-id of push \(known.sequence), and is another push; make an id for each")
    }

    private func checkPriority(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        guard push.record.priority == nil || push.record.priority == 10, push.record.reason != .badPriority else {
            return
        }
        let found = push.record.priority.map { "apns-priority \($0)" } ?? "no apns-priority, which means 10"
        findings.report(
            .backgroundPriority, push.sequence,
            "Push \(push.sequence) is a background push with \(found); expected 5")
    }

    private func checkExpiration(_ push: ProviderPush, _ expiration: Int64, _ findings: inout ProviderFindings) {
        if let (rule, mistake) = Self.mistake(in: expiration, at: push.record.clock, known) {
            findings.report(rule, push.sequence, "apns-expiration of push \(push.sequence) is \(mistake)")
        }
    }

    /// Returns what is wrong with an expiration: the rule, and words that follow "apns-expiration is".
    ///
    /// - Parameter known: the times in seconds since 1970.
    static func mistake(
        in expiration: Int64, at clock: Timestamp?, _ known: ClosedRange<Double>
    ) -> (LintRule, String)? {
        if expiration > 0, !(known ~= Double(expiration)) {
            let isEarly = Double(expiration) < known.lowerBound
            let hint = isEarly ? "it seems to be a duration" : "it seems to be in milliseconds"
            return (.expirationUnit, "\(expiration); expected seconds since 1970, and \(hint)")
        }
        guard let clock, expiration > 0, expiration < clock.milliseconds / 1000 else { return nil }
        let time = (clock.milliseconds / 1000 - expiration) * 1000
        return (.expirationPast, "\(time.asTime) before the clock; expected a later time, or 0 for now or never")
    }

    func finish(_ findings: inout ProviderFindings) {
        if pushes >= Int(withoutID), ids == 0 {
            findings.report(
                .apnsIDMissing, in: .init(first: first, last: last, count: pushes),
                "None of \(pushes) pushes has an apns-id; send one with each, and log it")
        }
        if alerts >= Int(withoutExpiration), expirations == 0 {
            findings.report(
                .expirationMissing, in: .init(first: firstAlert, last: lastAlert, count: alerts),
                "None of \(alerts) alerts has an apns-expiration; say how long each is of use")
        }
    }
}
