/// A scenario: what a file says about the server's behaviour, the devices, and what is expected of the provider.
///
/// It is a value: names are resolved to indices of the lists in this value, texts to what they mean. It holds no state;
/// whoever plays it counts and draws for itself. A scenario without anything is the server's behaviour without one.
///
/// ```swift
/// let (scenario, mistakes) = Scenario.read(Array(#"{"unknownDevices": "reject"}"#.utf8))
/// scenario?.unknownDevices    // .reject
/// mistakes                    // none
/// ```
package struct Scenario: Sendable {
    /// What drives expiry, storage, timeline, rates and outages.
    package enum Clock: Sendable, Hashable {
        /// The time of day.
        case real
        /// It stands still at that time until it is moved; `nil` is the time of the start.
        case manual(Timestamp?)

        /// Whether it is moved by hand.
        package var isManual: Bool { self != .real }
    }

    /// Where the file of a signing key comes from.
    package enum KeySource: Sendable, Hashable {
        /// `AuthKey_KEYID.p8` in the folder of certificates, made when missing.
        case folder
        /// A file; its path is relative to the scenario's.
        case file(String)
        /// PEM text.
        case pem(String)
    }

    /// What the scenario is called; for people and reports.
    package var name: String?
    /// What it shows; for people and reports.
    package var description: String?
    /// Which environment is played; `nil` when it does not say, which means the sandbox.
    package var environment: GatewayConfiguration.Environment?
    /// Seeds every random choice and generated id; `nil`: one is drawn.
    package var seed: UInt64?
    /// What drives the devices' time.
    package var clock = Clock.real
    /// Who may push. Without teams the default identity is meant.
    package var authentication = Authentication(teams: [])
    /// Where the keys of ``authentication`` come from: for each team, one for each of its keys.
    package var keySources: [[KeySource]] = []
    /// The files with authorities that client certificates may come from; paths relative to the scenario's.
    package var clientAuthorities: [String] = []
    /// How connections behave.
    package var connection = GatewayConfiguration.Connection()
    /// What disputed cases earn.
    package var responses = GatewayConfiguration.Responses()
    /// What becomes of device tokens that nobody declared.
    package var unknownDevices = GatewayConfiguration.UnknownDevices.register
    /// How many pushes are stored for a device and topic: 1 as
    /// [Sending notification requests to APNs](https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns)
    /// says, or more.
    package var storagePerTopic = 1
    /// The apps on the devices.
    package var apps = Apps([])
    /// The devices; others name them by their indices in this list.
    package var devices: [DeclaredDevice] = []
    /// What decides before the checks, in the order in which they are tried.
    package var rules: [Rule] = []
    /// What happens by itself.
    package var timeline: [TimelineEntry] = []
    /// What is expected of the provider and of the devices.
    package var expectations: [Expectation] = []

    /// The behaviour without a scenario.
    package init() {}

    /// What a gateway has to be told to play it.
    ///
    /// - Parameters:
    ///   - seed: the seed that was drawn, where the scenario has none.
    ///   - defaultTeams: who may push where the scenario does not say.
    package func configuration(seed drawn: UInt64, defaultTeams: [Authentication.Team]) -> GatewayConfiguration {
        var authentication = authentication
        if authentication.teams.isEmpty { authentication.teams = defaultTeams }
        var configuration = GatewayConfiguration(seed: seed ?? drawn, authentication: authentication)
        configuration.environment = environment ?? .sandbox
        configuration.connection = connection
        configuration.responses = responses
        configuration.unknownDevices = unknownDevices
        configuration.storagePerTopic = storagePerTopic
        return configuration
    }
}
