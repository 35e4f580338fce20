/// What the gateway is told before it starts: who may push, how strictly it judges, what it keeps.
///
/// The names are those of the scenario file's top-level keys.
package struct GatewayConfiguration: Sendable {
    /// Which of APNs' two environments is played.
    package enum Environment: String, Sendable, CaseIterable {
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
    package struct Connection: Sendable {
        /// Streams that a client may have open at a time after it has shown who it is.
        package var maxConcurrentStreams = 1000
        /// The same before that, for a client without a certificate.
        package var beforeAuthentication = 1
        /// The same after a push was rejected, until one is accepted; `nil`: as before.
        package var afterRejection: Int?
        /// What becomes of a connection on which nothing happens; `nil`: nothing.
        package var idle: Idle?
        /// Whether an expired provider token makes a connection useless: after its 403 every push is reset.
        package var wedgeAfterExpiredToken = false
        /// After so many error conditions the connection is ended, at least 1; `nil`: never. BadDeviceToken counts
        /// twice, 410 and 5xx do not count.
        package var closeAfterErrors: Int?
        /// SETTINGS_HEADER_TABLE_SIZE, in bytes.
        package var headerTableSize = 4096
        /// SETTINGS_MAX_HEADER_LIST_SIZE, in bytes.
        package var maxHeaderListSize = 8000
        /// SETTINGS_INITIAL_WINDOW_SIZE, in bytes.
        package var initialWindowSize = 65_535

        /// The limits that APNs has: 1, then 1000.
        package init() {}
    }

    /// When a connection has been idle for too long, and what happens then.
    package struct Idle: Sendable, Equatable {
        /// What happens.
        package enum Then: Sendable, Equatable {
            /// GOAWAY with the reason IdleTimeout, then the end.
            case goAway
            /// The end in that way, without GOAWAY.
            case close(ConnectionAction.Ending)
        }

        /// For so long no frame came, in milliseconds of real time; at least 1.
        package var after: Int64
        /// What happens then.
        package var then: Then

        /// That, after so many milliseconds.
        package init(after: Int64, then: Then) {
            self.after = after
            self.then = then
        }
    }

    /// What happens where Apple's pages and the wire disagree, or say nothing.
    package struct Responses: Sendable {
        /// What to do with a push of type `background` and priority 10.
        package enum BackgroundPriority10: Sendable {
            /// 400 BadPriority, as Apple's page calls it an error.
            case badPriority
            /// An ordinary push.
            case accept
            /// 200, and the push never arrives, as was seen on iOS 13.
            case drop
        }

        /// Whether an error answer says `content-type: application/json`, as Apple's sample does.
        package var contentType = false
        /// The name of a key's wrong environment: ``Reason/badEnvironmentKeyInToken`` as seen on the wire, or
        /// ``Reason/badEnvironmentKeyIDInToken`` as Apple's table has it.
        package var badEnvironmentReason = Reason.badEnvironmentKeyInToken
        /// What a topic earns that a client certificate does not name: ``Reason/topicDisallowed`` or ``Reason/badTopic``.
        package var foreignTopic = Reason.topicDisallowed
        /// What a body earns that is not JSON; `nil` accepts it.
        package var invalidJSON: Reason?
        /// What background pushes of priority 10 earn.
        package var backgroundPriority10 = BackgroundPriority10.badPriority

        /// The defaults, each as near to what was observed as is known.
        package init() {}
    }

    /// What a well-formed device token is that nobody declared.
    package enum UnknownDevices: Sendable {
        /// A new device of the first topic that pushes to it.
        case register
        /// 400 BadDeviceToken.
        case reject
    }

    /// Which environment is played.
    package var environment = Environment.sandbox
    /// Where every generated id and every random choice comes from.
    package var seed: UInt64
    /// What keeps a client from foreseeing the slots of hash tables; the seed unless the server draws another.
    package var hashSeed: UInt64
    /// Who may push.
    package var authentication: Authentication
    /// How connections behave.
    package var connection = Connection()
    /// What disputed cases earn.
    package var responses = Responses()
    /// What becomes of device tokens that nobody declared.
    package var unknownDevices = UnknownDevices.register
    /// How many pushes are stored for a device and topic; at least 1.
    package var storagePerTopic = 1
    /// How many records of requests are kept; at least 1.
    package var logLimit = RequestLog.defaultLimit

    /// What the server does without a scenario, for these teams.
    package init(seed: UInt64, authentication: Authentication) {
        self.seed = seed
        hashSeed = seed
        self.authentication = authentication
    }

    /// How many streams a new connection may have open: with a certificate all at once.
    package func initialStreamLimit(for facts: ConnectionFacts) -> Int {
        facts.clientCertificate == nil ? connection.beforeAuthentication : connection.maxConcurrentStreams
    }
}
