import MockAPNSCore

extension ScenarioReader {
    private enum Key: String, CaseIterable {
        case mode, teams, providerTokenLifetime, providerTokenUpdates, clientCertificates
    }

    mutating func authentication(_ value: Value, into scenario: inout Scenario) {
        var authentication = Authentication(teams: [])
        var sources: [[Scenario.KeySource]] = []
        var authorities: [String] = []
        object(value, "\"authentication\"", example: #"{"mode": "decode"}"#, Key.self) { reader, key, value in
            switch key {
            case .mode:
                if let mode = reader.word(value, AuthenticationMode.self) { authentication.mode = mode }
            case .teams: (authentication.teams, sources) = reader.teams(value)
            case .providerTokenLifetime:
                let lifetime = reader.duration(value, isPositive: true)
                if let lifetime { authentication.providerTokenLifetime = lifetime }
            case .providerTokenUpdates:
                authentication.providerTokenUpdates =
                    value.bool == false ? nil : reader.providerTokenUpdates(value)
            case .clientCertificates:
                (authentication.clientCertificates, authorities) = reader.clientCertificates(value)
            }
        }
        scenario.authentication = authentication
        scenario.keySources = sources
        scenario.clientAuthorities = authorities
    }

    private mutating func providerTokenUpdates(_ value: Value) -> Authentication.ProviderTokenUpdates {
        enum Key: String, CaseIterable { case allowed, per, scope }
        var updates = Authentication.ProviderTokenUpdates()
        guard value.object != nil else {
            wrong(value, expected: "false, or an object such as {\"allowed\": 2, \"per\": \"20m\"}")
            return updates
        }
        readMembers(of: value, "\"providerTokenUpdates\"", Key.self) { reader, key, value in
            switch key {
            case .allowed:
                let most = Int64(ProviderTokenUpdateRate.allowedLimit)
                if let allowed = reader.integer(value, in: 1...most) { updates.allowed = allowed }
            case .per:
                if let per = reader.duration(value, isPositive: true) { updates.per = per }
            case .scope:
                let scopes: [(String, Authentication.ProviderTokenUpdates.Scope)] = [
                    ("connection", .connection), ("team", .team), ("listener", .listener),
                ]
                if let scope = reader.choice(value, scopes) { updates.scope = scope }
            }
        }
        return updates
    }

    private mutating func clientCertificates(_ value: Value) -> (Authentication.ClientCertificates, [String]) {
        enum Key: String, CaseIterable { case required, authorities, revoked }
        var certificates = Authentication.ClientCertificates()
        var authorities: [String] = []
        object(value, "\"clientCertificates\"", example: #"{"required": true}"#, Key.self) { reader, key, value in
            switch key {
            case .required: certificates.isRequired = reader.bool(value) ?? false
            case .authorities:
                authorities = reader.list(value, of: "files") { $0.filledText($1, "the path of a PEM file") }
            case .revoked: certificates.revoked = reader.list(value, of: "serial numbers") { $0.serial($1) }
            }
        }
        return (certificates, authorities)
    }

    /// Reads a serial number in the form used for certificates: pairs of upper-case digits without colons.
    private mutating func serial(_ value: Value) -> String? {
        let digits = value.string?.utf8.filter { $0 != UInt8(ascii: ":") } ?? []
        guard 1...64 ~= digits.count, digits.allSatisfy(\.isHexDigit), value.string?.utf8.first != UInt8(ascii: ":")
        else {
            wrong(value, expected: "the serial number of a certificate in hexadecimal digits, such as \"0A:1F\"")
            return nil
        }
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        let text = String(decoding: significant.isEmpty ? digits.suffix(1) : significant, as: UTF8.self).uppercased()
        return text.utf8.count % 2 == 0 ? text : "0" + text
    }
}

// Teams and keys
extension ScenarioReader {
    private struct Team {
        var team: Authentication.Team
        var sources: [Scenario.KeySource]
        /// The values in which keys name a related key.
        var related: [Value?]
    }

    private mutating func teams(_ value: Value) -> ([Authentication.Team], [[Scenario.KeySource]]) {
        var teamIDs: Set<String> = []
        let teams = list(value, of: "teams", atLeast: 1) { reader, value -> Team? in
            let team = reader.team(value)
            if let team, !teamIDs.insert(team.team.teamID).inserted {
                reader.at("teamID") { $0.noteDuplicate(value["teamID"] ?? value, "the id of another team") }
            }
            return team
        }
        return (teams.map(\.team), teams.map(\.sources))
    }

    private mutating func team(_ value: Value) -> Team? {
        enum TeamKey: String, CaseIterable { case teamID, topics, keys }
        var teamID: String?
        var team = Team(team: Authentication.Team(teamID: "", keys: []), sources: [], related: [])
        let isObject = object(
            value, "a team", example: #"{"teamID": "DEF123GHIJ", "keys": [{"keyID": "ABC123DEFG"}]}"#, TeamKey.self
        ) { reader, key, value in
            switch key {
            case .teamID: teamID = reader.identifier(value, "team")
            case .topics: team.team.topics = TopicList(reader.topics(value))
            case .keys:
                let keys = reader.list(value, of: "keys", atLeast: 1) { $0.key($1) }
                team.team.keys = keys.map(\.key)
                team.sources = keys.map(\.source)
                team.related = keys.map(\.related)
                reader.checkRelations(value, team.team.keys)
            }
        }
        guard isObject else { return nil }
        if value["teamID"] == nil { missing("teamID", in: value, expected: "the team's id, such as \"DEF123GHIJ\"") }
        if value["keys"] == nil { missing("keys", in: value, expected: "a list of signing keys") }
        guard let teamID else { return nil }
        team.team.teamID = teamID
        return team
    }

    private mutating func key(
        _ value: Value
    ) -> (key: Authentication.Key, source: Scenario.KeySource, related: Value?)? {
        enum SigningKey: String, CaseIterable { case keyID, file, pem, environments, topics, related, revoked }
        var key = Authentication.Key(keyID: "")
        var source = Scenario.KeySource.folder
        var keyID: String?
        let isObject = object(value, "a key", example: #"{"keyID": "ABC123DEFG"}"#, SigningKey.self) {
            reader, name, value in
            switch name {
            case .keyID: keyID = reader.identifier(value, "key")
            case .file:
                if let file = reader.filledText(value, "the path of a PEM file") { source = .file(file) }
            case .pem:
                if let text = value.string, text.contains("-----BEGIN ") {
                    source = .pem(text)
                } else {
                    reader.wrong(value, expected: "PEM text, which has a line such as -----BEGIN PRIVATE KEY-----")
                }
            case .environments:
                let environments = reader.list(value, of: "environments", atLeast: 1) { $0.isSandbox($1) }
                key.isForSandbox = environments.contains(true)
                key.isForProduction = environments.contains(false)
            case .topics: key.topics = TopicList(reader.topics(value))
            case .related: key.related = reader.identifier(value, "key")
            case .revoked: key.isRevoked = reader.bool(value) ?? false
            }
        }
        guard isObject else { return nil }
        contradiction("file", "pem", in: value, "a key comes from only one of them")
        if value["keyID"] == nil { missing("keyID", in: value, expected: "the key's id, such as \"ABC123DEFG\"") }
        guard let keyID else { return nil }
        if !names.keys.insert(keyID).inserted {
            at("keyID") { $0.noteDuplicate(value["keyID"] ?? value, "the id of another key") }
        } else if names.keys.count == DeclaredNames.keyLimit + 1 {
            note(
                value.offset, "is one too many; expected at most \(DeclaredNames.keyLimit) keys in all",
                isCrossReference: true)
        }
        key.keyID = keyID
        return (key, source, value["related"])
    }

    private mutating func checkRelations(_ list: Value, _ keys: [Authentication.Key]) {
        let ids = Set(keys.map(\.keyID))
        for (index, value) in (list.array ?? []).enumerated() {
            if isOver { break }
            guard let related = value["related"], let id = related.string else { continue }
            at(index: index) { reader in
                reader.at("related") { reader in
                    if id == value["keyID"]?.string {
                        reader.wrong(related, expected: "the id of another key", isCrossReference: true)
                    } else if !ids.contains(id) {
                        reader.wrongWord(
                            related, ids.count <= DeclaredNames.keyLimit ? ids.sorted() : [],
                            expected: "the id of a key of the same team", isCrossReference: true)
                    }
                }
            }
        }
    }

    private mutating func topics(_ value: Value) -> [String] {
        list(value, of: "topics", atLeast: 1) { $0.topic($1) }
    }

    private mutating func identifier(_ value: Value, _ what: String) -> String? {
        if let text = value.string, 1...64 ~= text.utf8.count,
            text.utf8.allSatisfy({
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
            })
        {
            return text
        }
        wrong(value, expected: "the id of a \(what): 1 to 64 letters and digits, ten with Apple")
        return nil
    }

    /// Reports a value that is not unique but must be.
    mutating func noteDuplicate(_ value: Value, _ what: String) {
        note(value.offset, "is \(value.forPeople), which is already \(what)", isCrossReference: true)
    }
}
