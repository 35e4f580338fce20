/// What the gateway is told before it starts: who may push, how strictly it judges, what it keeps.
///
/// The names are those of the scenario file's top-level keys.
public struct GatewayConfiguration: Sendable {
    /// Which of APNs' two environments is played.
    public enum Environment: String, Sendable, CaseIterable {
        case sandbox
        case production
        /// Production for a client that names `api.push.apple.com` or `api-manage-broadcast.push.apple.com` in its
        /// TLS greeting, sandbox for every other.
        case serverName

        /// Whether a connection to that server name is one to the sandbox.
        func isSandbox(serverName: String?) -> Bool {
            switch self {
            case .sandbox: true
            case .production: false
            case .serverName:
                serverName != "api.push.apple.com" && serverName != "api-manage-broadcast.push.apple.com"
            }
        }
    }

    /// How a connection behaves.
    public struct Connection: Sendable {
        /// Streams that a client may have open at a time after it has shown who it is.
        public var maxConcurrentStreams = 1000
        /// The same before that, for a client without a certificate.
        public var beforeAuthentication = 1
        /// The same after a push was rejected, until one is accepted; `nil`: as before.
        public var afterRejection: Int?
        /// What becomes of a connection on which nothing happens; `nil`: nothing.
        public var idle: Idle?
        /// Whether an expired provider token makes a connection useless: after its 403 every push is reset.
        public var wedgeAfterExpiredToken = false
        /// After so many error conditions the connection is ended, at least 1; `nil`: never. BadDeviceToken counts
        /// twice, 410 and 5xx do not count.
        public var closeAfterErrors: Int?
        /// SETTINGS_HEADER_TABLE_SIZE, in bytes.
        public var headerTableSize = 4096
        /// SETTINGS_MAX_HEADER_LIST_SIZE, in bytes.
        public var maxHeaderListSize = 8000
        /// SETTINGS_INITIAL_WINDOW_SIZE, in bytes.
        public var initialWindowSize = 65_535

        /// The limits that APNs has: 1, then 1000.
        public init() {}
    }

    /// When a connection has been idle for too long, and what happens then.
    public struct Idle: Sendable, Equatable {
        /// What happens.
        public enum Then: Sendable, Equatable {
            /// GOAWAY with the reason IdleTimeout, then the end.
            case goAway
            /// The end in that way, without GOAWAY.
            case close(ConnectionAction.Ending)
        }

        /// For so long no frame came, in milliseconds of real time; at least 1.
        public var after: Int64
        /// What happens then.
        public var then: Then

        /// That, after so many milliseconds.
        public init(after: Int64, then: Then) {
            self.after = after
            self.then = then
        }
    }

    /// What happens where Apple's pages and the wire disagree, or say nothing.
    public struct Responses: Sendable {
        /// What to do with a push of type `background` and priority 10.
        public enum BackgroundPriority10: Sendable {
            /// 400 BadPriority, as Apple's page calls it an error.
            case badPriority
            /// An ordinary push.
            case accept
            /// 200, and the push never arrives, as was seen on iOS 13.
            case drop
        }

        /// Whether an error answer says `content-type: application/json`, as Apple's sample does.
        public var contentType = false
        /// The name of a key's wrong environment: ``Reason/badEnvironmentKeyInToken`` as seen on the wire, or
        /// ``Reason/badEnvironmentKeyIDInToken`` as Apple's table has it.
        public var badEnvironmentReason = Reason.badEnvironmentKeyInToken
        /// What a topic earns that a client certificate does not name: ``Reason/topicDisallowed`` or ``Reason/badTopic``.
        public var foreignTopic = Reason.topicDisallowed
        /// What a body earns that is not JSON; `nil` accepts it.
        public var invalidJSON: Reason?
        /// What background pushes of priority 10 earn.
        public var backgroundPriority10 = BackgroundPriority10.badPriority

        /// The defaults, each as near to what was observed as is known.
        public init() {}
    }

    /// What a well-formed device token is that nobody declared.
    public enum UnknownDevices: Sendable {
        /// A new device of the first topic that pushes to it.
        case register
        /// 400 BadDeviceToken.
        case reject
    }

    /// Which environment is played.
    public var environment = Environment.sandbox
    /// Where every generated id and every random choice comes from.
    public var seed: UInt64
    /// What keeps a client from foreseeing the slots of hash tables; the seed unless the server draws another.
    public var hashSeed: UInt64
    /// Who may push.
    public var authentication: Authentication
    /// How connections behave.
    public var connection = Connection()
    /// What disputed cases earn.
    public var responses = Responses()
    /// What becomes of device tokens that nobody declared.
    public var unknownDevices = UnknownDevices.register
    /// How many pushes are stored for a device and topic; at least 1.
    package var storagePerTopic = 1
    /// How many records of requests are kept; at least 1.
    public var logLimit = RequestLog.defaultLimit

    /// What the server does without a scenario, for these teams.
    public init(seed: UInt64, authentication: Authentication) {
        self.seed = seed
        hashSeed = seed
        self.authentication = authentication
    }

    /// How many streams a new connection may have open: with a certificate all at once.
    public func initialStreamLimit(for facts: ConnectionFacts) -> Int {
        facts.clientCertificate == nil ? connection.beforeAuthentication : connection.maxConcurrentStreams
    }
}
