import MockAPNSCore
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

        /// The folder of certificates and keys, created if missing; if `nil`, the identity is created in memory and
        /// nothing is written.
        public var certificates: FilePath?

        /// Additional names for the server certificate.
        public var serverNames: [String] = []

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

        /// The range of provider ports for sessions that do not ask for one; `nil` for any free port.
        package var sessionPorts: ClosedRange<Int>?

        /// Whether the lines of the log wait for ``MockAPNSServer/releaseLog()``, as on standard output the ready line
        /// comes first.
        package var holdsLog = false

        /// Whether expectations are also judged when the scenario is reset or replaced;
        /// ``MockAPNSServer/earlierResults()`` returns their results.
        package var keepsEarlierResults = false

        /// The time limits for a connection's client; tests shorten them.
        var timeouts = ConnectionTimeouts()

        /// Maximum number of requests kept in memory by the log; older ones are dropped and counted.
        public var logLimit = RequestLog.defaultLimit

        /// Number of event loops.
        public var threads = 1

        /// The seed of every random choice and generated id, so that a run can be repeated; if `nil`, the scenario's or
        /// a random one.
        public var seed: UInt64?

        /// Creates the configuration of a test's own server: free ports, an identity in memory.
        ///
        /// - Parameter scenario: the scenario to play; `nil` for the default behavior.
        public init(scenario: ScenarioSource? = nil) { self.scenario = scenario }

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

        /// How provider tokens are checked.
        public enum Authentication: String, Sendable, CaseIterable {
            /// The signature is verified against the known keys.
            case verify
            /// The token is read and its age, team and update rate are checked, but not its signature and key.
            case decode
            /// No token is required.
            case none

            var core: MockAPNSCore.Authentication.Mode {
                switch self {
                case .verify: .verify
                case .decode: .decode
                case .none: .none
                }
            }
        }

        /// Which of APNs' environments the server plays.
        public enum Environment: String, Sendable, CaseIterable {
            /// Answers contain `apns-unique-id`.
            case sandbox
            /// Answers do not contain `apns-unique-id`.
            case production
            /// Production for a client whose TLS ClientHello names `api.push.apple.com` or
            /// `api-manage-broadcast.push.apple.com`, sandbox for all others.
            case serverName

            var core: GatewayConfiguration.Environment {
                switch self {
                case .sandbox: .sandbox
                case .production: .production
                case .serverName: .serverName
                }
            }
        }
    }
}
