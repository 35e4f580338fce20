package import MockAPNSCore

extension Scenario {
    /// The key ids of a scenario that declares no teams.
    package static let defaultKeyIDs = ["ABC123DEFG"]

    /// Reads a scenario file.
    ///
    /// - Parameters:
    ///   - bytes: the text of the file.
    ///   - defaultKeyIDs: the signing keys that exist if the file declares no teams; the timeline may revoke them.
    ///   - trustedKeyIDs: keys that exist in any case, such as those of `--trust-key`.
    ///   - stop: checked regularly; if reading is stopped, no scenario is returned.
    /// - Returns: the scenario, or `nil` and all mistakes in the order of the file.
    package static func read(
        _ bytes: [UInt8], defaultKeyIDs: [String] = Scenario.defaultKeyIDs, trustedKeyIDs: [String] = [],
        stop: CancellationCheck = .never
    ) -> (Scenario?, [ScenarioMistake]) {
        var mistakes: [JSONText.Mistake] = []
        let value: JSONText.Value
        do {
            value = try JSONText.read(bytes, forgiving: &mistakes, stop: stop)
        } catch {
            if let mistake = mistakeOfYAML(bytes) { return (nil, [ScenarioMistake(mistake)]) }
            return (nil, (mistakes + [error]).map(ScenarioMistake.init).inOrder)
        }
        let (scenario, others) = read(
            value, allowsFiles: true, defaultKeyIDs: defaultKeyIDs, trustedKeyIDs: trustedKeyIDs, stop: stop)
        guard !mistakes.isEmpty else { return (scenario, others) }
        return (nil, (mistakes.map(ScenarioMistake.init) + others).inOrder)
    }

    /// Returns the mistake of a text that is YAML instead of JSON; `nil` for any other text.
    package static func mistakeOfYAML(_ bytes: [UInt8]) -> JSONText.Mistake? {
        JSONText.startOfYAML(bytes).map { start in
            JSONText.Mistake(
                offset: start,
                message: "this is YAML, and a scenario is JSON; convert it, for example with yq -o=json")
        }
    }

    /// Returns whether a file is the scenario schema itself, which is in the same folder.
    package static func isSchema(_ bytes: [UInt8]) -> Bool {
        guard let value = try? JSONText.read(bytes) else { return false }
        return value["$schema"]?.string?.hasPrefix("https://json-schema.org/") == true
            && value["title"]?.string == "A scenario of mock-apns"
    }

    /// Reads a scenario from JSON that is not a file, such as the body of `PUT /api/v1/scenario`; it has to include the
    /// strings of its apps. The parameters are those of ``read(_:defaultKeyIDs:trustedKeyIDs:stop:)`` for bytes.
    package static func read(
        _ value: JSONText.Value, defaultKeyIDs: [String] = Scenario.defaultKeyIDs, trustedKeyIDs: [String] = [],
        stop: CancellationCheck = .never
    ) -> (Scenario?, [ScenarioMistake]) {
        read(value, allowsFiles: false, defaultKeyIDs: defaultKeyIDs, trustedKeyIDs: trustedKeyIDs, stop: stop)
    }

    private static func read(
        _ value: JSONText.Value, allowsFiles: Bool, defaultKeyIDs: [String], trustedKeyIDs: [String],
        stop: CancellationCheck
    ) -> (Scenario?, [ScenarioMistake]) {
        var reader = ScenarioReader(stop: stop)
        reader.allowsFiles = allowsFiles
        reader.names.keys = Set(trustedKeyIDs)
        var scenario = reader.scenario(value, defaultKeyIDs: defaultKeyIDs)
        if value.object?.isEmpty == false {
            var text: [UInt8] = []
            text.appendJSON(value)
            scenario.digest = Digest.number(of: text)
        }
        let isWhole = reader.mistakes.isEmpty && !reader.isStopped
        return (isWhole ? scenario : nil, reader.sortedMistakes)
    }
}

extension ScenarioMistake {
    /// Creates a mistake from one in the JSON itself.
    fileprivate init(_ mistake: JSONText.Mistake) {
        // A schema cannot describe duplicate keys: its readers see only one of them.
        self.init(
            offset: mistake.offset, pointer: "", message: mistake.message,
            kind: mistake.isDuplicateKey ? .crossReference : .value)
    }
}

extension [ScenarioMistake] {
    /// The mistakes in the order of the file; those at the same position in the order they were found.
    fileprivate var inOrder: Self {
        enumerated().sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }.map(\.element)
    }
}

extension ScenarioReader {
    private enum Key: String, CaseIterable {
        case schema = "$schema"
        case name, description, environment, seed, clock, authentication, connection, responses, unknownDevices
        case storage, lint, apps, liveActivities, broadcast, channels, devices, rules, unusedRules, timeline, needs,
            workload, expect
    }

    /// The mistakes in the order of the file; if there are more than the limit, the last one says so.
    var sortedMistakes: [ScenarioMistake] {
        var sorted = mistakes.inOrder
        if var next, let last = sorted.last {
            next.offset = max(next.offset, last.offset)
            next.message = "… and more; only the first \(ScenarioMistake.limit) mistakes are listed"
            // It is about others, too.
            if next.isCrossReference { next.kind = .crossReference }
            sorted.append(next)
        }
        return sorted
    }

    mutating func scenario(_ value: Value, defaultKeyIDs: [String]) -> Scenario {
        var scenario = Scenario()
        var parts: [Key: Value] = [:]
        var judgesTokens = false
        object(value, "a scenario", example: #"{"devices": [{"name": "alice"}]}"#, Key.self) { reader, key, value in
            switch key {
            case .schema: _ = reader.text(value)
            case .name: scenario.name = reader.name(value)
            case .description: scenario.description = reader.text(value)
            case .environment: scenario.environment = reader.environment(value)
            case .seed: scenario.seed = reader.seed(value)
            case .clock: scenario.clock = reader.clock(value, &judgesTokens) ?? .real
            case .connection: scenario.connection = reader.connection(value)
            case .responses: scenario.responses = reader.responses(value)
            case .unknownDevices:
                scenario.unknownDevices =
                    reader.choice(value, [("register", .register), ("reject", .reject)]) ?? .register
            case .storage: scenario.storagePerTopic = reader.storagePerTopic(value)
            case .lint: scenario.lint = reader.lint(value)
            case .apps: scenario.apps = Apps(reader.apps(value))
            case .authentication: reader.authentication(value, into: &scenario)
            case .liveActivities: scenario.liveActivityTokens = reader.liveActivities(value)
            case .broadcast: scenario.broadcast = reader.broadcast(value)
            case .channels: scenario.channels = reader.channels(value)
            case .needs: scenario.needs = reader.needs(value)
            case .unusedRules:
                scenario.unusedRules = reader.word(value, UnusedRules.Policy.self) ?? .report
            case .devices, .rules, .timeline, .workload, .expect: parts[key] = value
            }
        }
        scenario.authentication.followsClock = judgesTokens
        seed = scenario.seed ?? 0
        hasOwnTokens = scenario.liveActivityTokens == .own
        // An unreadable clock is one mistake, and not another for each action that needs it.
        clockIsManual = scenario.clock.isManual || (value["clock"].map { $0.string != "real" } ?? false)
        if value["authentication"]?["teams"] == nil { names.keys.formUnion(defaultKeyIDs) }
        names.activities = []
        for key in [Key.devices, .rules, .timeline] { if let value = parts[key] { noteActivityNames(in: value) } }
        // Parts that refer to others are read after them, wherever they are in the file.
        if let value = parts[.devices] {
            scenario.devices = at("devices") { $0.devices(value) }
        }
        if let value = parts[.rules] { scenario.rules = at("rules") { $0.rules(value) } }
        if let value = parts[.timeline] {
            scenario.timeline = at("timeline") { reader in
                reader.list(value, of: "entries") { $0.timelineEntry($1) }
            }
        }
        if let value = parts[.workload] {
            scenario.workload = at("workload") { $0.workload(value, scenario.devices) }
        }
        if let value = parts[.expect] { scenario.expectations = at("expect") { $0.expectations(value) } }
        return scenario
    }

    private mutating func environment(_ value: Value) -> Environment? {
        choice(value, Environment.allCases.map { ($0.rawValue, $0) } + [("development", .sandbox)])
    }

    private mutating func seed(_ value: Value) -> UInt64? {
        if let number = value.number, let seed = UInt64(number.text) ?? number.int64.flatMap(UInt64.init(exactly:)) {
            return seed
        }
        wrong(value, expected: "a whole number from 0 to \(UInt64.max)")
        return nil
    }

    /// - Parameter judgesTokens: becomes true if the clock also judges provider tokens.
    private mutating func clock(_ value: Value, _ judgesTokens: inout Bool) -> Scenario.Clock? {
        enum Key: String, CaseIterable { case manual, providerTokens }
        if value.string == "real" { return .real }
        guard value.object != nil else {
            wrongWord(
                value, ["real"], expected: "\"real\", {\"manual\": \"now\"} or {\"manual\": \"2026-01-01T00:00:00Z\"}")
            return nil
        }
        var clock: Scenario.Clock?
        readMembers(of: value, "a clock", Key.self) { reader, key, value in
            switch key {
            case .manual where value.string == "now": clock = .manual(nil)
            case .manual: if let time = reader.time(value, or: ", or \"now\"") { clock = .manual(time) }
            case .providerTokens: judgesTokens = reader.bool(value) ?? false
            }
        }
        if value["manual"] == nil { missing("manual", in: value, expected: "a time or \"now\"") }
        return clock
    }

    mutating func connection(_ value: Value) -> GatewayConfiguration.ConnectionSettings {
        enum Key: String, CaseIterable {
            case maxConcurrentStreams, beforeAuthentication, afterRejection, idle, wedgeAfterExpiredToken
            case closeAfterErrors, headerTableSize, maxHeaderListSize, initialWindowSize
        }
        var connection = GatewayConfiguration.ConnectionSettings()
        object(value, "\"connection\"", example: #"{"maxConcurrentStreams": 100}"#, Key.self) { reader, key, value in
            switch key {
            case .maxConcurrentStreams:
                if let limit = reader.streamLimit(value) { connection.maxConcurrentStreams = limit }
            case .beforeAuthentication:
                if let limit = reader.streamLimit(value) { connection.beforeAuthentication = limit }
            case .afterRejection: connection.afterRejection = reader.streamLimit(value)
            case .idle: connection.idle = reader.idle(value)
            case .wedgeAfterExpiredToken: connection.wedgeAfterExpiredToken = reader.bool(value) ?? false
            case .closeAfterErrors: connection.closeAfterErrors = reader.integer(value, in: Self.positives)
            case .headerTableSize:
                if let size = reader.integer(value, in: 0...65_535) { connection.headerTableSize = size }
            case .maxHeaderListSize:
                if let size = reader.integer(value, in: 1...65_535) { connection.maxHeaderListSize = size }
            case .initialWindowSize:
                if let size = reader.integer(value, in: 0...Int64(Int32.max)) { connection.initialWindowSize = size }
            }
        }
        return connection
    }

    mutating func streamLimit(_ value: Value) -> Int? { integer(value, in: 0...Int64(Int32.max)) }

    private mutating func idle(_ value: Value) -> GatewayConfiguration.Idle? {
        enum Key: String, CaseIterable { case after, then }
        var after: Int64?
        var then: GatewayConfiguration.Idle.Then?
        let isObject = object(value, "\"idle\"", example: #"{"after": "1h", "then": "goAway"}"#, Key.self) {
            reader, key, value in
            switch key {
            case .after: after = reader.duration(value, isPositive: true)
            case .then:
                let ends = Ending.allCases.map {
                    ($0.rawValue, GatewayConfiguration.Idle.Then.close($0))
                }
                then = reader.choice(value, [("goAway", .goAway)] + ends)
            }
        }
        guard isObject else { return nil }
        if value["after"] == nil { missing("after", in: value, expected: "a duration such as \"1h\"") }
        if value["then"] == nil {
            missing("then", in: value, expected: "\"goAway\", \"end\", \"truncate\", \"reset\" or \"silent\"")
        }
        guard let after, let then else { return nil }
        return GatewayConfiguration.Idle(after: after, then: then)
    }

    mutating func responses(_ value: Value) -> GatewayConfiguration.Responses {
        enum Key: String, CaseIterable {
            case contentType, badEnvironmentReason, foreignTopic, invalidJSON, backgroundPriority10
        }
        var responses = GatewayConfiguration.Responses()
        object(value, "\"responses\"", example: #"{"invalidJSON": "PayloadEmpty"}"#, Key.self) { reader, key, value in
            func reasons(_ reasons: Reason...) -> [(String, Reason)] { reasons.map { ($0.name, $0) } }
            switch key {
            case .contentType: responses.contentType = reader.bool(value) ?? false
            case .badEnvironmentReason:
                let reason = reader.choice(value, reasons(.badEnvironmentKeyInToken, .badEnvironmentKeyIDInToken))
                if let reason { responses.badEnvironmentReason = reason }
            case .foreignTopic:
                let reason = reader.choice(value, reasons(.topicDisallowed, .badTopic))
                if let reason { responses.foreignTopic = reason }
            case .invalidJSON:
                if value.string == "accept" { return }
                if let reason = value.string.flatMap(Reason.init(rawValue:)) {
                    responses.invalidJSON = reason
                } else {
                    let words = ["accept"] + Reason.allCases.map(\.name)
                    reader.wrongWord(value, words, expected: "\"accept\" or a reason of APNs, such as \"PayloadEmpty\"")
                }
            case .backgroundPriority10:
                let choice = reader.choice(
                    value,
                    [
                        (Reason.badPriority.name, GatewayConfiguration.Responses.BackgroundPriority10.badPriority),
                        ("accept", .accept), ("drop", .drop),
                    ])
                if let choice { responses.backgroundPriority10 = choice }
            }
        }
        return responses
    }
}
