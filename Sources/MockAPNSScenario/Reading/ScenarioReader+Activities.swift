import MockAPNSCore

// Live Activities that the app starts: on a broadcast channel, or with a token of their own.
extension ScenarioReader {
    /// Reads `liveActivities`.
    mutating func liveActivities(_ value: Value) -> LiveActivityTokens {
        enum Key: String, CaseIterable { case tokens }
        var tokens = LiveActivityTokens.device
        object(value, "\"liveActivities\"", example: #"{"tokens": "own"}"#, Key.self) { reader, _, value in
            tokens = reader.word(value, LiveActivityTokens.self) ?? .device
        }
        return tokens
    }

    /// Reads a Live Activity that the app starts on a channel: its channel, or an object that may give it a name.
    mutating func activityOnChannel(_ value: Value) -> DeclaredActivity? {
        guard value.object != nil else {
            guard value.string != nil else {
                wrong(value, expected: "the name of a channel, or {\"name\": NAME, \"channel\": CHANNEL}")
                return nil
            }
            return channelReference(value).map { DeclaredActivity(channel: $0) }
        }
        enum Key: String, CaseIterable { case name, channel }
        var activity = DeclaredActivity(channel: "")
        readMembers(of: value, "a Live Activity", Key.self) { reader, key, value in
            switch key {
            case .name: activity.name = reader.name(value)
            case .channel: if let channel = reader.channelReference(value) { activity.channel = channel }
            }
        }
        if value["channel"] == nil { missing("channel", in: value, expected: "the name of a channel") }
        return activity
    }

    /// Reads a Live Activity that the app starts with a token of its own.
    mutating func ownActivity(_ value: Value) -> DeclaredActivity? {
        enum Key: String, CaseIterable { case name, topic, token }
        var activity = DeclaredActivity()
        let isObject = object(value, "a Live Activity", example: #"{"name": "match"}"#, Key.self) {
            reader, key, value in
            switch key {
            case .name: activity.name = reader.name(value)
            case .topic: activity.app = reader.topic(value).map { Topic.app(of: $0) }
            case .token: activity.token = reader.activityToken(value)
            }
        }
        return isObject ? activity : nil
    }

    /// Reads `activities` of a device. Their names are different.
    mutating func activities(_ value: Value) -> [DeclaredActivity] {
        var names: Set<String> = []
        return list(value, of: "Live Activities") { reader, value in
            let isOnChannel = value.object == nil || value["channel"] != nil
            let activity = isOnChannel ? reader.activityOnChannel(value) : reader.ownActivity(value)
            if let name = activity?.name, !names.insert(name).inserted, let text = value["name"] {
                reader.at("name") { $0.noteDuplicate(text, "the name of another Live Activity") }
            }
            return activity
        }
    }

    /// Reports Live Activities of a device that are of apps which it does not have.
    ///
    /// - Parameters:
    ///   - value: the value of `activities`.
    ///   - topics: the topics of the device.
    mutating func checkApps(ofActivities value: Value, _ topics: [String]) {
        for (index, element) in (value.array ?? []).enumerated() {
            at(index: index) { $0.checkApp(ofActivity: element, topics) }
        }
    }

    /// Reports a Live Activity of an app that its device does not have.
    mutating func checkApp(ofActivity value: Value, _ topics: [String]) {
        let channel = value.string ?? value["channel"]?.string
        let app = channel.map { names.channelApps[$0] } ?? value["topic"]?.string.map { Topic.app(of: $0) }
        guard let app, !DeclaredActivity.mayStart(app, on: topics) else { return }
        let whose = channel == nil ? "it is of the app" : "the channel is of the app"
        note(
            value.offset, "never starts: \(whose) \(app.quotedForPeople), of which the device has no topic",
            isCrossReference: true)
    }

    /// Takes note of the names of all Live Activities that the devices, rules and timeline of a scenario start.
    mutating func noteActivityNames(in value: Value) {
        for element in value.array ?? [] { noteActivityNames(in: element) }
        for member in value.object ?? [] {
            guard ["activities", "subscribe", "startActivity"].contains(member.key) else {
                noteActivityNames(in: member.value)
                continue
            }
            for activity in member.value.array ?? [member.value] {
                if let name = activity["name"]?.string { names.activities?.insert(name) }
            }
        }
    }

    /// Reads the name of a Live Activity that something starts, or its update token.
    mutating func activityName(_ value: Value) -> String? {
        guard let name = name(value) else { return nil }
        if DeviceToken(hex: name) != nil { return name }
        guard let known = names.activities, !known.contains(name) else { return name }
        undeclared(value, "Live Activity", names.nearest(to: name, among: known))
        return nil
    }
}

// Their tokens
extension ScenarioReader {
    /// Reads the token of a Live Activity. Each is declared once.
    private mutating func activityToken(_ value: Value) -> DeviceToken? {
        guard let token = value.string.flatMap({ DeviceToken(hex: $0) }) else {
            wrongToken(value)
            return nil
        }
        if !names.activityTokens.insert(token).inserted {
            noteDuplicate(value, "the token of another Live Activity, or starts one")
        }
        return token
    }

    /// Gives a device its push-to-start tokens, and its Live Activities their update tokens: those declared, and others
    /// drawn from the seed.
    ///
    /// - Parameter value: the value of `pushToStartToken`.
    mutating func handOutTokens(to device: inout DeclaredDevice, declared value: Value?) {
        let declared = value.map { value in at("pushToStartToken") { $0.startTokens(value, device.topics) } } ?? []
        guard hasOwnTokens || value != nil || device.activities.contains(where: { $0.channel == nil }) else { return }
        device.startTokens = StartToken.drawn(seed: seed, for: device.token, device.topics).map { drawn in
            declared.first { $0.app == drawn.app } ?? drawn
        }
        for (index, activity) in device.activities.enumerated() where activity.channel == nil && activity.token == nil {
            let purpose = "Live Activity \(activity.name ?? "\(index)") of \(device.token.hex)"
            device.activities[index].token = DeviceToken(seed: seed, for: purpose)
        }
    }

    /// Reads push-to-start tokens: the token of a device with one app, or an object with one for each app.
    private mutating func startTokens(_ value: Value, _ topics: [String]) -> [StartToken] {
        let apps = StartToken.apps(of: topics)
        guard let members = value.object else {
            if value.string != nil, apps.count > 1 {
                wrong(
                    value, expected: "an object with a token for each app, such as {\(apps[0].quotedForPeople): TOKEN}")
                return []
            }
            return activityToken(value).map { [StartToken(app: apps[0], token: $0)] } ?? []
        }
        return members.compactMap { member in
            guard apps.contains(member.key) else {
                let known = topics.isEmpty ? "a token, since the device has no topics" : Self.list(apps, "or")
                noteKey(member.key, of: value, "is no app of the device; expected \(known)", isCrossReference: true)
                return nil
            }
            return at(member.key) { $0.activityToken(member.value) }.map { StartToken(app: member.key, token: $0) }
        }
    }

    /// Reports tokens of Live Activities that are device tokens, too.
    ///
    /// - Parameter isOfDevice: whether a token is that of an earlier device.
    mutating func checkActivityTokens(
        of device: DeclaredDevice, _ value: Value, _ isOfDevice: (DeviceToken) -> Bool
    ) {
        let tokens = device.startTokens.map(\.token) + device.activities.compactMap(\.token)
        guard names.activityTokens.contains(device.token) || tokens.contains(where: isOfDevice) else { return }
        note(
            value.offset, "has a token that stands for a device and for a Live Activity; expected each token once",
            isCrossReference: true)
    }
}
