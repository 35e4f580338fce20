/// A scenario: a file that defines the server's behavior, the devices, and what is expected of the provider.
///
/// It is a value: names are resolved to indices in its lists, and texts are parsed. It holds no state; counting and
/// random choices are up to the server that plays it. An empty scenario is the server's default behavior.
///
/// ```swift
/// let (scenario, mistakes) = Scenario.read(Array(#"{"unknownDevices": "reject"}"#.utf8))
/// scenario?.unknownDevices    // .reject
/// mistakes                    // none
/// ```
package struct Scenario: Sendable {
    /// The clock that drives expiration, store-and-forward, timeline, rates and outages.
    package enum Clock: Sendable, Hashable {
        /// The real time.
        case real
        /// A clock that stands still at this time until it is moved; `nil` means the time of the start.
        case manual(Timestamp?)

        /// Whether the clock is moved by hand.
        package var isManual: Bool { self != .real }
    }

    /// The source of a signing key.
    package enum KeySource: Sendable, Hashable {
        /// `AuthKey_KEYID.p8` in the certificate folder, created if missing.
        case folder
        /// A file with this path, relative to the scenario's.
        case file(String)
        /// PEM text.
        case pem(String)
    }

    /// The name, for people and reports.
    package var name: String?
    /// The description, for people and reports.
    package var description: String?
    /// The environment to act as; `nil` if not specified, which means the sandbox.
    package var environment: Environment?
    /// The seed of all random choices and generated ids; `nil` draws one.
    package var seed: UInt64?
    /// The clock that drives device time.
    package var clock = Clock.real
    /// The teams that may push. Without teams, the default identity.
    package var authentication = Authentication(teams: [])
    /// The sources of the keys in ``authentication``: for each team, one per key.
    package var keySources: [[KeySource]] = []
    /// The files with additional authorities for client certificates; paths are relative to the scenario's.
    package var clientAuthorities: [String] = []
    /// Connection behavior.
    package var connection = GatewayConfiguration.ConnectionSettings()
    /// Answers in disputed cases.
    package var responses = GatewayConfiguration.Responses()
    /// The handling of device tokens that were not declared.
    package var unknownDevices = GatewayConfiguration.UnknownDevices.register
    /// Maximum number of stored pushes per device and topic: 1 according to
    /// [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns),
    /// or more.
    package var storagePerTopic = 1
    /// The settings of lint.
    package var lint = LintSettings()
    /// The apps on the devices.
    package var apps = Apps([])
    /// The devices; everything else refers to them by their indices in this list.
    package var devices: [DeclaredDevice] = []
    /// The tokens that pushes to Live Activities are addressed to.
    package var liveActivityTokens = LiveActivityTokens.device
    /// How broadcast channels behave.
    package var broadcast = BroadcastSettings()
    /// The broadcast channels.
    package var channels: [DeclaredChannel] = []
    /// The rules that decide before the checks, in the order they are tried.
    package var rules: [Rule] = []
    /// How rules that never apply are treated.
    package var unusedRules = UnusedRules.Policy.report
    /// Events that happen at a time or after certain requests.
    package var timeline: [TimelineEntry] = []
    /// The pushes asked of a suite's driver.
    package var workload: [WorkloadEntry] = []
    /// The abilities that a driver needs for ``workload``.
    package var needs: [DriverNeed] = []
    /// The expectations of the provider and the devices.
    package var expectations: [Expectation] = []
    /// A digest of the whole text, by which members of a fleet know that they count for the same expectations; 0 for an
    /// empty one.
    package var digest: UInt64 = 0

    /// Creates the default behavior.
    package init() {}

    /// Returns the gateway's settings for playing the scenario.
    ///
    /// - Parameters:
    ///   - seed: the seed drawn, in case the scenario has none.
    ///   - defaultTeams: the teams that may push if the scenario has none.
    package func configuration(seed drawn: UInt64, defaultTeams: [Authentication.Team]) -> GatewayConfiguration {
        var authentication = authentication
        if authentication.teams.isEmpty { authentication.teams = defaultTeams }
        var configuration = GatewayConfiguration(seed: seed ?? drawn, authentication: authentication)
        configuration.tokenSeed = seed ?? 0
        configuration.environment = environment ?? .sandbox
        configuration.connection = connection
        configuration.responses = responses
        configuration.unknownDevices = unknownDevices
        configuration.storagePerTopic = storagePerTopic
        configuration.liveActivityTokens = liveActivityTokens
        configuration.broadcast = broadcast
        return configuration
    }
}
