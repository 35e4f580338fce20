import MockAPNSCore

// What decides what a device does with a push that reaches it: the states of its apps, what its user allows, its budgets.
extension ScenarioReader {
    /// Reads `notifications`.
    mutating func permission(_ value: Value) -> PhoneChange.Permission {
        if let allows = value.bool { return PhoneChange.Permission(allowsAll: allows) }
        enum Key: String, CaseIterable { case authorization, alert, badge, sound }
        var change = PhoneChange.Permission()
        guard value.object != nil else {
            wrong(value, expected: "true, false, or what the user allows, such as {\"authorization\": \"provisional\"}")
            return change
        }
        readMembers(of: value, "\"notifications\"", Key.self) { reader, key, value in
            switch key {
            case .authorization: change.authorization = reader.word(value, NotificationAuthorization.self)
            case .alert: change.showsBanners = reader.bool(value)
            case .badge: change.showsBadge = reader.bool(value)
            case .sound: change.playsSound = reader.bool(value)
            }
        }
        return change
    }

    /// Reads `app`.
    mutating func appCondition(_ value: Value) -> PhoneChange.AppChange {
        enum Key: String, CaseIterable { case state, backgroundRefresh, presentsInForeground }
        var change = PhoneChange.AppChange()
        object(value, "the state of an app", example: #"{"state": "forceQuit"}"#, Key.self) { reader, key, value in
            switch key {
            case .state: change.state = reader.word(value, AppState.self)
            case .backgroundRefresh: change.refreshes = reader.bool(value)
            case .presentsInForeground: change.presentsInForeground = reader.bool(value)
            }
        }
        return change
    }

    /// Reads `apps`: the states of apps by bundle id.
    mutating func appConditions(_ value: Value) -> [String: PhoneChange.AppChange?] {
        var apps: [String: PhoneChange.AppChange?] = [:]
        freeObject(value, "the state of each app by its bundle id, such as {\"com.example.app\": {…}}") {
            reader, member in
            let key = Value(offset: member.keyOffset, content: .string(member.key))
            guard let topic = reader.topic(key) else { return }
            apps[topic] = .some(member.value.isNull ? nil : reader.appCondition(member.value))
        }
        if apps.count > Phone.appLimit {
            note(value.offset, "has \(apps.count) apps; expected at most \(Phone.appLimit) with a state of their own")
        }
        return apps
    }

    /// Reports states of apps that the device does not have.
    ///
    /// - Parameter topics: the topics of the device; with none it has any app.
    mutating func checkApps(ofStates value: Value, _ topics: [String]) {
        let apps = topics.map { Topic.app(of: $0) }
        guard !apps.isEmpty else { return }
        for member in value.object ?? [] where !apps.contains(Topic.app(of: member.key)) {
            let near = names.nearest(to: member.key, among: Set(apps)).map { "; did you mean \($0.quotedForPeople)?" }
            noteKey(
                member.key, of: value, "is an app of which the device has no topic\(near ?? "")",
                isCrossReference: true)
        }
    }

    /// Reads `budgets`.
    mutating func budgets(_ value: Value) -> [DeviceBudget: Phone.Budget?] {
        enum Key: String, CaseIterable { case background, pushToStart, liveActivityPriority10, widgets }
        var budgets: [DeviceBudget: Phone.Budget?] = [:]
        object(value, "budgets", example: #"{"background": {"allowed": 3, "per": "1h"}}"#, Key.self) {
            reader, key, value in
            guard let kind = DeviceBudget(rawValue: key.rawValue) else { return }
            if value.isNull {
                budgets[kind] = .some(nil)
            } else if let rate = reader.rate(value) {
                budgets[kind] = Phone.Budget(allowed: rate.allowed, per: rate.per)
            }
        }
        return budgets
    }
}
