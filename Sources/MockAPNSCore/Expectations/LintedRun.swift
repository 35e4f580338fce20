/// The facts about a run that lint needs besides its requests. Unknown ones are not judged.
package struct LintedRun: Sendable {
    /// The known connections, by id.
    package private(set) var connections: [UInt32: Connection] = [:]
    /// The real time up to which it is known what happened; `nil`: that of the last request.
    package var end: Timestamp?
    /// Whether nothing more can come: all connections have closed, and providers have ended or had a moment to connect
    /// again.
    package private(set) var isOver = false
    /// How long a provider may take to connect again, in milliseconds.
    private static let reconnection: Int64 = 1000
    /// The environment that the server acts as.
    package var environment = Environment.sandbox
    /// The limit of streams after the first accepted push; `nil` if it changes during the run.
    package var streamLimit: Int?
    /// Whether provider tokens are judged by the scenario's clock.
    package var tokensFollowClock = false
    /// How many broadcast channels an app may have in an environment.
    package var channelLimit = BroadcastSettings().limit
    /// The devices on which the app has started Live Activities, by hashes of their tokens.
    package var devicesWithActivities: [UInt64] = []

    /// Whether Live Activities have tokens of their own, so that the token of an update never had a start.
    package var activitiesHaveOwnTokens = false

    /// A run known only by its requests.
    package init() {}

    /// Creates a run of a scenario, with what that says of it.
    ///
    /// - Parameters:
    ///   - connections: the connections that are known.
    ///   - end: the real time up to which it is known what happened.
    ///   - haveProvidersEnded: whether no provider connects again, as far as is known.
    package init(
        of scenario: Scenario, _ connections: Connections = Connections(), until end: Timestamp? = nil,
        haveProvidersEnded: Bool = false
    ) {
        self.end = end
        for connection in connections.all where connection.id != Connections.adminID {
            self.connections[UInt32(clamping: connection.id)] = connection
        }
        let latest = connections.closed.compactMap(\.closedAt?.milliseconds).max() ?? 0
        isOver =
            connections.open.isEmpty && !self.connections.isEmpty
            && (haveProvidersEnded || (end?.milliseconds ?? latest) - latest >= Self.reconnection)
        environment = scenario.environment ?? .sandbox
        tokensFollowClock = scenario.authentication.followsClock
        channelLimit = scenario.broadcast.limit
        streamLimit = scenario.changesStreamLimit ? nil : scenario.connection.maxConcurrentStreams
        activitiesHaveOwnTokens =
            scenario.liveActivityTokens == .own || scenario.devices.contains { !$0.startTokens.isEmpty }
        devicesWithActivities = scenario.devices.filter { !$0.activities.isEmpty }.map { device in
            var token: [UInt8] = []
            device.token.appendHex(to: &token)
            return PushHash.of(token.span, settingBits: 0x20)
        }
    }
}

extension Scenario {
    /// Whether the limit of streams may change after the first accepted push.
    fileprivate var changesStreamLimit: Bool {
        connection.afterRejection != nil || connection.wedgeAfterExpiredToken
            || rules.contains { rule in
                if case .push(let steps) = rule.steps { steps.contains { $0.settings != nil } } else { false }
            }
            || timeline.contains { entry in
                entry.actions.contains { if case .settings = $0 { true } else { false } }
            }
    }
}
