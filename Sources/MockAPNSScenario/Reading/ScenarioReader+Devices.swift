import MockAPNSCore

extension ScenarioReader {
    mutating func devices(_ value: Value) -> [DeclaredDevice] {
        // Limited, in case there are millions of mistakes.
        let count = min(value.array?.count ?? 0, 1 << 17)
        var indices: [DeviceToken: Int] = Dictionary(minimumCapacity: count)
        names.devices.reserveCapacity(count)
        names.tokens.reserveCapacity(count)
        var topics = DeclaredTopics()
        return list(value, of: "devices") { reader, value -> DeclaredDevice? in
            let index = reader.names.tokens.count
            let drawn = value["token"] == nil ? reader.drawnToken(value["name"]?.string, index) : nil
            let device = reader.device(value, drawn: drawn)
            reader.names.tokens.append(device?.token)
            reader.names.topics.append(device?.topics ?? [])
            guard let device else { return nil }
            reader.checkActivityTokens(of: device, value) { indices[$0] != nil }
            if !topics.add(device.topics) { reader.noteTopicsBeyondLimit(value) }
            if let first = indices[device.token] {
                reader.at("token") { reader in
                    reader.note(
                        value["token"]?.offset ?? value.offset,
                        "is already the token of devices[\(first)]; expected each token once", isCrossReference: true)
                }
            } else {
                indices[device.token] = index
            }
            return device
        }
    }

    /// Returns the token of a device that declares none, by the seed and the device's name or its place. So the same
    /// scenario has the same tokens wherever it is read.
    private func drawnToken(_ name: String?, _ index: Int) -> DeviceToken {
        DeviceToken(seed: seed, for: name.map { "device \($0)" } ?? "devices[\(index)]")
    }

    /// Reads a single device, as in an API request.
    ///
    /// - Parameter drawn: its token if it declares none.
    mutating func device(_ value: Value, drawn: DeviceToken?) -> DeclaredDevice? {
        enum Key: String, CaseIterable {
            case name, token, topic, topics, environment, online, registered, power, rate
            case notifications, app, apps, platform, budgets
            case pushToStartToken, activities
        }
        let token = value["token"].map { $0.string.flatMap { DeviceToken(hex: $0) } } ?? drawn
        // A device with an invalid token is read anyway, to report its other mistakes and for references to it.
        var device = DeclaredDevice(token: token ?? .zero)
        var change = DeviceChange()
        let isObject = object(value, "a device", example: #"{"name": "alice"}"#, Key.self) { reader, key, value in
            switch key {
            case .name: device.name = reader.deviceName(value)
            case .token: if token == nil { reader.wrongToken(value) }
            case .topic: device.topics = reader.topic(value).map { [$0] } ?? []
            case .topics: device.topics = reader.list(value, of: "topics", atLeast: 1) { $0.topic($1) }
            case .environment: device.isSandbox = reader.isSandbox(value)
            case .online: device.isOnline = reader.bool(value) ?? true
            case .registered: device.registration = reader.registration(value) ?? .registered
            case .notifications, .app, .apps, .platform, .budgets:
                if let key = ChangeKey(rawValue: key.rawValue) { reader.change(key, value, into: &change) }
            case .power: device.savesPower = reader.savesPower(value) ?? false
            case .rate: device.rate = reader.rate(value)
            case .activities: device.activities = reader.activities(value)
            case .pushToStartToken: break
            }
        }
        guard isObject else { return nil }
        change.phone.apply(to: &device.phone)
        if let value = value["activities"] { at("activities") { $0.checkApps(ofActivities: value, device.topics) } }
        if let value = value["apps"] { at("apps") { $0.checkApps(ofStates: value, device.topics) } }
        handOutTokens(to: &device, declared: value["pushToStartToken"])
        contradiction("topic", "topics", in: value, "one topic or a list of them")
        return token == nil ? nil : device
    }

    /// Reads the name of the next device in the list, which has to be new.
    private mutating func deviceName(_ value: Value) -> String? {
        guard let name = name(value) else { return nil }
        if let first = names.devices[name] {
            note(
                value.offset,
                "is \(value.forPeople), which is already the name of devices[\(first)]; expected each name once",
                isCrossReference: true)
        } else {
            names.devices[name] = names.tokens.count
        }
        return name
    }

    mutating func wrongToken(_ value: Value) {
        guard let text = value.string else {
            return wrong(value, expected: "a device token: a string of 64 to 200 hexadecimal digits")
        }
        let problem =
            text.utf8.contains { !$0.isHexDigit }
            ? "has a character that is not a hexadecimal digit"
            : "has \(text.utf8.count) digits"
        note(value.offset, "\(problem); expected a device token: 64 to 200 hexadecimal digits, an even number of them")
    }

    mutating func rate(_ value: Value) -> PushRate? {
        enum Key: String, CaseIterable { case allowed, per }
        var allowed: Int?
        var per: Int64?
        let isObject = object(value, "a rate", example: #"{"allowed": 2, "per": "1h"}"#, Key.self) {
            reader, key, value in
            switch key {
            case .allowed: allowed = reader.integer(value, in: Self.counts)
            case .per: per = reader.duration(value, isPositive: true)
            }
        }
        guard isObject else { return nil }
        if value["allowed"] == nil { missing("allowed", in: value, expected: "a number of pushes") }
        if value["per"] == nil { missing("per", in: value, expected: "a duration such as \"1h\"") }
        guard let allowed, let per else { return nil }
        return PushRate(allowed: allowed, per: per)
    }

    private mutating func savesPower(_ value: Value) -> Bool? { choice(value, [("normal", false), ("saving", true)]) }

    private mutating func registration(_ value: Value) -> DeclaredDevice.Registration? {
        enum Key: String, CaseIterable { case unregisteredAt, acceptFor, expiredAt }
        if let isRegistered = value.bool { return isRegistered ? .registered : .unregistered(at: nil, acceptFor: 0) }
        guard value.object != nil else {
            wrong(value, expected: "true, false, {\"unregisteredAt\": TIME} or {\"expiredAt\": TIME}")
            return nil
        }
        var registration: DeclaredDevice.Registration?
        var acceptFor: Int64 = 0
        readMembers(of: value, "\"registered\"", Key.self) { reader, key, value in
            switch key {
            case .unregisteredAt:
                if let time = reader.time(value) { registration = .unregistered(at: time, acceptFor: 0) }
            case .expiredAt:
                if let time = reader.time(value) { registration = .expired(at: time) }
            case .acceptFor: acceptFor = reader.duration(value) ?? 0
            }
        }
        contradiction("unregisteredAt", "expiredAt", in: value, "the token is gone for one reason")
        contradiction("expiredAt", "acceptFor", in: value, "only an unregistered token is accepted for a while")
        let times = ["unregisteredAt", "expiredAt"]
        if times.allSatisfy({ value[$0] == nil }), !isMeant(times, in: value) {
            note(value.offset, "has no time; expected \"unregisteredAt\" or \"expiredAt\"")
        }
        if case .unregistered(let time, _) = registration { return .unregistered(at: time, acceptFor: acceptFor) }
        return registration
    }
}

// Changes
extension ScenarioReader {
    /// The keys of a change; ``device`` names the device.
    enum ChangeKey: String, CaseIterable {
        case device, online, registered, notifications, app, apps, platform, budgets, power, newToken
        case subscribe, unsubscribe, startActivity, endActivity, dismissActivity
    }

    /// Reads one key of a device change.
    mutating func change(_ key: ChangeKey, _ value: Value, into change: inout DeviceChange) {
        switch key {
        case .device: break
        case .online: change.isOnline = bool(value)
        case .registered: change.registration = registration(value)
        case .notifications: change.phone.permission = permission(value)
        case .app: change.phone.app = appCondition(value)
        case .apps: change.phone.apps = appConditions(value)
        case .platform: change.phone.platform = word(value, Platform.self)
        case .budgets: change.phone.budgets = budgets(value)
        case .power: change.savesPower = savesPower(value)
        case .newToken:
            onlyTrue(value)
            change.newToken = true
        case .subscribe: change.subscribe = activityOnChannel(value)
        case .unsubscribe: change.unsubscribe = channelReference(value)
        case .startActivity: change.startActivity = ownActivity(value)
        case .endActivity: change.endActivity = activityName(value)
        case .dismissActivity: change.dismissActivity = activityName(value)
        }
    }

    /// Reads a change of a device that is not named: the value of a step's `device`, or an API request.
    mutating func deviceChange(_ value: Value) -> DeviceChange? {
        enum Key: String, CaseIterable {
            case online, registered, notifications, app, apps, platform, budgets, power, newToken
            case subscribe, unsubscribe, startActivity, endActivity, dismissActivity
        }
        var change = DeviceChange()
        let isObject = object(value, "the change of a device", example: #"{"online": false}"#, Key.self) {
            reader, key, value in
            if let key = ChangeKey(rawValue: key.rawValue) { reader.change(key, value, into: &change) }
        }
        guard isObject else { return nil }
        // An unknown key is a mistake of its own, which is enough.
        if (value.object ?? []).allSatisfy({ $0.key == "$comment" }) {
            note(value.offset, "changes nothing; expected \(Self.list(Key.allCases.map(\.rawValue), "or"))")
        }
        return change
    }

    /// Reads the index of the device with this name.
    mutating func deviceIndex(_ value: Value) -> Int? {
        guard let name = value.string else {
            wrong(value, expected: "the name of a device")
            return nil
        }
        if let index = names.devices[name] { return index }
        undeclared(value, "device", names.nearest(to: name, among: names.devices.keys))
        return nil
    }

    /// Reports an undeclared name.
    mutating func undeclared(_ value: Value, _ what: String, _ near: String?) {
        let hint = near.map { "; did you mean \($0.quotedForPeople)?" } ?? ""
        note(value.offset, "is \(value.forPeople), but no \(what) has that name\(hint)", isCrossReference: true)
    }
}

/// The topics of the devices read so far, counted against the limit of all topics.
private struct DeclaredTopics {
    private var known: Set<String> = []
    private var byteCount = 0
    private var isTold = false

    /// Adds topics; returns false for the first that are beyond the limit.
    mutating func add(_ topics: [String]) -> Bool {
        for topic in topics where known.insert(topic).inserted { byteCount += topic.utf8.count }
        guard !isTold, known.count > TopicTable.limit || byteCount > TopicTable.byteLimit else { return true }
        isTold = true
        return false
    }
}

extension ScenarioReader {
    fileprivate mutating func noteTopicsBeyondLimit(_ device: Value) {
        let message =
            "goes beyond the limit of all devices together: \(TopicTable.limit) different topics with \(TopicTable.byteLimit) bytes"
        noteKey(device["topics"] == nil ? "topic" : "topics", of: device, message)
    }
}
