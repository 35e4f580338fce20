import MockAPNSCore

extension LintRule {
    static let headerRules = [
        hostMissing, headerUnknown, apnsIDMissing, apnsIDReused, pushTypeMissing, backgroundPriority, expirationUnit,
        expirationPast, expirationMissing,
    ]

    static let hostMissing = LintRule(
        id: "host-missing", severity: .note, finds: "a request that has neither `:authority` nor `host`",
        effect: "It is not known whether APNs accepts it.", sources: [.http2], judge: RunCheck(HeaderRules.self))

    static let headerUnknown = LintRule(
        id: "header-unknown", severity: .warning,
        finds: "a header field that begins with `apns-` and that APNs does not know, one of APNs that lacks `apns-`, "
            + "or a key of the payload sent as a field",
        effect: "It is ignored.", sources: [.sending], judge: RunCheck(HeaderRules.self),
        check: PayloadCheck(.fields) { lint in
            let unknown = lint.push.unknownFields
            guard !unknown.isEmpty else { return }
            lint.report(at: "", 0, UnknownField.message("The push", unknown))
        })

    static let apnsIDMissing = LintRule(
        id: "apns-id-missing", severity: .note, finds: "none of ten pushes or more has an `apns-id`",
        effect: "It is harder to find out what became of a push.", sources: [.sending], thresholds: [.withoutID],
        judge: RunCheck(HeaderRules.self), isAboutPushes: false)

    static let apnsIDReused = LintRule(
        id: "apns-id-reused", severity: .warning, finds: "one `apns-id` for different pushes",
        effect: "An answer could be about any of them.", sources: [.sending], judge: RunCheck(HeaderRules.self))

    static let pushTypeMissing = LintRule(
        id: "push-type-missing", severity: .warning, finds: "no `apns-push-type`",
        effect: "watchOS 6 and later need it, and APNs may delay or drop the push.", sources: [.sending],
        judge: RunCheck(HeaderRules.self))

    static let backgroundPriority = LintRule(
        id: "background-priority", severity: .error,
        finds: "a background push with priority 10, or with none, which means 10",
        effect: "APNs may refuse or drop it.", sources: [.sending], judge: RunCheck(HeaderRules.self),
        check: PayloadCheck(.field) { lint in
            guard lint.push.priority == "10", lint.facts.type == .background else { return }
            lint.report(at: "", 0, "It is a background push with apns-priority 10; expected 5")
        })

    static let expirationUnit = LintRule(
        id: "expiration-unit", severity: .error, finds: "`apns-expiration` is in milliseconds, or is a duration",
        effect: "It is taken for a different time.", sources: [.sending, .reported("rpush/rpush#313")],
        thresholds: [.expirationsFrom, .expirationsTo], judge: RunCheck(HeaderRules.self),
        check: PayloadCheck(.field) { lint in
            guard let (expiration, known) = lint.expiration,
                let mistake = HeaderRules.wrongUnit(of: expiration, known)
            else { return }
            lint.report(at: "", 0, "apns-expiration is \(mistake)")
        })

    static let expirationPast = LintRule(
        id: "expiration-past", severity: .warning, finds: "`apns-expiration` is before the clock",
        effect: "It is not kept for a device that is offline.", sources: [.observed], judge: RunCheck(HeaderRules.self),
        check: PayloadCheck(.field) { lint in
            guard let (expiration, known) = lint.expiration, known ~= Double(expiration),
                let mistake = HeaderRules.lateness(of: expiration, at: lint.push.clock)
            else { return }
            lint.report(at: "", 0, "apns-expiration is \(mistake)")
        })

    static let expirationMissing = LintRule(
        id: "expiration-missing", severity: .note, finds: "none of ten alerts or more has an `apns-expiration`",
        effect: "They may be shown up to 30 days late.", sources: [.sending], thresholds: [.withoutExpiration],
        judge: RunCheck(HeaderRules.self), isAboutPushes: false)
}

extension LintThreshold {
    /// From how many pushes on `apns-id-missing` speaks.
    static let withoutID = Self(name: "withoutID", kind: .count, usual: 10)
    /// From how many alerts on `expiration-missing` speaks.
    static let withoutExpiration = Self(name: "withoutExpiration", kind: .count, usual: 10)
    /// From when on `apns-expiration` is in seconds since 1970, and not a duration.
    static let expirationsFrom = Self(name: "expirationsFrom", kind: .time, usual: 1_000_000_000)
    /// Until when it is, and not in milliseconds.
    static let expirationsTo = Self(name: "expirationsTo", kind: .time, usual: 100_000_000_000)
}

/// The header fields that a provider sends with its pushes.
struct HeaderRules: RunJudge {
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

    init(_ settings: LintSettings, _ run: LintedRun) {
        known = settings.seconds(from: .expirationsFrom, to: .expirationsTo)
    }

    mutating func check(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        pushes += 1
        if first == 0 { first = push.sequence }
        last = push.sequence
        if push.sentID != 0 || push.record.reason == .badMessageID || push.record.reason == .duplicateHeaders {
            ids += 1
        }
        // Without all of its body, a push cannot be told from others.
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
        if let mistake = Self.wrongUnit(of: expiration, known) {
            findings.report(
                .expirationUnit, push.sequence, "apns-expiration of push \(push.sequence) is \(mistake)")
        } else if let mistake = Self.lateness(of: expiration, at: push.record.clock) {
            findings.report(
                .expirationPast, push.sequence, "apns-expiration of push \(push.sequence) is \(mistake)")
        }
    }

    /// Returns what is wrong with the unit of an expiration, as words that follow "apns-expiration is".
    ///
    /// - Parameter known: the times in seconds since 1970.
    fileprivate static func wrongUnit(of expiration: Int64, _ known: ClosedRange<Double>) -> String? {
        guard expiration > 0, !(known ~= Double(expiration)) else { return nil }
        let isEarly = Double(expiration) < known.lowerBound
        let hint = isEarly ? "it seems to be a duration" : "it seems to be in milliseconds"
        return "\(expiration); expected seconds since 1970, and \(hint)"
    }

    /// Returns how late an expiration is that has passed, as words that follow "apns-expiration is".
    fileprivate static func lateness(of expiration: Int64, at clock: Timestamp?) -> String? {
        guard let clock, expiration > 0, expiration < clock.milliseconds / 1000 else { return nil }
        let time = (clock.milliseconds / 1000 - expiration) * 1000
        return "\(time.asTime) before the clock; expected a later time, or 0 for now or never"
    }

    func finish(_ findings: inout ProviderFindings, at end: Int64) {
        if pushes >= findings.settings.count(of: .withoutID), ids == 0 {
            findings.report(
                .apnsIDMissing, in: .init(first: first, last: last, count: pushes),
                "None of \(pushes) pushes has an apns-id; send one with each, and log it")
        }
        if alerts >= findings.settings.count(of: .withoutExpiration), expirations == 0 {
            findings.report(
                .expirationMissing, in: .init(first: firstAlert, last: lastAlert, count: alerts),
                "None of \(alerts) alerts has an apns-expiration; say how long each is of use")
        }
    }
}

extension PayloadLint {
    /// `apns-expiration` of a push by itself, and the times in seconds since 1970.
    fileprivate var expiration: (Int64, known: ClosedRange<Double>)? {
        push.expiration.flatMap { Int64($0) }.map {
            ($0, settings.seconds(from: .expirationsFrom, to: .expirationsTo))
        }
    }
}
