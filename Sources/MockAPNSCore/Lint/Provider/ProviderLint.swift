/// Judges what a provider did over a run, push by push, in one pass.
///
/// Each family of rules keeps a small state for each provider token, connection, device token or push. Of the last two
/// the latest are kept (``RecentTable``), by hashes of 64 bits, so that memory has a bound whatever the length of the
/// run.
struct ProviderLint: Sendable {
    private let run: LintedRun
    private(set) var findings: ProviderFindings
    private var tokens: ProviderTokenRules
    private var connections: ConnectionRules
    private var retries: RetryRules
    private var refusals: RefusalRules
    private var headers: HeaderRules
    private let calls: CallRules
    private var repetitions: RepetitionRules
    private var collapsing: CollapseRules
    private var channels: ChannelRules
    private var end: Int64 = 0

    init(_ settings: LintSettings, _ query: LintQuery, of run: LintedRun, listsPushes: Bool = false) {
        self.run = run
        findings = ProviderFindings(settings, query, listsPushes: listsPushes)
        tokens = ProviderTokenRules(settings, run)
        connections = ConnectionRules(settings, run)
        retries = RetryRules(settings)
        refusals = RefusalRules(settings, run)
        headers = HeaderRules(settings)
        calls = CallRules(ringing: settings.value(of: .voipExpiration))
        repetitions = RepetitionRules(settings, run)
        collapsing = CollapseRules(settings)
        channels = ChannelRules(settings, run)
    }

    /// Takes the next push of a provider.
    mutating func check(_ push: ProviderPush) {
        end = max(end, push.time)
        tokens.check(push, &findings)
        connections.check(push, &findings)
        retries.check(push, &findings)
        refusals.check(push, &findings)
        headers.check(push, &findings)
        calls.check(push, &findings)
        repetitions.check(push, &findings)
        collapsing.check(push, &findings)
    }

    /// Takes the next accepted call of a provider about broadcast channels.
    ///
    /// - Parameter channel: the id of the channel.
    mutating func check(_ call: BroadcastCall, on channel: [UInt8], _ sequence: Int) {
        var hash = PushHash(seed: 3)
        hash.mix(channel.span)
        channels.check(call, hash.value, sequence)
    }

    /// Judges what can be judged only when all is known.
    mutating func finish() {
        if let known = run.end { end = max(end, known.milliseconds) }
        tokens.finish(&findings)
        connections.finish(&findings)
        retries.finish(&findings, at: end, isOver: run.isOver)
        headers.finish(&findings)
        channels.finish(&findings)
    }
}
