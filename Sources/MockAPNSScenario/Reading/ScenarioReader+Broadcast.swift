import MockAPNSCore

extension ScenarioReader {
    /// Reads `broadcast`: how broadcast channels behave.
    mutating func broadcast(_ value: Value) -> BroadcastSettings {
        enum Key: String, CaseIterable {
            case enabled, limit, notEnabledReason, unknownChannel, deleteUnknown, rejectCapitals, unstoredExpiration
            case deliverToLateSubscribers
        }
        var settings = BroadcastSettings()
        func reasons(_ reasons: Reason...) -> [(String, Reason)] { reasons.map { ($0.name, $0) } }
        object(value, "\"broadcast\"", example: #"{"limit": 100}"#, Key.self) { reader, key, value in
            switch key {
            case .enabled: if let enabled = reader.enabled(value) { settings.enabled = enabled }
            case .limit:
                let most = Int64(BroadcastSettings.mostChannels)
                if let limit = reader.integer(value, in: 0...most) { settings.limit = limit }
            case .notEnabledReason:
                let reason = reader.choice(value, reasons(.broadcastFeatureNotEnabled, .featureNotEnabled))
                if let reason { settings.notEnabledReason = reason }
            case .unknownChannel:
                let reason = reader.choice(value, reasons(.badChannelID, .channelNotRegistered))
                if let reason { settings.unknownChannel = reason }
            case .deleteUnknown:
                let reason = reader.choice(value, reasons(.badPath, .channelNotRegistered))
                if let reason { settings.deleteUnknown = reason }
            case .rejectCapitals: settings.rejectsCapitals = reader.bool(value) ?? false
            case .unstoredExpiration:
                let choice = reader.choice(
                    value, [("zero", BroadcastSettings.UnstoredExpiration.zero), ("nonZero", .nonZero)])
                if let choice { settings.unstoredExpiration = choice }
            case .deliverToLateSubscribers: settings.deliversToLateSubscribers = reader.bool(value) ?? false
            }
        }
        return settings
    }

    private mutating func enabled(_ value: Value) -> BroadcastSettings.Enabled? {
        if let bool = value.bool { return bool ? .all : .topics([]) }
        guard value.array != nil else {
            wrong(value, expected: "true, false or a list of bundle ids")
            return nil
        }
        return .topics(list(value, of: "bundle ids") { $0.bundleID($1) })
    }

    /// Reads a bundle id: a topic without the suffix of a push type.
    mutating func bundleID(_ value: Value) -> String? {
        guard let topic = topic(value) else { return nil }
        let suffix = PushType.allCases.lazy.compactMap(\.topicSuffix).first { topic.hasSuffix($0) }
        if let suffix { note(value.offset, "ends with \"\(suffix)\"; expected the bundle id alone") }
        return topic
    }

    /// Reads `channels`: the broadcast channels that exist at the start.
    mutating func channels(_ value: Value) -> [DeclaredChannel] {
        defer { checkCount(value, of: "channels", atMost: BroadcastSettings.mostChannels) }
        var ids: Set<ChannelID> = []
        return list(value, of: "channels") { reader, value in
            guard let channel = reader.channel(value) else { return nil }
            if !channel.name.isEmpty, !reader.names.channels.insert(channel.name).inserted, let name = value["name"] {
                reader.at("name") { $0.noteDuplicate(name, "the name of another channel") }
            }
            if let id = channel.id { reader.names.channelIDs.insert(id.description) }
            reader.names.channelApps[channel.name] = channel.topic
            if let id = channel.id { reader.names.channelApps[id.description] = channel.topic }
            if let id = channel.id, !ids.insert(id).inserted, let text = value["channelID"] {
                reader.at("channelID") { $0.noteDuplicate(text, "the id of another channel") }
            }
            return channel
        }
    }

    /// Reads a single channel, as in an API request.
    ///
    /// - Parameter needsName: whether it must have a name.
    mutating func channel(_ value: Value, needsName: Bool = true) -> DeclaredChannel? {
        enum Key: String, CaseIterable { case name, topic, channelID, storage, environment }
        var channel = DeclaredChannel(name: "", topic: "")
        let isObject = object(value, "a channel", example: #"{"name": "final", "topic": "com.example.app"}"#, Key.self)
        { reader, key, value in
            switch key {
            case .name: if let name = reader.name(value) { channel.name = name }
            case .topic: if let topic = reader.bundleID(value) { channel.topic = topic }
            case .channelID: channel.id = reader.channelID(value)
            case .storage:
                channel.policy = reader.word(value, ChannelStorage.self) ?? .mostRecent
            case .environment: channel.isSandbox = reader.isSandbox(value)
            }
        }
        guard isObject else { return nil }
        if needsName, value["name"] == nil { missing("name", in: value, expected: "a name for the channel") }
        if value["topic"] == nil { missing("topic", in: value, expected: "the app's bundle id") }
        return channel
    }

    /// Reads the name of a declared channel.
    mutating func channelName(_ value: Value) -> String? {
        guard let name = value.string else {
            wrong(value, expected: "the name of a channel")
            return nil
        }
        if names.channels.contains(name) || names.hasOtherChannels { return name }
        undeclared(value, "channel", names.nearest(to: name, among: names.channels))
        return nil
    }

    /// Reads the name or the id of a channel.
    mutating func channelReference(_ value: Value) -> String? {
        if let id = value.string, names.channelIDs.contains(id) { return id }
        return channelName(value)
    }

    private mutating func channelID(_ value: Value) -> ChannelID? {
        guard let text = value.string, 1...1000 ~= text.utf8.count, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            wrong(value, expected: "the id of a channel: 1 to 1000 printable characters without blanks")
            return nil
        }
        return ChannelID(text)
    }
}
