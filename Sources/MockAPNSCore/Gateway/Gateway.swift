/// Decides what APNs answers to each request, and keeps the state those decisions depend on.
///
/// It has no clock, no source of randomness of its own and no lock. The server guards it with a lock, which it takes
/// once per batch of requests.
///
/// ```swift
/// let connection = gateway.open(connectionFacts, at: now).id
/// let request = ParsedRequest(facts, bytes: bytes)
/// let decision = gateway.receive(request, bytes: bytes, on: connection, at: Moment(real: now))
/// ```
package struct Gateway: ~Copyable {
    /// The settings in force.
    package private(set) var configuration: GatewayConfiguration
    /// Incremented whenever cached provider tokens have to be parsed again, for example after ``forgetTokens()``.
    package private(set) var authenticationGeneration = 0
    /// The latest requests.
    package internal(set) var log: RequestLog

    /// The number of channels declared so far in this run, from which their ids are made.
    var declaredChannels = 0

    /// The devices and the broadcast channels: what follows from the log.
    package var state: ServiceState

    /// Open connections and those closed recently.
    package internal(set) var connections: Connections {
        _read { yield state.connections }
        _modify { yield &state.connections }
    }

    /// Devices, both declared and registered by a push.
    package var devices: DeviceRegistry { _read { yield state.devices } }

    /// Broadcast channels.
    package var channels: ChannelRegistry { _read { yield state.channels } }

    /// The Live Activities that listen to broadcast channels, and what was published to those.
    package var subscriptions: Subscriptions { _read { yield state.subscriptions } }

    /// How the state began with this scenario.
    package private(set) var begun: ServiceState.Start
    package internal(set) var statistics = Statistics()
    var random = SeededRandom(seed: 0)
    /// Of its own, so that a device added during the run changes no random choice.
    private var randomTokens = SeededRandom(seed: 0)
    var ids = GeneratedIDs(seed: 0)
    var validator = ProviderTokenValidator()
    private var tokens = ProviderTokenCache()

    /// The scenario being played. Devices and rules may have changed since; ``devices`` and `rules` hold their current
    /// state.
    package private(set) var scenario = Scenario()
    /// The evaluator of this run's regular expressions.
    var patterns = PatternContext()
    var rules: RuleBook
    var outages = Outages()
    /// Events that become due as time passes.
    var scheduler = Scheduler()
    /// Effects the server has not fetched yet.
    private var effects: [GatewayEffect] = []
    /// Everything that observes requests: expectations, the timeline, and clients waiting for matching requests.
    var watch = RequestWatch()
    /// Whether pushes have to be compared with rules, or an outage may be in progress.
    var isScripted = false
    /// Expectations that ended before the run did.
    var expectationHistory = ExpectationHistory()
    /// The order in which all replicas of a fleet decide pushes.
    var order = FleetOrder()
    /// The other APNs that answers what no rule decides; `nil` for this server itself.
    var relaying: Relaying?
    /// Where its answers differ from those of this server.
    package internal(set) var differences = RelayDifferences()
    /// The same before the last reset.
    package private(set) var earlierDifferences = RelayDifferences()
    /// The replicas whose requests are recorded here; empty on anything but a collector.
    var replicas = ReplicaIndex()
    /// Incremented by every reset and every restart of the run.
    package internal(set) var generation = 0
    /// The URL of the admin API; `nil` without one.
    package var adminURL: String?
    /// The id of a connection that sent an admin API request to the APNs port.
    var adminCaller: Int?
    private var configurationAtStart: GatewayConfiguration

    /// Creates an empty gateway.
    ///
    /// - Parameters:
    ///   - configuration: the result of ``Scenario/configuration(seed:defaultTeams:)``, with the keys parsed.
    ///   - scenario: supplies the declared devices and the rules.
    ///   - startedAt: the real time; the scenario's clock may start at a different time.
    package init(_ configuration: GatewayConfiguration, scenario: Scenario = Scenario(), startedAt: Timestamp) {
        self.configuration = configuration
        configurationAtStart = configuration
        log = RequestLog(limit: configuration.logLimit)
        state = ServiceState(DeviceRegistry(hashSeed: configuration.hashSeed))
        begun = ServiceState.Start(
            scenario: scenario, ids: ids, environment: configuration.environment, hashSeed: configuration.hashSeed,
            clock: startedAt)
        rules = RuleBook(self.scenario, state.devices, patterns)
        begin(.scenario, scenario, configuration, at: startedAt)
    }

    /// Returns to the state at the start: clears the log, devices, rules, outages, counters and keys, and restarts the
    /// random numbers from the seed. Open connections stay and keep their ids and what they have authenticated with,
    /// but lose their numbers. ``takeEndedExpectations()`` then returns the expectations that this ends.
    package mutating func reset(at now: Timestamp) {
        endExpectations(at: now)
        beginRun()
        begin(.reset, scenario, configurationAtStart, at: now)
    }

    /// Plays another scenario, starting over as ``reset(at:)`` does.
    package mutating func restart(_ scenario: Scenario, _ configuration: GatewayConfiguration, at now: Timestamp) {
        endExpectations(replacedBy: scenario, at: now)
        beginRun()
        begin(.reset, scenario, configuration, at: now)
        note(.played, at: now)
    }

    /// Turns the broadcast capability of an app on or off.
    mutating func setBroadcast(_ isOn: Bool, for topic: String) { configuration.broadcast.overrides[topic] = isOn }

    private mutating func beginRun() {
        generation += 1
        replicas = ReplicaIndex()
        order.beginRun()
        earlierDifferences.add(differences)
        differences = RelayDifferences()
        statistics = Statistics(after: statistics)
        validator = ProviderTokenValidator()
        watch.wakeAll()
    }

    /// Plays another scenario from its beginning. Its devices and rules replace all existing ones; the log and the
    /// totals stay. ``takeEndedExpectations()`` then returns the expectations that this ends.
    package mutating func play(_ scenario: Scenario, _ configuration: GatewayConfiguration, at now: Timestamp) {
        endExpectations(replacedBy: scenario, at: now)
        discardAllStoredPushes(at: clock.time(at: now))
        replicas.held.settleAll()
        begin(.scenario, scenario, configuration, at: now)
        note(.played, at: now)
    }

    /// Records that the server has started. This is the first event of a run.
    package mutating func start(at now: Timestamp) { note(.started, at: now) }

    /// The first event of the new log file when the log is reopened during a run.
    package var continuation: LogEvent {
        .log(.reopened(after: log.latestSequence, scenario: scenario.name, seed: configuration.seed))
    }

    private mutating func note(_ state: ScenarioEvent.State, at now: Timestamp) {
        let event = ScenarioEvent(
            state: state, clock: clock.time(at: now), scenario: scenario.name, seed: configuration.seed)
        emit(.scenario(event))
    }

    /// Returns the token of a device that is added without one.
    package mutating func drawDeviceToken() -> DeviceToken {
        while true {
            let token = DeviceToken(drawnFrom: &randomTokens)
            if state.devices.find(token) == nil { return token }
        }
    }

    private mutating func begin(
        _ beginning: ServiceState.Beginning, _ scenario: Scenario, _ configuration: GatewayConfiguration,
        at real: Timestamp
    ) {
        let now = order.clock?.entry ?? real
        self.scenario = scenario
        configurationAtStart = configuration
        self.configuration = configuration
        random = SeededRandom(seed: configuration.ownSeed)
        randomTokens = SeededRandom(seed: ~configuration.ownSeed)
        ids = GeneratedIDs(seed: configuration.ownSeed)
        let start = scenario.start(at: now)
        state.followsActivities = !configuration.isCollector
        state.tokenSeed = configuration.tokenSeed
        let begun = ServiceState.Start(
            scenario: scenario, ids: ids, environment: configuration.environment, hashSeed: configuration.hashSeed,
            clock: start)
        state.begin(beginning, with: begun)
        self.begun = begun
        if beginning == .reset {
            log = RequestLog(limit: configuration.logLimit, removals: log.removals + 1)
            state.connections.introduce(to: &log)
        }
        declaredChannels = scenario.channels.count
        notePatternEvents()
        patterns = PatternContext()
        rules = RuleBook(scenario, state.devices, patterns, removed: rules.removed)
        outages = Outages()
        isScripted = rules.triggers.contains(.push)
        forgetTokens()
        beginTimeline(at: now)
        beginWatch()
        order.begin(scenario)
    }

    // MARK: Effects

    /// Returns, in order, the effects since the last call, other than answers. Call it after every method that does not
    /// return effects itself.
    package mutating func takeEffects() -> [GatewayEffect] {
        if patterns.hasEvents { notePatternEvents() }
        guard !effects.isEmpty else { return [] }
        defer { effects = [] }
        return effects
    }

    /// Whether ``takeEffects()`` would return any.
    package var hasEffects: Bool {
        mutating get { !effects.isEmpty || patterns.hasEvents }
    }

    /// Records an event other than an update: the state follows it, and the server reports it.
    mutating func record(_ event: LogEvent) {
        let consequences = state.apply(event, after: log.latestSequence)
        switch event {
        case .device(let event):
            watch.wakeActivityWaits()
            emit(.device(event.logged))
            record(consequences, of: event.token, at: event.clock)
        case .activity(let activity):
            watch.wakeActivityWaits()
            emit(event)
            record(consequences, of: activity.device, at: activity.clock)
        default: emit(event)
        }
    }

    private mutating func record(
        _ consequences: ServiceState.Consequences, of token: DeviceToken, at clock: Timestamp
    ) {
        if let device = state.devices.find(token) { record(consequences, on: device, at: clock) }
    }

    /// Reports an event.
    mutating func emit(_ event: LogEvent) { effects.append(.event(event)) }

    /// Adds an effect for the server to fetch.
    mutating func tell(_ effect: GatewayEffect) { effects.append(effect) }

    // MARK: Totals

    /// Adds to the number of lines that could not be written to the log file.
    package mutating func countLogWriteErrors(_ lines: Int) { statistics.logWriteErrors += lines }

    /// Returns the totals so far.
    package func summary(at now: Timestamp) -> Summary {
        var summary = Summary(
            statistics, devices: state.devices, connectionsOpened: connections.count,
            connectionsOpen: connections.openCount,
            dropped: log.dropped, at: now)
        summary.limits = limitUses()
        (summary.isRelay, summary.relay) = (relaying != nil, differences)
        return summary
    }

    // MARK: The log

    /// Deletes all records and returns how many there were.
    package mutating func deleteAllRecords() -> Int {
        watch.forgetFound()
        return log.removeAll()
    }

    /// Deletes the records with these sequence numbers, found in a snapshot, and returns how many were still there.
    /// Returns `nil` if records have been deleted since the snapshot: after a reset, the numbers belong to other
    /// requests.
    package mutating func deleteRecords(_ sequences: [Int], foundIn snapshot: RequestSnapshot) -> Int? {
        guard snapshot.removals == log.removals else { return nil }
        watch.forgetFound()
        return log.remove(sequences)
    }

    // MARK: Provider tokens

    /// Returns the cached provider token for exactly these bytes of the `authorization` field.
    package func rememberedToken(_ authorization: Span<UInt8>) -> ProviderToken? { tokens.find(authorization) }

    /// Caches a provider token, valid or not. The cache holds 1024 tokens and drops the oldest.
    package mutating func remember(_ token: ProviderToken) { tokens.insert(token) }

    // MARK: Configuration

    /// Revokes a key, or restores it. From the next push on, tokens signed with it are refused, or accepted again.
    ///
    /// - Returns: whether a key with that id exists.
    package mutating func revoke(_ keyID: String, _ isRevoked: Bool = true) -> Bool {
        guard let (team, key) = configuration.authentication.indices(ofKey: keyID) else { return false }
        configuration.authentication.teams[team].keys[key].isRevoked = isRevoked
        authenticationGeneration += 1
        return true
    }

    /// Drops all cached provider tokens, because their signatures have to be verified again.
    package mutating func forgetTokens() {
        tokens.removeAll()
        authenticationGeneration += 1
    }
}
