/// Who may push, and how that is judged: the scenario's `authentication`.
///
/// See [Establishing a token-based connection to APNs](https://developer.apple.com/documentation/usernotifications/establishing-a-token-based-connection-to-apns).
package struct Authentication: Sendable {
    /// How provider tokens are judged.
    package enum Mode: String, Sendable, CaseIterable {
        /// The signature is verified against the known keys.
        case verify
        /// The token is read and its age, team and update rate are judged; the signature and the key are not.
        case decode
        /// No token is asked for.
        case none
    }

    /// A signing key of a team.
    package struct Key: Sendable {
        /// The `kid` of tokens signed with it; Apple's have ten characters.
        package var keyID: String
        /// Whether the team has revoked it, so that its tokens are no longer good.
        package var isRevoked: Bool
        /// Whether it is good for the sandbox.
        package var isForSandbox: Bool
        /// Whether it is good for production.
        package var isForProduction: Bool
        /// The topics of a topic-specific key, each with all its suffixes; `nil` for a key of the whole team.
        package var topics: TopicList?
        /// The id of the one key that a topic-specific key may share a connection with; it holds in both directions.
        package var related: String?

        /// A key with that id; of the whole team and good for both environments unless told otherwise.
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
        /// Its topics, each with all its suffixes; `nil`: every topic.
        package var topics: TopicList?
        /// Its keys.
        package var keys: [Key]

        /// A team with these keys.
        package init(teamID: String, topics: TopicList? = nil, keys: [Key]) {
            self.teamID = teamID
            self.topics = topics
            self.keys = keys
        }
    }

    /// How often a provider may show a new token.
    package struct ProviderTokenUpdates: Sendable {
        /// What tokens are counted together.
        package enum Scope: Sendable {
            case connection, team, listener
        }

        /// Maximum number of new tokens within ``per``; at least 1.
        package var allowed: Int
        /// The length of the window, in milliseconds.
        package var per: Int64
        /// What is counted together.
        package var scope: Scope

        /// Two tokens in 20 minutes on a connection, unless told otherwise.
        package init(allowed: Int = 2, per: Int64 = 20 * 60 * 1000, scope: Scope = .connection) {
            self.allowed = allowed
            self.per = per
            self.scope = scope
        }
    }

    /// What is asked of client certificates. Which authorities they may come from is the server's to know.
    package struct ClientCertificates: Sendable {
        /// Whether a client without one is turned away in the TLS handshake.
        package var isRequired = false
        /// The serial numbers of those that are revoked, in hexadecimal digits; the handshake fails for them.
        package var revoked: [String] = []

        /// None is asked for, none is revoked.
        package init() {}
    }

    /// How tokens are judged.
    package var mode: Mode
    /// The teams that are known.
    package var teams: [Team]
    /// How old a token may be, in milliseconds.
    package var providerTokenLifetime: Int64 = 3_600_000
    /// How often a new token may be shown; `nil`: as often as one likes.
    package var providerTokenUpdates: ProviderTokenUpdates? = ProviderTokenUpdates()
    /// What is asked of client certificates.
    package var clientCertificates = ClientCertificates()

    /// These teams, judged in that way.
    package init(mode: Mode = .verify, teams: [Team]) {
        self.mode = mode
        self.teams = teams
    }

    /// How far in the future a token's `iat` may lie, in milliseconds: an hour, says Apple's page.
    static let clockTolerance: Int64 = 3_600_000

    /// The index of a team in ``teams``.
    func team(_ teamID: String) -> Int? { teams.firstIndex { $0.teamID == teamID } }

    /// The index of a key in its team's ``Team/keys``, and of that team, whichever it is.
    func indices(ofKey keyID: String) -> (team: Int, key: Int)? {
        for (index, team) in teams.enumerated() {
            if let key = team.keys.firstIndex(where: { $0.keyID == keyID }) { return (index, key) }
        }
        return nil
    }
}
