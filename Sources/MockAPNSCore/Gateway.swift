/// The heart: what APNs decides about each request, and what it remembers.
///
/// It has no clock, no randomness of its own and no lock; the server holds it in a lock and takes that once for each batch
/// of requests.
///
/// ```swift
/// let connection = gateway.open(connectionFacts, at: now).id
/// let request = ParsedRequest(facts, bytes: bytes)
/// let decision = gateway.receive(request, bytes: bytes, on: connection, at: Moment(real: now))
/// ```
package struct Gateway: ~Copyable {
    /// What the gateway was told.
    package private(set) var configuration: GatewayConfiguration
    /// Moves whenever remembered provider tokens have to be read again, as after ``configure(_:)``.
    package private(set) var authenticationGeneration = 0
    /// The connections, open and lately closed.
    package internal(set) var connections = Connections()

    /// The latest requests.
    package internal(set) var log: RequestLog

    /// The devices, declared ones and those that registered themselves.
    package var devices: DeviceRegistry

    var statistics = Statistics()
    var random: SeededRandom
    var ids: GeneratedIDs
    var judge = ProviderTokenJudge()
    private var tokens = ProviderTokenCache()

    /// What is played; its devices and rules are in force as ``devices`` and `rules` have them now.
    package private(set) var scenario: Scenario
    /// Where the regular expressions of this run are tried.
    var patterns = PatternContext()
    var rules: RuleBook
    var outages = Outages()
    /// What is kept for devices.
    var mailboxes = MailboxStore()
    /// What will happen by itself.
    var scheduler = Scheduler()
    /// What the server has not fetched yet.
    private var effects: [GatewayEffect] = []
    /// What is told of requests: expectations, the timeline, and who waits for some.
    var watch = RequestWatch()
    /// Whether a push has to be compared with rules, or there may be an outage.
    var isScripted: Bool
    /// The expectations that came to their end before the run was over.
    var judgements = Judgements()
    /// Moves whenever everything begins anew.
    package internal(set) var generation = 0
    /// Where the admin API is, if anywhere.
    package var adminURL: String?
    /// A connection that called the admin API here.
    var adminCaller: Int?
    private var configurationAtStart: GatewayConfiguration

    /// A gateway that has seen nothing yet.
    ///
    /// - Parameters:
    ///   - configuration: what ``Scenario/configuration(seed:defaultTeams:)`` says, with the keys' texts read.
    ///   - scenario: whose devices are declared and whose rules are in force.
    ///   - startedAt: the real time; the scenario's clock may begin at another.
    package init(_ configuration: GatewayConfiguration, scenario: Scenario = Scenario(), startedAt: Timestamp) {
        self.configuration = configuration
        self.scenario = scenario
        configurationAtStart = configuration
        random = SeededRandom(seed: configuration.seed)
        ids = GeneratedIDs(seed: configuration.seed)
        log = RequestLog(limit: configuration.logLimit)
        var devices = DeviceRegistry(hashSeed: configuration.hashSeed)
        devices.declare(scenario.devices, at: scenario.start(at: startedAt), in: configuration.environment)
        rules = RuleBook(scenario, devices, patterns)
        isScripted = rules.triggers.contains(.push)
        self.devices = devices
        beginTimeline(at: startedAt)
        beginWatch()
    }

    /// Makes everything as freshly started: log, devices, rules, outages, counters, keys, and the random numbers from the
    /// seed again. Open connections stay and keep their ids and what they have shown; they have no numbers any more.
    /// ``takeEndedExpectations()`` tells of what was expected until then.
    package mutating func reset(at now: Timestamp) {
        endExpectations(at: now)
        beginRun(configurationAtStart)
        begin(scenario, configurationAtStart, at: now)
    }

    /// Plays another scenario, with everything begun anew as by ``reset(at:)``.
    package mutating func playAnew(_ scenario: Scenario, _ configuration: GatewayConfiguration, at now: Timestamp) {
        endExpectations(replacedBy: scenario, at: now)
        beginRun(configuration)
        begin(scenario, configuration, at: now)
        note(.played, at: now)
    }

    private mutating func beginRun(_ configuration: GatewayConfiguration) {
        generation += 1
        connections.beginRun()
        log = RequestLog(
            limit: configuration.logLimit, removals: log.removals + 1, latestIDBefore: connections.latestIDBefore)
        statistics = Statistics()
        judge = ProviderTokenJudge()
        watch.wakeAll()
        for index in connections.open.indices {
            let name = connections.open[index].facts.serverName
            connections.open[index].serverName = log.index(ofServerName: name)
        }
        devices.removeAll(hashSeed: configuration.hashSeed)
    }

    /// Plays another scenario from its beginning: its devices replace all that were there, its rules of the old
    /// ones. The log and the totals stay. ``takeEndedExpectations()`` tells of what was expected until then.
    package mutating func play(_ scenario: Scenario, _ configuration: GatewayConfiguration, at now: Timestamp) {
        endExpectations(replacedBy: scenario, at: now)
        forgetAllMail(at: clock.time(at: now))
        devices.removeAllDevices(hashSeed: configuration.hashSeed)
        begin(scenario, configuration, at: now)
        note(.played, at: now)
    }

    /// Takes note that the server has started, which is told before anything else.
    package mutating func start(at now: Timestamp) { note(.started, at: now) }

    /// What is told of the run where its log goes on in another file.
    package var continuation: LogFileEvent {
        .reopened(after: log.latestSequence, scenario: scenario.name, seed: configuration.seed)
    }

    private mutating func note(_ state: ScenarioEvent.State, at now: Timestamp) {
        let event = ScenarioEvent(
            state: state, clock: clock.time(at: now), scenario: scenario.name, seed: configuration.seed)
        tell(.scenario(event))
    }

    private mutating func begin(
        _ scenario: Scenario, _ configuration: GatewayConfiguration, at now: Timestamp
    ) {
        self.scenario = scenario
        configurationAtStart = configuration
        self.configuration = configuration
        random = SeededRandom(seed: configuration.seed)
        ids = GeneratedIDs(seed: configuration.seed)
        devices.declare(scenario.devices, at: scenario.start(at: now), in: configuration.environment)
        notePatternEvents()
        patterns = PatternContext()
        rules = RuleBook(scenario, devices, patterns)
        outages = Outages()
        isScripted = rules.triggers.contains(.push)
        forgetTokens()
        beginTimeline(at: now)
        beginWatch()
    }

    // MARK: Effects

    /// What happened since this was last asked for, beside the answers, in its order. Asked for after everything that
    /// returns no effects of its own.
    package mutating func takeEffects() -> [GatewayEffect] {
        if patterns.hasEvents { notePatternEvents() }
        guard !effects.isEmpty else { return [] }
        defer { effects = [] }
        return effects
    }

    /// Whether ``takeEffects()`` returns any.
    package var hasEffects: Bool { !effects.isEmpty || patterns.hasEvents }

    /// Takes note of an effect, which the server is told of.
    mutating func tell(_ effect: GatewayEffect) { effects.append(effect) }

    // MARK: Connections

    /// Takes note of a connection's end.
    ///
    /// - Parameter closedBy: who ended it. ``ClosedBy/server`` is enough where the server did what an action said; the
    ///   record then has the action's own reason.
    package mutating func closeConnection(
        _ id: Int, by closedBy: ClosedBy, explanation: String? = nil, counters: ConnectionCounters, at now: Timestamp
    ) {
        connections.close(id, by: closedBy, explanation: explanation, counters: counters, at: now)
    }

    /// Takes note of what the transport counted on an open connection, before somebody looks at ``connections``.
    package mutating func updateConnection(_ id: Int, counters: ConnectionCounters) {
        connections.update(id, counters: counters)
    }

    // MARK: Totals

    /// Takes note that so many lines could not be written to the log's file.
    package mutating func countLogWriteErrors(_ lines: Int) { statistics.logWriteErrors += lines }

    /// The totals so far.
    package func summary(at now: Timestamp) -> Summary {
        Summary(
            statistics, devices: devices, connectionsOpened: connections.count, connectionsOpen: connections.openCount,
            dropped: log.dropped, at: now)
    }

    // MARK: The log

    /// Forgets every record; returns how many there were.
    package mutating func deleteAllRecords() -> Int {
        watch.forgetFound()
        return log.removeAll()
    }

    /// Forgets the records of these numbers, which were found in a snapshot; returns how many of them were still kept.
    /// `nil` when others were forgotten since the snapshot: after a reset the numbers are those of other requests.
    package mutating func deleteRecords(_ sequences: [Int], foundIn snapshot: RequestSnapshot) -> Int? {
        guard snapshot.removals == log.removals else { return nil }
        watch.forgetFound()
        return log.remove(sequences)
    }

    // MARK: Provider tokens

    /// The provider token that was remembered for that value of `authorization`, byte for byte.
    package func rememberedToken(_ authorization: Span<UInt8>) -> ProviderToken? { tokens.find(authorization) }

    /// Remembers a provider token, good or not; the oldest of 1024 make room.
    package mutating func remember(_ token: ProviderToken) { tokens.insert(token) }

    // MARK: Configuration

    /// Takes a new configuration; what was recorded stays. Provider tokens have to be read again, because keys may be
    /// others now.
    package mutating func configure(_ configuration: GatewayConfiguration) {
        self.configuration = configuration
        configurationAtStart = configuration
        forgetTokens()
    }

    /// Revokes a key, or takes that back; tokens signed with it are refused from the next push on, or accepted again.
    ///
    /// - Returns: whether there is a key of that id.
    package mutating func revoke(_ keyID: String, _ isRevoked: Bool = true) -> Bool {
        guard let (team, key) = configuration.authentication.indices(ofKey: keyID) else { return false }
        configuration.authentication.teams[team].keys[key].isRevoked = isRevoked
        authenticationGeneration += 1
        return true
    }

    /// Forgets every provider token that was remembered, because signatures have to be verified again.
    package mutating func forgetTokens() {
        tokens.removeAll()
        authenticationGeneration += 1
    }
}
