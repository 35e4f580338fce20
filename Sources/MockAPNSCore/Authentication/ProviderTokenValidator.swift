/// Authenticates the senders of pushes. Remembers, here and on the connection, the tokens shown by a connection, a team
/// and all clients of the listener.
struct ProviderTokenValidator: Sendable {
    private var updatesOfTeams: [String: ProviderTokenUpdateRate] = [:]
    private var updatesOfListener = ProviderTokenUpdateRate()
    /// The update rate that all teams beyond the limit share.
    private var updatesOfOthers = ProviderTokenUpdateRate()
    /// Maximum number of teams tracked, because tokens may name any team. The rest are counted as one.
    static let mostTeams = 1000
    /// The number of teams tracked.
    var teamCount: Int { updatesOfTeams.count }
    /// How often a token's team was not tracked.
    private(set) var untracked = 0

    /// Returns the credentials of a request, considering everything that may have changed since the last one.
    mutating func credentials(
        of request: inout RequestContext, on connection: inout OpenConnection, by configuration: GatewayConfiguration,
        generation: Int
    ) -> Credentials {
        let rules = configuration.authentication
        let now = rules.time(of: request.now)
        if let certificate = connection.facts.clientCertificate {
            return Credentials(method: .certificate, topics: certificate.topics)
        }
        guard let token = request.facts.providerToken else {
            return Credentials(method: .none, rejection: rules.mode == .none ? nil : Self.missing(in: &request))
        }
        let number = connection.tokens.number(of: token)
        var result = Credentials(method: .token, tokenNumber: number)
        var key: Authentication.Key?
        if let teamID = token.teamID, let team = rules.team(teamID) {
            result.team = team
            result.topics = rules.teams[team].topics
            // Without verification, it is not known whose key it is.
            let index = rules.mode == .verify ? rules.teams[team].keys.firstIndex { $0.keyID == token.keyID } : nil
            if let index {
                key = rules.teams[team].keys[index]
                if let topics = key?.topics {
                    result.topicKey = index
                    result.topics = topics
                }
            }
        }
        if rules.mode == .none { return result }
        result.rejection =
            tooManyUpdates(token, on: &connection, at: now, by: rules) ?? Self.invalid(token, by: rules)
            ?? Self.otherTeam(token, on: connection) ?? Self.outOfDate(token, at: now, by: rules)
            ?? key.flatMap { key in
                connection.key.flatMap { key.unrelated(to: $0) }
                    ?? key.ofOtherEnvironment(isSandbox: connection.isSandbox, by: configuration.responses)
            }
        guard result.rejection == nil, let teamID = token.teamID, let issuedAt = token.issuedAt else { return result }
        connection.teamID = teamID
        if connection.key == nil { connection.key = key }
        connection.authorization = CachedAuthorization(
            token: token, team: result.team, topicKey: result.topicKey, tokenNumber: number,
            generation: generation,
            notBefore: Timestamp(milliseconds: issuedAt.milliseconds - Authentication.clockTolerance),
            notAfter: Timestamp(milliseconds: issuedAt.milliseconds + rules.providerTokenLifetime))
        return result
    }

    private static func missing(in request: inout RequestContext) -> Rejection {
        guard let field = request.push.authorization else {
            return Rejection(
                .missingProviderToken,
                """
                There is no authorization field and no client certificate; APNs wants "authorization: bearer" and \
                a provider token.
                """
            )
        }
        let value = request.text(field)
        let shown = value.extracting(first: ParsedProviderToken.lengthWithoutSignature(value))
        return Rejection(
            .missingProviderToken,
            """
            authorization is \(quoted: shown), which contains no bearer token; APNs wants "bearer", a space and \
            a provider token.
            """
        )
    }

    // MARK: Too many updates

    private mutating func tooManyUpdates(
        _ token: ProviderToken, on connection: inout OpenConnection, at now: Timestamp, by rules: Authentication
    ) -> Rejection? {
        guard let rule = rules.providerTokenUpdates else { return nil }
        let tooEarly: ProviderTokenUpdateRate.TooEarly?
        let whose: String
        switch rule.scope {
        case .connection:
            tooEarly = connection.updates.tooEarly(token, at: now, by: rule)
            whose = connection.number.map { "connection \($0)" } ?? "this connection"
        case .team:
            let teamID = token.teamID ?? ""
            if updatesOfTeams.count >= Self.mostTeams, updatesOfTeams[teamID] == nil {
                untracked += 1
                tooEarly = updatesOfOthers.tooEarly(token, at: now, by: rule)
                whose = "all teams after the first \(Self.mostTeams)"
            } else {
                tooEarly = updatesOfTeams[teamID, default: ProviderTokenUpdateRate()].tooEarly(token, at: now, by: rule)
                whose = Explanation("team \(quoted: teamID)").description
            }
        case .listener:
            tooEarly = updatesOfListener.tooEarly(token, at: now, by: rule)
            whose = "this server"
        }
        guard let tooEarly else { return nil }
        let again =
            tooEarly.isSignedAgain
            ? " Only its signature differs from that of a token sent before; keep the token instead of signing it again."
            : ""
        return Rejection(
            .tooManyProviderTokenUpdates,
            """
            \(Self.name(of: token)) is more than the \(rule.allowed) new ones allowed on \(whose) within \
            \(Self.duration(rule.per)); wait until \(tooEarly.until.text).\(again)
            """
        )
    }

    // MARK: Invalid

    private static func invalid(_ token: ProviderToken, by rules: Authentication) -> Rejection? {
        if case .refused(let reason, let explanation) = token.proof { return Rejection(reason, explanation) }
        guard let keyID = token.keyID, let teamID = token.teamID else {
            return invalid("The provider token has no kid or no iss.")
        }
        if rules.mode == .decode {
            if keyID.utf8.count != 10 {
                return invalid("The provider token's kid is \(quoted: keyID); it must have ten characters.")
            }
            if teamID.utf8.count != 10 {
                return invalid("The provider token's iss is \(quoted: teamID); it must have ten characters.")
            }
            return nil
        }
        guard let team = rules.team(teamID) else {
            let known = rules.teams.map { "\"\($0.teamID)\"" }
            return invalid("The provider token's iss is \(quoted: teamID); the teams known here are \(list(known)).")
        }
        guard let key = rules.teams[team].keys.first(where: { $0.keyID == keyID }) else {
            if let owner = rules.indices(ofKey: keyID) {
                return invalid(
                    """
                    The provider token's kid is \(quoted: keyID), a key of team \
                    \(quoted: rules.teams[owner.team].teamID), but its iss is \(quoted: teamID).
                    """
                )
            }
            let known = rules.teams[team].keys.map { "\"\($0.keyID)\"" }
            return invalid(
                "The provider token's kid is \(quoted: keyID); the keys of team \(quoted: teamID) are \(list(known)).")
        }
        if key.isRevoked {
            return invalid(
                "The provider token's kid is \(quoted: keyID), a key that has been revoked; sign with another one.")
        }
        if case .verified = token.proof { return nil }
        return invalid("The provider token's signature was not verified with key \(quoted: keyID).")
    }

    private static func otherTeam(_ token: ProviderToken, on connection: OpenConnection) -> Rejection? {
        guard let bound = connection.teamID, let teamID = token.teamID, teamID != bound else { return nil }
        return invalid(
            """
            The provider token's iss is \(quoted: teamID), but the connection belongs to team \(quoted: bound) since \
            its first push; another team needs its own connection.
            """
        )
    }

    private static func invalid(_ explanation: Explanation) -> Rejection {
        Rejection(.invalidProviderToken, explanation)
    }

    // MARK: Expired

    private static func outOfDate(_ token: ProviderToken, at now: Timestamp, by rules: Authentication) -> Rejection? {
        guard let issuedAt = token.issuedAt else { return nil }
        let age = now.milliseconds - issuedAt.milliseconds
        if age > rules.providerTokenLifetime {
            return Rejection(
                .expiredProviderToken,
                """
                The provider token's iat is \(issuedAt.seconds) (\(issuedAt.text)), \(duration(age)) ago; a token is \
                valid for \(duration(rules.providerTokenLifetime)).
                """
            )
        }
        if -age > Authentication.clockTolerance {
            let hint = issuedAt.seconds > 100_000_000_000 ? " It looks like milliseconds, but iat counts seconds." : ""
            return Rejection(
                .expiredProviderToken,
                """
                The provider token's iat is \(issuedAt.seconds) (\(issuedAt.text)), \(duration(-age)) ahead of the \
                \(rules.followsClock ? "scenario" : "server")'s clock; it may be \(duration(Authentication.clockTolerance)) ahead at most.\(hint)
                """
            )
        }
        return nil
    }

    // MARK: Text

    private static func name(of token: ProviderToken) -> String {
        guard let keyID = token.keyID, let issuedAt = token.issuedAt else { return "This provider token" }
        let shown = Explanation("\(quoted: keyID)").description
        return "The provider token of key \(shown) with iat \(issuedAt.seconds)"
    }

    private static func list(_ words: [String]) -> String {
        words.isEmpty ? "none" : words.prefix(5).joined(separator: ", ") + (words.count > 5 ? ", …" : "")
    }

    /// Returns a duration in its two largest units: `1 h 5 min`; `3600 ms` becomes `3 s 600 ms`.
    private static func duration(_ milliseconds: Int64) -> String {
        let units: [(name: String, length: Int64)] = [
            ("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1000), ("ms", 1),
        ]
        guard let largest = units.firstIndex(where: { milliseconds >= $0.length }) else { return "0 s" }
        var rest = milliseconds
        var words: [String] = []
        for unit in units[largest..<min(largest + 2, units.count)] {
            if rest >= unit.length { words.append("\(rest / unit.length) \(unit.name)") }
            rest %= unit.length
        }
        return words.joined(separator: " ")
    }
}
