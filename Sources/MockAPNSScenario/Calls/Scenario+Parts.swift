package import MockAPNSCore

/// The channels that a part of a scenario may name.
package enum KnownChannelNames: Sendable {
    /// Any: there may be others than those of the scenario.
    case any
    /// The parts with these names or ids. The names serve as suggestions for misspelled ones.
    case only(Set<String>, names: Set<String>)
}

extension DeclaredNames {
    /// Notes the channels that exist.
    fileprivate mutating func know(_ known: KnownChannelNames) {
        guard case .only(let all, let names) = known else { return }
        (channels, channelIDs, hasOtherChannels) = (names, all, false)
    }
}

/// Reads individual parts of a scenario, as found in API requests. Names refer to what this scenario declares. Each
/// method returns the part, or `nil` and the mistakes; their pointers start at the part.
extension Scenario {
    /// Reads a rule, as an element of `rules`.
    ///
    /// - Parameter defaultName: the name if it has none.
    package func rule(from value: JSONText.Value, defaultName: String) -> (Rule?, [ScenarioMistake]) {
        var (rule, mistakes) = read { $0.rule(value, name: value["name"]?.string ?? defaultName) }
        rule?.json = value
        return (rule, mistakes)
    }

    /// Reads conditions on recorded requests: MATCH.
    package func match(from value: JSONText.Value) -> (MatchExpression?, [ScenarioMistake]) {
        read { $0.match(value, .record) }
    }

    /// Reads a list of expectations, as in `expect`.
    package func expectations(from value: JSONText.Value) -> ([Expectation]?, [ScenarioMistake]) {
        read { reader in reader.at("expect") { $0.expectations(value) } }
    }

    /// Reads a device, as an element of `devices`. Does not check whether its name or token is taken.
    ///
    /// - Parameters:
    ///   - channels: what its Live Activities may name.
    ///   - drawn: its token if it declares none.
    package func device(
        from value: JSONText.Value, _ channels: KnownChannelNames = .any, drawn: @autoclosure () -> DeviceToken
    ) -> (DeclaredDevice?, [ScenarioMistake]) {
        read(knowsDevices: false) { reader in
            reader.names.know(channels)
            return reader.device(value, drawn: value["token"] == nil ? drawn() : nil)
        }
    }

    /// Reads a broadcast channel, as an element of `channels`, but possibly without a name. Does not check whether its
    /// name or id is taken.
    package func channel(from value: JSONText.Value) -> (DeclaredChannel?, [ScenarioMistake]) {
        read { $0.channel(value, needsName: false) }
    }

    /// Reads a device change, as the keys in `timeline` besides its name.
    ///
    /// - Parameter channels: what it may name.
    package func deviceChange(
        from value: JSONText.Value, _ channels: KnownChannelNames = .any
    ) -> (DeviceChange?, [ScenarioMistake]) {
        read { reader in
            reader.names.know(channels)
            return reader.deviceChange(value)
        }
    }

    /// Reads GOAWAY frames, as the value of `goAway` in the timeline.
    package func goAway(from value: JSONText.Value) -> (GoAwayPlan?, [ScenarioMistake]) {
        read { $0.goAway(value, .order)?.0 }
    }

    /// Reads how to close a connection, as the value of `close`.
    package func ending(from value: JSONText.Value) -> (Ending?, [ScenarioMistake]) {
        read { $0.ending(value) }
    }

    /// Reads a limit of streams, as the value of `settings` in the timeline.
    package func settings(from value: JSONText.Value) -> (StreamLimitChange?, [ScenarioMistake]) {
        read { $0.settings(value) }
    }

    /// Reads by how many milliseconds to advance the clock, as `{"by": "1h"}`.
    package func advance(from value: JSONText.Value) -> (Int64?, [ScenarioMistake]) {
        enum Key: String, CaseIterable { case by }
        return read { reader in
            var duration: Int64?
            let isObject = reader.object(value, "a move of the clock", example: #"{"by": "1h"}"#, Key.self) {
                reader, _, value in
                duration = reader.duration(value)
            }
            if isObject, value["by"] == nil { reader.missing("by", in: value, expected: "a duration such as \"1h\"") }
            return duration
        }
    }

    func read<Part>(
        knowsDevices: Bool = true, _ body: (inout ScenarioReader) -> Part?
    ) -> (Part?, [ScenarioMistake]) {
        var reader = ScenarioReader()
        reader.clockIsManual = clock.isManual
        (reader.seed, reader.hasOwnTokens) = (seed ?? 0, liveActivityTokens == .own)
        reader.names.rules = Set(rules.map(\.name))
        reader.names.keys = Set(authentication.teams.flatMap { $0.keys.map(\.keyID) })
        reader.names.channels = Set(channels.map(\.name))
        reader.names.hasOtherChannels = true
        if knowsDevices {
            for (index, device) in devices.enumerated() {
                if let name = device.name { reader.names.devices[name] = index }
                reader.names.tokens.append(device.token)
                reader.names.topics.append(device.topics)
            }
        }
        let part = body(&reader)
        return (reader.mistakes.isEmpty ? part : nil, reader.sortedMistakes)
    }
}
