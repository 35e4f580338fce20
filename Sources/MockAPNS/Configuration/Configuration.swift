import MockAPNSCore
import NIOCore
public import SystemPackage

extension MockAPNSServer {
    /// The configuration of a server: addresses, identity, trust and log.
    ///
    /// The defaults are those of the library: free ports on the loopback interface, an identity created in memory, and
    /// no files written. Some defaults of the command differ (ports 2197 and 2198, folder `certs`).
    public struct Configuration: Sendable {
        /// The address to listen on; `nil` for `127.0.0.1` and, if available, `::1` with the same port.
        public var host: String?

        /// The provider ports; 0 for any free one. Apple listens on 443 and 2197.
        public var ports: [Int] = [0]

        /// The ports for the management of broadcast channels, in addition to ``ports``, which serve it too. Apple listens
        /// on 2195 for the sandbox and on 2196 for production.
        public var managementPorts: [ManagementPort] = []

        /// The folder of certificates and keys, created if missing; if `nil`, the identity is created in memory and
        /// nothing is written.
        public var certificates: FilePath?

        /// Additional names for the server certificate.
        public var serverNames: [String] = []

        /// The topics of the client certificate, the first of which is also that of the examples; empty for those of an
        /// existing certificate in ``certificates``, or `com.example.app`. The topics that a scenario names are added.
        public var topics: [String] = []

        /// Keys that a provider already has, trusted in addition to the default identity or instead of it.
        public var trustedKeys: [TrustedKey] = []

        /// The scenario to play; `nil` for the default behavior. The other members override it.
        public var scenario: ScenarioSource?

        /// How provider tokens are checked; as in the scenario, unless set.
        public var authentication: Authentication {
            get { chosen.authentication ?? .verify }
            set { chosen.authentication = newValue }
        }

        /// Which of Apple's environments this server plays; as in the scenario, unless set.
        public var environment: Environment {
            get { chosen.environment ?? .sandbox }
            set { chosen.environment = newValue }
        }

        /// Maximum number of open streams on a connection before its first valid provider token; as in the scenario,
        /// unless set. APNs allows 1; for a load generator set the later limit, 1000.
        public var initialStreams: Int {
            get { chosen.initialStreams ?? 1 }
            set { chosen.initialStreams = newValue }
        }

        /// Values that were set, and so override a scenario. With a public optional, `.none` would mean that nothing is
        /// set.
        struct Chosen: Sendable {
            var authentication: Authentication?
            var environment: Environment?
            var initialStreams: Int?
        }

        private(set) var chosen = Chosen()

        /// The log's destination: a file that receives one JSON line per record, or standard output.
        public var log: LogDestination?

        /// Another APNs, which answers the pushes that no rule decides; `nil` for this server itself. Provider tokens are then
        /// decoded and not verified, unless ``authentication`` is set.
        public var relay: Relay?

        /// The name of the session that this server is, if it is one.
        var session: String?

        /// The range of provider ports for sessions that do not ask for one; `nil` for any free port.
        package var sessionPorts: ClosedRange<Int>?

        /// Whether the lines of the log wait for ``MockAPNSServer/releaseLog()``, as on standard output the ready line
        /// comes first.
        package var holdsLog = false

        /// Whether this server is the collector of a fleet, which serves no providers.
        package var isCollector = false

        /// The replica's name in a fleet, which generated ids depend on, so that replicas with one seed make different
        /// ones.
        package var replica: String?

        /// Whether expectations are also judged when the scenario is reset or replaced;
        /// ``MockAPNSServer/earlierResults()`` returns their results.
        package var keepsEarlierResults = false

        /// Whether requests are linted before each reset and each other scenario; ``MockAPNSServer/lintRun()`` returns
        /// what was found in the whole run.
        package var lintsRun = false

        /// The time limits for a connection's client; tests shorten them.
        var timeouts = ConnectionTimeouts()

        /// The time limit for a client's TLS handshake.
        package var handshakeLimit: Duration {
            get { .nanoseconds(timeouts.handshake.nanoseconds) }
            set { timeouts.handshake = TimeAmount(newValue) }
        }

        /// Maximum number of requests kept in memory by the log; older ones are dropped and counted.
        public var logLimit = GatewayConfiguration.defaultLogLimit

        /// Number of event loops.
        public var threads = 1

        /// The seed of every random choice and generated id, so that a run can be repeated; if `nil`, the scenario's or
        /// a random one.
        public var seed: UInt64?

        /// Creates the configuration of a test's own server: free ports, an identity in memory.
        ///
        /// - Parameter scenario: the scenario to play; `nil` for the default behavior.
        public init(scenario: ScenarioSource? = nil) { self.scenario = scenario }

        /// A port for the management of broadcast channels.
        public struct ManagementPort: Sendable, Hashable {
            /// The port; 0 for any free one.
            public var port: Int

            /// The environment of its connections; `nil`, or ``MockAPNSWords/Environment/serverName``, for that of the
            /// server.
            public var environment: Environment?

            /// Creates a port, by default for the server's environment.
            public init(port: Int, environment: Environment? = nil) {
                self.port = port
                self.environment = environment
            }

            /// Reads `PORT`, `PORT:sandbox` or `PORT:production`, the argument of `--manage-port`; returns `nil` for
            /// anything else.
            package init?(option argument: String) {
                let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
                guard 1...2 ~= parts.count, let port = UInt16(parts[0]) else { return nil }
                self.init(port: Int(port))
                guard parts.count == 2 else { return }
                switch parts[1] {
                case "sandbox", "development": environment = .sandbox
                case "production": environment = .production
                default: return nil
                }
            }

            /// Whether its connections are of the sandbox; `nil` for the environment of the server.
            var isSandbox: Bool? {
                switch environment {
                case .sandbox: true
                case .production: false
                case .serverName, nil: nil
                }
            }
        }

        /// The destination of the log's lines.
        public enum LogDestination: Sendable, Equatable {
            case standardOutput
            case file(FilePath)
        }

        /// A signing key that a provider already has, so that it can keep it when it uses the mock.
        public struct TrustedKey: Sendable {
            /// The PEM file: the private key issued by Apple (`AuthKey_ABC123DEFG.p8`), or its public key.
            public var file: FilePath

            /// The key's id as in the provider token's header, `kid`.
            public var keyID: String

            /// The team's id as in the provider token's claims, `iss`.
            public var teamID: String

            /// Creates a key from a file, with the ids in its tokens.
            public init(file: FilePath, keyID: String, teamID: String) {
                self.file = file
                self.keyID = keyID
                self.teamID = teamID
            }

            /// Reads `FILE:KEYID:TEAMID`, the argument of `--trust-key`; returns `nil` for anything else.
            package init?(option argument: String) {
                let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
                guard parts.count >= 3, let teamID = parts.last, let keyID = parts.dropLast().last,
                    !teamID.isEmpty, !keyID.isEmpty
                else { return nil }
                let file = parts.dropLast(2).joined(separator: ":")
                guard !file.isEmpty else { return nil }
                self.init(file: FilePath(file), keyID: String(keyID), teamID: String(teamID))
            }
        }
    }
}
