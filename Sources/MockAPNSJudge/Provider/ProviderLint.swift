import MockAPNSCore

/// Judges a run, push by push, in one pass, for the rules that name it.
///
/// It keeps a small state for each provider token, connection, device token or push. Of the last two the latest are kept
/// (``RecentTable``), by hashes of 64 bits, so that memory has a bound whatever the length of the run.
protocol RunJudge: Sendable {
    init(_ settings: LintSettings, _ run: LintedRun)

    /// Takes the next push of a provider.
    mutating func check(_ push: ProviderPush, _ findings: inout ProviderFindings)

    /// Takes the next accepted call of a provider about broadcast channels.
    ///
    /// - Parameter id: the hash of the channel's id.
    mutating func check(_ call: BroadcastCall, _ id: UInt64, _ sequence: Int)

    /// Judges what can be judged only when all is known.
    ///
    /// - Parameter end: the real time up to which it is known what happened.
    mutating func finish(_ findings: inout ProviderFindings, at end: Int64)
}

extension RunJudge {
    func check(_ push: ProviderPush, _ findings: inout ProviderFindings) {}
    func check(_ call: BroadcastCall, _ id: UInt64, _ sequence: Int) {}
    func finish(_ findings: inout ProviderFindings, at end: Int64) {}
}

/// The judge of a run for a rule.
struct RunCheck: LintCheck {
    let judge: any RunJudge.Type

    init(_ judge: any RunJudge.Type) { self.judge = judge }
}

/// Judges what a provider did over a run, by all judges that rules name.
struct ProviderLint: Sendable {
    /// The judges, in the order of the rules.
    private static let types = {
        var known = Set<ObjectIdentifier>()
        return LintRule.all.compactMap { ($0.judge as? RunCheck)?.judge }.filter {
            known.insert(ObjectIdentifier($0)).inserted
        }
    }()

    private(set) var findings: ProviderFindings
    private var judges: [any RunJudge]
    private let knownEnd: Timestamp?
    private var end: Int64 = 0

    init(_ settings: LintSettings, _ query: LintQuery, of run: LintedRun, listsPushes: Bool = false) {
        findings = ProviderFindings(settings, query, listsPushes: listsPushes)
        judges = Self.types.map { $0.init(settings, run) }
        knownEnd = run.end
    }

    /// Takes the next push of a provider.
    mutating func check(_ push: ProviderPush) {
        end = max(end, push.time)
        for index in judges.indices { judges[index].check(push, &findings) }
    }

    /// Takes the next accepted call of a provider about broadcast channels.
    ///
    /// - Parameter channel: the id of the channel.
    mutating func check(_ call: BroadcastCall, on channel: [UInt8], _ sequence: Int) {
        var hash = PushHash(seed: 3)
        hash.mix(channel.span)
        for index in judges.indices { judges[index].check(call, hash.value, sequence) }
    }

    /// Judges what can be judged only when all is known.
    mutating func finish() {
        if let knownEnd { end = max(end, knownEnd.milliseconds) }
        for index in judges.indices { judges[index].finish(&findings, at: end) }
    }
}
