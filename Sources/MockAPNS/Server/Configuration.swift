import MockAPNSCore
public import SystemPackage

extension MockAPNSServer {
    /// What a server is started with: addresses, identity, trust and log.
    ///
    /// The defaults are those of the library: free ports on the loopback interface, an identity made in memory, nothing
    /// written anywhere. The command's defaults differ where the contract says so (ports 2197 and 2198, folder `certs`).
    public struct Configuration: Sendable {
        /// The address to listen on; `nil` means `127.0.0.1` and, where there is one, `::1` with the same port.
        public var host: String?

        /// The provider ports; 0 takes any free one. Apple listens on 443 and 2197.
        public var ports: [Int] = [0]

        /// The folder of certificates and keys, made when missing; `nil` makes an identity in memory and writes nothing.
        public var certificates: FilePath?

        /// Further names in the server's certificate.
        public var serverNames: [String] = []

        /// Keys of a provider's own, trusted beside or instead of the default identity.
        public var trustedKeys: [TrustedKey] = []

        /// The scenario to play; `nil` is the behaviour without one. What the other members say wins over it.
        public var scenario: ScenarioSource?

        /// What is asked of a provider token; what the scenario says, unless it is set.
        public var authentication: Authentication {
            get { chosen.authentication ?? .verify }
            set { chosen.authentication = newValue }
        }

        /// Which of Apple's two environments this server plays; the scenario's, unless it is set.
        public var environment: Environment {
            get { chosen.environment ?? .sandbox }
            set { chosen.environment = newValue }
        }

        /// Streams that a connection may have open before its first valid provider token; the scenario's, unless it is set.
        /// APNs allows 1; load generators want as many as afterwards, 1000.
        public var initialStreams: Int {
            get { chosen.initialStreams ?? 1 }
            set { chosen.initialStreams = newValue }
        }

        /// What was set, and so wins over a scenario. A public optional would make `.none` mean that nothing is set.
        struct Chosen: Sendable {
            var authentication: Authentication?
            var environment: Environment?
            var initialStreams: Int?
        }

        private(set) var chosen = Chosen()

        /// A file that gets one JSON line for each record, or standard output.
        public var log: LogDestination?

        /// The provider ports that sessions may have where they do not ask for one; `nil`: any free one.
        package var sessionPorts: ClosedRange<Int>?

        /// Whether the log's lines wait for ``MockAPNSServer/releaseLog()``: on standard output the ready line comes first.
        package var holdsLog = false

        /// Whether expectations are judged, too, when the scenario is reset or replaced; ``MockAPNSServer/earlierResults()`` has
        /// their results.
        package var keepsEarlierResults = false

        /// How long a connection may take for what its client has to do; tests shorten it.
        var timeouts = ConnectionTimeouts()

        /// Number of requests that the log keeps in memory; older ones are dropped and counted.
        public var logLimit = RequestLog.defaultLimit

        /// Number of event loops.
        public var threads = 1

        /// Seeds every random choice and generated id, so that a run can be repeated; `nil`: the scenario's, or one is drawn.
        public var seed: UInt64?

        /// The configuration of a test's own server: free ports, an identity in memory.
        ///
        /// - Parameter scenario: what to play; `nil` is the behaviour without a scenario.
        public init(scenario: ScenarioSource? = nil) { self.scenario = scenario }

        /// Where the log's lines go.
        public enum LogDestination: Sendable, Equatable {
            case standardOutput
            case file(FilePath)
        }

        /// A signing key that a provider already has, so that it need not change it for the mock.
        public struct TrustedKey: Sendable {
            /// The PEM file: the private key that Apple handed out (`AuthKey_ABC123DEFG.p8`), or its public half.
            public var file: FilePath

            /// The key's id as in the provider token's header, `kid`.
            public var keyID: String

            /// The team's id as in the provider token's claims, `iss`.
            public var teamID: String

            /// A key in a file, with the ids that its tokens carry.
            public init(file: FilePath, keyID: String, teamID: String) {
                self.file = file
                self.keyID = keyID
                self.teamID = teamID
            }

            /// Reads `FILE:KEYID:TEAMID`, the argument of `--trust-key`; `nil` when it has another shape.
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

        /// How provider tokens are judged.
        public enum Authentication: String, Sendable, CaseIterable {
            /// The signature is verified against the known keys.
            case verify
            /// The token is read and its age, team and update rate are judged; the signature and the key are not.
            case decode
            /// No token is asked for.
            case none

            var core: MockAPNSCore.Authentication.Mode {
                switch self {
                case .verify: .verify
                case .decode: .decode
                case .none: .none
                }
            }
        }

        /// Which of APNs' two environments is played.
        public enum Environment: String, Sendable, CaseIterable {
            /// Answers have `apns-unique-id`.
            case sandbox
            /// Answers have no `apns-unique-id`.
            case production
            /// Production for a client that names `api.push.apple.com` or `api-manage-broadcast.push.apple.com` in its TLS
            /// greeting, sandbox for every other.
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
