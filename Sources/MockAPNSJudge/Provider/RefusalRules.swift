import MockAPNSCore

extension LintRule {
    static let refusalRules = [pushAfter410, pushAfterBadToken, environmentsMixed, tooManyRefusals, retryAfterIgnored]

    static let pushAfter410 = LintRule(
        id: "push-after-410", severity: .error, finds: "another push to a device token that was refused with 410",
        effect: "The app is gone; APNs counts such pushes.", sources: [.responses], thresholds: [.pushAfter410],
        judge: RunCheck(RefusalRules.self))

    static let pushAfterBadToken = LintRule(
        id: "push-after-bad-token", severity: .error,
        finds: "another push to a device token that was refused with BadDeviceToken or DeviceTokenNotForTopic",
        effect: "It can never arrive; APNs throttles a provider that goes on, then disconnects it.",
        sources: [.responses, .reported("clave#14")], thresholds: [.pushAfterBadToken],
        judge: RunCheck(RefusalRules.self))

    static let environmentsMixed = LintRule(
        id: "environments-mixed", severity: .error,
        finds: "a device token that is accepted in one environment, and refused with BadDeviceToken in the other",
        effect: "A device token is valid in one environment only.", sources: [.reported("clave#14")],
        judge: RunCheck(RefusalRules.self))

    static let tooManyRefusals = LintRule(
        id: "too-many-refusals", severity: .warning,
        finds: "more than 10 % of 1000 pushes are refused with a status from 400 to 499, not counting 410",
        effect: "APNs throttles such a provider, then disconnects.", sources: [.responses],
        thresholds: [.refusalPercent, .refusalWindow], judge: RunCheck(RefusalRules.self))

    static let retryAfterIgnored = LintRule(
        id: "retry-after-ignored", severity: .error,
        finds: "a push to a device token before the time that `retry-after` gave",
        effect: "It is refused again.", sources: [.rfc9110], thresholds: [.retryAfterNotice],
        judge: RunCheck(RefusalRules.self))
}

extension LintThreshold {
    /// How long after a 410 another push may have been under way.
    static let pushAfter410 = Self(name: "pushAfter410", kind: .duration, usual: 1000)
    /// How long after the refusal another push may have been under way.
    static let pushAfterBadToken = Self(name: "pushAfterBadToken", kind: .duration, usual: 1000)
    /// How many of 100 pushes may be refused.
    static let refusalPercent = Self(name: "refusalPercent", kind: .percentage, usual: 10)
    /// Over how many pushes that is counted.
    static let refusalWindow = Self(name: "refusalWindow", kind: .count, usual: 1000)
    /// How long after the answer another push may have been under way.
    static let retryAfterNotice = Self(name: "retryAfterNotice", kind: .duration, usual: 1000)
}

/// Judges how a provider treats refused device tokens, and how often it is refused.
struct RefusalRules: RunJudge {
    /// A refusal that is about a device token.
    fileprivate struct Refusal: Sendable {
        var sequence: Int
        var time: Int64
        var key: UInt64
        var reason: Reason
        var wasScripted: Bool
    }

    /// A `retry-after`.
    private struct Pause: Sendable {
        var sequence: Int
        var time: Int64
        var key: UInt64
        var length: Int64
    }

    /// Where a device token was accepted, and where it was refused as bad.
    private struct Environments: Sendable {
        var accepted: (sandbox: Int, production: Int) = (0, 0)
        var bad: (sandbox: Int, production: Int) = (0, 0)
    }

    private let after410, afterBadToken, retryAfterNotice: Int64
    private let percent, window: Int
    private let environment: Environment
    private var gone = RecentTable<Refusal>()
    private var bad = RecentTable<Refusal>()
    private var pauses = RecentTable<Pause>()
    private var environments = RecentTable<Environments>()
    /// Whether each of the latest pushes was refused.
    private var latest: [Bool] = []
    private var next = 0
    private var refused = 0
    private var isTooMany = false

    init(_ settings: LintSettings, _ run: LintedRun) {
        after410 = settings.value(of: .pushAfter410)
        afterBadToken = settings.value(of: .pushAfterBadToken)
        retryAfterNotice = settings.value(of: .retryAfterNotice)
        percent = settings.count(of: .refusalPercent)
        window = settings.count(of: .refusalWindow)
        environment = run.environment
    }

    mutating func check(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        if !gone.isEmpty { checkGone(push, &findings) }
        if !bad.isEmpty { checkBad(push, &findings) }
        if !pauses.isEmpty { checkPause(push, &findings) }
        note(push)
        if environment == .serverName { checkEnvironments(push, &findings) }
        checkShare(push, &findings)
    }

    /// The key of a refusal that is for one topic.
    private static func ofTopic(_ push: ProviderPush) -> UInt64 { PushHash.of(push.device, push.topic) }
    /// The key of a refusal that is for one environment, as far as the client names it.
    private static func ofServer(_ push: ProviderPush) -> UInt64 {
        PushHash.of(push.device, UInt64(push.record.serverName))
    }

    private mutating func note(_ push: ProviderPush) {
        guard let status = push.record.status, status >= 400 else { return }
        if let length = push.retryAfter, length > 0 {
            pauses.insert(
                Pause(sequence: push.sequence, time: push.time, key: push.key, length: length), for: push.device)
        }
        guard let reason = push.record.reason else { return }
        let refusal = Refusal(
            sequence: push.sequence, time: push.time, key: push.key, reason: reason, wasScripted: push.isScripted)
        switch reason {
        // The first refusal counts until the token is accepted.
        case .unregistered, .expiredToken:
            if gone[Self.ofTopic(push)] == nil { gone.insert(refusal, for: Self.ofTopic(push)) }
        case .deviceTokenNotForTopic:
            if bad[Self.ofTopic(push)] == nil { bad.insert(refusal, for: Self.ofTopic(push)) }
        case .badDeviceToken:
            if bad[Self.ofServer(push)] == nil { bad.insert(refusal, for: Self.ofServer(push)) }
        default: break
        }
    }

    /// A push that is accepted shows that the app has registered again, unless it was a rule that had refused it.
    private mutating func checkGone(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        guard let refusal = gone[Self.ofTopic(push)] else { return }
        if push.isAccepted, !refusal.wasScripted { return gone.remove(Self.ofTopic(push)) }
        guard refusal.isKnown(to: push, after: after410) else { return }
        findings.report(
            .pushAfter410, push.sequence,
            "Push \(push.sequence) goes to the device token of push \(refusal.sequence), which was refused with 410 "
                + "\(refusal.reason.name); drop the token until the app registers again")
    }

    /// A token that is accepted was declared meanwhile, unless it was a rule that had refused it.
    private mutating func checkBad(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        for key in [Self.ofTopic(push), Self.ofServer(push)] {
            guard let refusal = bad[key] else { continue }
            if push.isAccepted, !refusal.wasScripted {
                bad.remove(key)
            } else if refusal.isKnown(to: push, after: afterBadToken) {
                findings.report(
                    .pushAfterBadToken, push.sequence,
                    "Push \(push.sequence) goes to the device token of push \(refusal.sequence), which was refused with "
                        + "\(refusal.reason.name); drop the token, or send to the environment and topic that it is for")
                return
            }
        }
    }

    private mutating func checkPause(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        guard let pause = pauses[push.device] else { return }
        let time = push.time - pause.time
        // Timers are not exact to the millisecond.
        guard time + 10 < pause.length else { return pauses.remove(push.device) }
        guard push.key == pause.key || time >= retryAfterNotice else { return }
        findings.report(
            .retryAfterIgnored, push.sequence,
            "Push \(push.sequence) came \(time.asTime) after push \(pause.sequence), which was answered with retry-after "
                + "\(pause.length / 1000); wait for \(pause.length.asTime)")
    }

    private mutating func checkEnvironments(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        let isBad = push.record.reason == .badDeviceToken
        guard isBad || push.isAccepted else { return }
        let isSandbox = push.isSandbox(by: environment)
        var known = environments[push.device] ?? Environments()
        switch (isBad, isSandbox) {
        case (true, true): known.bad.sandbox = push.sequence
        case (true, false): known.bad.production = push.sequence
        case (false, true): known.accepted.sandbox = push.sequence
        case (false, false): known.accepted.production = push.sequence
        }
        environments.insert(known, for: push.device)
        for (accepted, bad, home, other) in [
            (known.accepted.sandbox, known.bad.production, "the sandbox", "production"),
            (known.accepted.production, known.bad.sandbox, "production", "the sandbox"),
        ] where accepted > 0 && bad > 0 && max(accepted, bad) == push.sequence {
            findings.report(
                .environmentsMixed, bad,
                "Push \(bad) goes to \(other), and its device token is for \(home), where push \(accepted) was accepted; "
                    + "keep the environment beside each token")
        }
    }

    private mutating func checkShare(_ push: ProviderPush, _ findings: inout ProviderFindings) {
        guard let status = push.record.status else { return }
        let isRefused = 400...499 ~= status && status != 410
        if latest.count < window {
            latest.append(isRefused)
        } else {
            if latest[next] { refused -= 1 }
            latest[next] = isRefused
            next = (next + 1) % window
        }
        if isRefused { refused += 1 }
        let wasTooMany = isTooMany
        isTooMany = latest.count == window && refused * 100 > window * percent
        guard isTooMany, !wasTooMany else { return }
        findings.report(
            .tooManyRefusals, push.sequence,
            "\(refused) of \(window) pushes up to push \(push.sequence) were refused, and not with 410; at most "
                + "\(percent) % should be")
    }
}

extension RefusalRules.Refusal {
    /// Returns whether a provider must know of the refusal when it sends a push: it is the same one again, or comes late
    /// enough for the answer to have arrived.
    fileprivate func isKnown(to push: ProviderPush, after notice: Int64) -> Bool {
        push.key == key || push.time - time >= notice
    }
}

extension ProviderPush {
    /// Returns whether it went to the sandbox.
    fileprivate func isSandbox(by environment: Environment) -> Bool {
        environment.isSandbox(serverName: serverName.map { String(decoding: $0, as: UTF8.self) })
    }
}
