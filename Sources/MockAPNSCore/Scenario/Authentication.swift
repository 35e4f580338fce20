/// The teams that may push, and how they are checked: the scenario's `authentication`.
///
/// See [Establishing a token-based connection to APNs](https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
package struct Authentication: Sendable {
    /// A signing key of a team.
    package struct Key: Sendable {
        /// The `kid` of tokens signed with it; Apple's have ten characters.
        package var keyID: String
        /// Whether the team has revoked it, so that its tokens are no longer valid.
        package var isRevoked: Bool
        /// Whether it is valid for the sandbox.
        package var isForSandbox: Bool
        /// Whether it is valid for production.
        package var isForProduction: Bool
        /// The topics of a topic-specific key, each including all its suffixes; `nil` for a team-wide key.
        package var topics: TopicList?
        /// The id of the one key that a topic-specific key may share a connection with; this holds in both directions.
        package var related: String?

        /// Creates a key, by default for the whole team and both environments.
        package init(
            keyID: String, isRevoked: Bool = false, isForSandbox: Bool = true, isForProduction: Bool = true,
            topics: TopicList? = nil, related: String? = nil
        ) {
            self.keyID = keyID
            self.isRevoked = isRevoked
            self.isForSandbox = isForSandbox
            self.isForProduction = isForProduction
            self.topics = topics
            self.related = related
        }
    }

    /// A developer team.
    package struct Team: Sendable {
        /// The `iss` of its tokens; Apple's have ten characters.
        package var teamID: String
        /// Its topics, each including all its suffixes; `nil` means every topic.
        package var topics: TopicList?
        /// Its keys.
        package var keys: [Key]

        /// Creates a team with these keys.
        package init(teamID: String, topics: TopicList? = nil, keys: [Key]) {
            self.teamID = teamID
            self.topics = topics
            self.keys = keys
        }
    }

    /// The rate limit for new provider tokens.
    package struct ProviderTokenUpdates: Sendable {
        /// The tokens that are counted together.
        package enum Scope: Sendable {
            case connection, team, listener
        }

        /// Maximum number of new tokens within ``per``, from 1 to 10,000.
        package var allowed: Int
        /// The length of the window in milliseconds.
        package var per: Int64
        /// The tokens that are counted together.
        package var scope: Scope

        /// Creates a rate limit, by default two tokens in 20 minutes per connection.
        package init(allowed: Int = 2, per: Int64 = 20 * 60 * 1000, scope: Scope = .connection) {
            self.allowed = allowed
            self.per = per
            self.scope = scope
        }
    }

    /// Requirements for client certificates. The accepted authorities are up to the server.
    package struct ClientCertificates: Sendable {
        /// Whether clients without a certificate are rejected in the TLS handshake.
        package var isRequired = false
        /// The serial numbers of revoked certificates in hexadecimal; the handshake fails for them.
        package var revoked: [String] = []

        /// Creates the default: no certificate is required, and none is revoked.
        package init() {}
    }

    /// How tokens are checked.
    package var mode: AuthenticationMode
    /// The known teams.
    package var teams: [Team]
    /// The maximum age of a token in milliseconds.
    package var providerTokenLifetime: Int64 = 3_600_000
    /// The rate limit for new tokens; `nil` means no limit.
    package var providerTokenUpdates: ProviderTokenUpdates? = ProviderTokenUpdates()
    /// Whether the scenario's clock, and not the real one, says how old tokens are and how often they change.
    package var followsClock = false
    /// Requirements for client certificates.
    package var clientCertificates = ClientCertificates()

    /// Creates the settings for these teams.
    package init(mode: AuthenticationMode = .verify, teams: [Team]) {
        self.mode = mode
        self.teams = teams
    }

    /// How far in the future the `iat` of a token may be, in milliseconds: one hour according to Apple's page.
    static let clockTolerance: Int64 = 3_600_000

    /// Returns the time by which provider tokens are judged.
    @inline(__always)
    func time(of moment: Moment) -> Timestamp { followsClock ? moment.clock : moment.real }

    /// Returns the index of a team in ``teams``.
    func team(_ teamID: String) -> Int? { teams.firstIndex { $0.teamID == teamID } }

    /// Returns the indices of a key in its team's ``Team/keys`` and of that team.
    func indices(ofKey keyID: String) -> (team: Int, key: Int)? {
        for (index, team) in teams.enumerated() {
            if let key = team.keys.firstIndex(where: { $0.keyID == keyID }) { return (index, key) }
        }
        return nil
    }
}
