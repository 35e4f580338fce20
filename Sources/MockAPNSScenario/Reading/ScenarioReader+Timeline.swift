import MockAPNSCore

extension ScenarioReader {
    mutating func timelineEntry(_ value: Value) -> TimelineEntry? {
        enum Key: String, CaseIterable { case at, after, `do` }
        var entry = TimelineEntry(actions: [])
        let isObject = object(
            value, "an entry of the timeline", example: #"{"at": "10s", "do": {"close": "reset"}}"#, Key.self
        ) { reader, key, value in
            switch key {
            case .at: entry.delay = reader.duration(value) ?? 0
            case .after: entry.after = reader.awaited(value)
            case .do: entry.actions = reader.oneOrMore(value, of: "actions") { $0.action($1) }
            }
        }
        guard isObject else { return nil }
        if value["at"] == nil, value["after"] == nil, !isMeant(["at", "after"], in: value) {
            note(value.offset, "has no time; expected \"at\" with a duration, or \"after\" with a number of requests")
        }
        if value["do"] == nil { missing("do", in: value, expected: "an action or a list of them") }
        return entry
    }

    private mutating func awaited(_ value: Value) -> TimelineEntry.Requests? {
        enum Key: String, CaseIterable { case requests, count }
        var requests = TimelineEntry.Requests(match: MatchExpression(), count: 1)
        let isObject = object(value, "\"after\"", example: #"{"requests": {}, "count": 10}"#, Key.self) {
            reader, key, value in
            switch key {
            case .requests: requests.match = reader.match(value, .record)
            case .count: requests.count = reader.integer(value, in: Self.positives) ?? 1
            }
        }
        guard isObject else { return nil }
        if value["requests"] == nil { missing("requests", in: value, expected: "conditions, or {} for every request") }
        return requests
    }

    private enum ActionKey: String, CaseIterable {
        case device, goAway, close, settings, outage, key, topic, advance
        case online, registered, notifications, app, apps, platform, budgets, power, newToken
        case subscribe, unsubscribe, startActivity, endActivity, dismissActivity
        case connection, revoked, broadcast

        static let actions: [ActionKey] = [.device, .goAway, .close, .settings, .outage, .key, .topic, .advance]

        /// The actions that this key may accompany; empty for an action.
        var companions: [ActionKey] {
            switch self {
            case .online, .registered, .notifications, .app, .apps, .platform, .budgets, .power, .newToken, .subscribe,
                .unsubscribe, .startActivity, .endActivity, .dismissActivity:
                [.device]
            case .connection: [.goAway, .close, .settings]
            case .revoked: [.key]
            case .broadcast: [.topic]
            default: []
            }
        }
    }

    private mutating func action(_ value: Value) -> TimelineAction? {
        var change = DeviceChange()
        var connection: Int?
        var isRevoked = true
        var isOn = true
        object(value, "an action", example: #"{"close": "reset"}"#, ActionKey.self) { reader, key, value in
            switch key {
            case .online, .registered, .notifications, .app, .apps, .platform, .budgets, .power, .newToken, .subscribe,
                .unsubscribe, .startActivity, .endActivity, .dismissActivity:
                if let key = ChangeKey(rawValue: key.rawValue) { reader.change(key, value, into: &change) }
            case .connection: connection = reader.integer(value, in: Self.positives, "the number of a connection")
            case .broadcast: isOn = reader.bool(value) ?? true
            case .revoked: isRevoked = reader.bool(value) ?? true
            default: break
            }
        }
        guard let members = value.object, let key = checkActionKeys(value) else { return nil }
        guard let body = members.last(where: { $0.key == key.rawValue })?.value else { return nil }
        if key == .device, let index = body.string.flatMap({ names.devices[$0] }), index < names.topics.count {
            for key in [ActionKey.subscribe, .startActivity] {
                guard let activity = value[key.rawValue] else { continue }
                at(key.rawValue) { $0.checkApp(ofActivity: activity, $0.names.topics[index]) }
            }
            if let apps = value["apps"] { at("apps") { $0.checkApps(ofStates: apps, $0.names.topics[index]) } }
        }
        return at(key.rawValue) { reader in
            switch key {
            case .device: return reader.deviceIndex(body).map { .device($0, change) }
            case .goAway: return reader.goAway(body, .order).map { .goAway($0.0, connection: connection) }
            case .close: return reader.ending(body).map { .close($0, connection: connection) }
            case .settings: return reader.settings(body).map { .settings($0, connection: connection) }
            case .outage: return reader.outage(body).map { .outage($0) }
            case .key: return reader.keyID(body).map { .key($0, isRevoked: isRevoked) }
            case .topic: return reader.bundleID(body).map { .broadcast(topic: $0, isOn: isOn) }
            case .advance: return reader.advance(body).map { .advance($0) }
            default: return nil
            }
        }
    }

    /// Returns the one action of an object, after checking its other keys.
    private mutating func checkActionKeys(_ value: Value) -> ActionKey? {
        let keys = (value.object ?? []).compactMap { ActionKey(rawValue: $0.key) }
        let actions = keys.filter(ActionKey.actions.contains)
        guard let first = actions.first else {
            if isMeant(ActionKey.actions.map(\.rawValue), in: value) { return nil }
            let words = Self.list(ActionKey.actions.map(\.rawValue), "or")
            note(value.offset, "does nothing; expected one of \(words)")
            return nil
        }
        for second in actions.dropFirst() {
            noteKey(
                second.rawValue, of: value,
                "is a second action beside \"\(first.rawValue)\"; expected one in an object, and a list for several")
        }
        for key in keys where !key.companions.isEmpty && !key.companions.contains(first) {
            let words = Self.list(key.companions.map(\.rawValue), "or")
            noteKey(key.rawValue, of: value, "cannot be combined with \"\(first.rawValue)\"; use it with \(words)")
        }
        let changes = ActionKey.allCases.filter { $0.companions == [.device] }
        if first == .device, !keys.contains(where: changes.contains), !isMeant(changes.map(\.rawValue), in: value) {
            note(
                value.offset,
                "changes nothing about the device; expected \(Self.list(changes.map(\.rawValue), "or"))")
        }
        if first == .topic, value["broadcast"] == nil {
            missing("broadcast", in: value, expected: "true or false")
        }
        if first == .key, value["revoked"] == nil { missing("revoked", in: value, expected: "true or false") }
        return first
    }

    private mutating func keyID(_ value: Value) -> String? {
        guard let id = value.string else {
            wrong(value, expected: "the id of a signing key")
            return nil
        }
        if !names.keys.contains(id) {
            let near = names.nearest(to: id, among: names.keys).map { "; did you mean \($0.quotedForPeople)?" } ?? ""
            note(value.offset, "is \(value.forPeople), but no key has that id\(near)", isCrossReference: true)
        }
        return id
    }

    private mutating func advance(_ value: Value) -> Int64? {
        if !clockIsManual {
            note(
                value.offset, "needs a manual clock; expected \"clock\": {\"manual\": \"now\"} in the scenario",
                isCrossReference: true)
        }
        return duration(value)
    }
}
