/// The gateway's settings: who may push, how strict it is, and how much it keeps.
///
/// Properties are named after the top-level keys of the scenario file.
package struct GatewayConfiguration: Sendable {
    /// Connection behavior.
    package struct ConnectionSettings: Sendable {
        /// Maximum number of concurrent streams once the client has authenticated.
        package var maxConcurrentStreams = 1000
        /// Maximum number of concurrent streams before that, for clients without a certificate.
        package var beforeAuthentication = 1
        /// Maximum number of concurrent streams after a rejected push, until one is accepted; `nil` leaves it
        /// unchanged.
        package var afterRejection: Int?
        /// The treatment of idle connections; `nil` for none.
        package var idle: Idle?
        /// Whether an expired provider token makes the connection unusable: after the 403, every push is reset.
        package var wedgeAfterExpiredToken = false
        /// Number of error answers, at least 1, after which the connection is closed; `nil` means never. BadDeviceToken
        /// counts twice; 410 and 5xx do not count.
        package var closeAfterErrors: Int?
        /// SETTINGS_HEADER_TABLE_SIZE, in bytes.
        package var headerTableSize = 4096
        /// SETTINGS_MAX_HEADER_LIST_SIZE, in bytes.
        package var maxHeaderListSize = 8000
        /// SETTINGS_INITIAL_WINDOW_SIZE, in bytes.
        package var initialWindowSize = 65_535

        /// Creates the limits APNs uses: 1 stream, then 1000.
        package init() {}
    }

    /// When a connection counts as idle, and what happens then.
    package struct Idle: Sendable, Equatable {
        /// The end of an idle connection.
        package enum Then: Sendable, Equatable {
            /// GOAWAY with the reason IdleTimeout, then close.
            case goAway
            /// Close in this way, without GOAWAY.
            case close(Ending)
        }

        /// Milliseconds of real time without a frame, at least 1.
        package var after: Int64
        /// Its end.
        package var then: Then

        /// Creates a rule for connections that have been idle for this many milliseconds.
        package init(after: Int64, then: Then) {
            self.after = after
            self.then = then
        }
    }

    /// Behavior where Apple's documentation and the observed responses differ, or the documentation is silent.
    package struct Responses: Sendable {
        /// The handling of pushes with type `background` and priority 10.
        package enum BackgroundPriority10: Sendable {
            /// 400 BadPriority, since Apple's documentation calls it an error.
            case badPriority
            /// Handled like any other push.
            case accept
            /// 200, but never delivered, as seen on iOS 13.
            case drop
        }

        /// Whether error answers have `content-type: application/json`, as in Apple's sample.
        package var contentType = false
        /// The reason for a key of the wrong environment: ``Reason/badEnvironmentKeyInToken`` as observed, or
        /// ``Reason/badEnvironmentKeyIDInToken`` as in Apple's table.
        package var badEnvironmentReason = Reason.badEnvironmentKeyInToken
        /// The reason for a topic that the client certificate does not name: ``Reason/topicDisallowed`` or
        /// ``Reason/badTopic``.
        package var foreignTopic = Reason.topicDisallowed
        /// The reason for a body that is not JSON; `nil` accepts it.
        package var invalidJSON: Reason?
        /// The handling of background pushes with priority 10.
        package var backgroundPriority10 = BackgroundPriority10.badPriority

        /// Creates the defaults, each as close to observed behavior as is known.
        package init() {}
    }

    /// The handling of well-formed device tokens that were not declared.
    package enum UnknownDevices: Sendable {
        /// Registers a new device for the first topic that pushes to it.
        case register
        /// 400 BadDeviceToken.
        case reject
    }

    /// The environment to act as.
    package var environment = Environment.sandbox
    /// The seed of all generated ids and random choices.
    package var seed: UInt64
    /// The seed of tokens that are handed out while the server runs: the one that was given, otherwise 0, so that all
    /// replicas of a fleet hand out the same.
    package var tokenSeed: UInt64 = 0
    /// The seed for hash tables, so that clients cannot predict their slots; equal to `seed` unless the server draws
    /// another.
    package var hashSeed: UInt64
    /// The teams that may push.
    package var authentication: Authentication
    /// Connection behavior.
    package var connection = ConnectionSettings()
    /// Answers in disputed cases.
    package var responses = Responses()
    /// The handling of device tokens that were not declared.
    package var unknownDevices = UnknownDevices.register
    /// Maximum number of stored pushes per device and topic; at least 1.
    package var storagePerTopic = 1
    /// The tokens that pushes to Live Activities are addressed to.
    package var liveActivityTokens = LiveActivityTokens.device
    /// How broadcast channels behave.
    package var broadcast = BroadcastSettings()
    /// The default of ``logLimit``.
    package static let defaultLogLimit = 100_000
    /// Maximum number of request records; at least 1.
    package var logLimit = defaultLogLimit
    /// Distinguishes the random numbers of replicas that have one seed; 0 without a fleet.
    package var replicaSeed: UInt64 = 0
    /// Whether the requests are those that replicas have decided. The timeline is theirs then, too.
    package var isCollector = false

    /// Creates the configuration for running without a scenario, with these teams.
    package init(seed: UInt64, authentication: Authentication) {
        self.seed = seed
        hashSeed = seed
        self.authentication = authentication
    }

    /// The seed of generated ids and random choices, which differs between replicas.
    var ownSeed: UInt64 { seed ^ replicaSeed }
}
