/// What decides what a device does with a push that has reached it: its system, the states of its apps, what the user
/// allows, and the budgets of the apps.
///
/// APNs knows nothing of it, except for whether notifications are switched off: the provider is answered with 200.
package struct Phone: Sendable, Hashable {
    /// The state of an app.
    package struct AppCondition: Sendable, Hashable {
        /// Whether it runs.
        package var state = AppState.background
        /// Whether the user allows Background App Refresh.
        package var refreshes = true
        /// Whether it shows its notifications while it is in the foreground.
        package var presentsInForeground = false

        package init() {}
    }

    /// What the user allows the app to do with notifications.
    package struct Permission: Sendable, Hashable {
        package var authorization = NotificationAuthorization.authorized
        /// Whether they are shown as banners.
        package var showsBanners = true
        /// Whether they put a number on the app's icon.
        package var showsBadge = true
        /// Whether they play a sound.
        package var playsSound = true
        /// Whether any sound is heard of the app.
        var allowsSound: Bool { authorization == .authorized && playsSound }

        package init() {}
    }

    /// A number of pushes per period. A period begins with its first push.
    package struct Budget: Sendable, Hashable {
        /// The number of pushes.
        package var allowed: Int
        /// The length of the period in milliseconds.
        package var per: Int64

        package init(allowed: Int, per: Int64) { (self.allowed, self.per) = (allowed, per) }
    }

    /// Maximum number of apps that have a state of their own.
    package static let appLimit = 50

    /// The system of the device.
    package var platform = Platform.iOS
    /// The state of the apps that ``apps`` does not name.
    package var app = AppCondition()
    /// The states of apps, by bundle id; at most ``appLimit``.
    package var apps: [String: AppCondition] = [:]
    /// What the user allows.
    package var permission = Permission()
    /// The budgets of each app.
    package var budgets: [DeviceBudget: Budget] = [:]

    package init() {}

    /// Whether the user allows notifications. If not, APNs discards those that show something.
    package var allowsNotifications: Bool {
        get { permission.authorization != .denied }
        set {
            permission = Permission()
            if !newValue { permission.authorization = .denied }
        }
    }

    /// Whether it differs from others at most by ``allowsNotifications``.
    var isOrdinary: Bool {
        var other = Self()
        other.allowsNotifications = allowsNotifications
        return self == other
    }

    /// Returns the state of the app that a topic belongs to.
    func app(of topic: String) -> AppCondition { apps.isEmpty ? app : apps[Topic.app(of: topic)] ?? app }
}

/// A change of a ``Phone``; `nil` leaves a property unchanged.
package struct PhoneChange: Sendable, Hashable {
    /// A change of the state of an app.
    package struct AppChange: Sendable, Hashable {
        package var state: AppState?
        package var refreshes: Bool?
        package var presentsInForeground: Bool?

        package init() {}

        /// It is now in this state.
        static func opened(_ state: AppState) -> Self {
            var change = Self()
            change.state = state
            return change
        }

        func apply(to app: inout Phone.AppCondition) {
            if let state { app.state = state }
            if let refreshes { app.refreshes = refreshes }
            if let presentsInForeground { app.presentsInForeground = presentsInForeground }
        }
    }

    /// A change of what the user allows.
    package struct Permission: Sendable, Hashable {
        package var authorization: NotificationAuthorization?
        package var showsBanners: Bool?
        package var showsBadge: Bool?
        package var playsSound: Bool?

        package init() {}

        /// Allows everything, or nothing.
        package init(allowsAll: Bool) {
            authorization = allowsAll ? .authorized : .denied
            (showsBanners, showsBadge, playsSound) = (true, true, true)
        }

        func apply(to permission: inout Phone.Permission) {
            if let authorization { permission.authorization = authorization }
            if let showsBanners { permission.showsBanners = showsBanners }
            if let showsBadge { permission.showsBadge = showsBadge }
            if let playsSound { permission.playsSound = playsSound }
        }
    }

    package var platform: Platform?
    package var app = AppChange()
    /// The changes of apps, by bundle id; `nil` takes away the state of its own. One that had none has that of the others to
    /// begin with.
    package var apps: [String: AppChange?] = [:]
    package var permission = Permission()
    /// The budgets that change; `nil` takes one away.
    package var budgets: [DeviceBudget: Phone.Budget?] = [:]

    package init() {}

    /// The changes of ``apps``, those first that take the state of an app away. If several topics belong to one app, the
    /// change of the last by name is applied last.
    private var appsInOrder: [(id: String, change: AppChange?)] {
        apps.sorted { one, other in
            (one.value == nil ? 0 : 1, one.key) < (other.value == nil ? 0 : 1, other.key)
        }.map { (Topic.app(of: $0.key), $0.value) }
    }

    /// Returns how many apps would have a state of their own.
    package func appCount(on phone: Phone) -> Int {
        var ids = Set(phone.apps.keys)
        for (id, change) in appsInOrder { if change == nil { ids.remove(id) } else { ids.insert(id) } }
        return ids.count
    }

    /// Carries out the change, save for the states of apps beyond ``Phone/appLimit``.
    package func apply(to phone: inout Phone) {
        if let platform { phone.platform = platform }
        app.apply(to: &phone.app)
        for (id, change) in appsInOrder {
            guard let change else {
                phone.apps[id] = nil
                continue
            }
            guard phone.apps[id] != nil || phone.apps.count < Phone.appLimit else { continue }
            change.apply(to: &phone.apps[id, default: phone.app])
        }
        permission.apply(to: &phone.permission)
        for (kind, budget) in budgets { phone.budgets[kind] = budget }
    }
}

// MARK: JSON

extension Phone {
    /// Appends its state as members, in the form of scenario files.
    ///
    /// - Parameter isWhole: whether to write what is as on any device, too.
    func appendMembers(to line: inout [UInt8], isWhole: Bool) {
        line.appendKey("notifications")
        let plain =
            permission == Permission() ? true : permission == Self(allowsNotifications: false).permission ? false : nil
        if let plain {
            line.append(contentsOf: plain ? "true".utf8 : "false".utf8)
        } else {
            line.append(contentsOf: #"{"authorization":"\#(permission.authorization.rawValue)""#.utf8)
            line.append(
                contentsOf:
                    #","alert":\#(permission.showsBanners),"badge":\#(permission.showsBadge),"sound":\#(permission.playsSound)}"#
                    .utf8)
        }
        if isWhole || platform != .iOS { line.appendMember("platform", platform.rawValue) }
        if isWhole || app != AppCondition() {
            line.appendKey("app")
            app.appendJSON(to: &line)
        }
        if isWhole || !apps.isEmpty {
            line.appendKey("apps")
            line.appendMembers(apps.sorted { $0.key < $1.key }) { $1.appendJSON(to: &$0) }
        }
        if isWhole || !budgets.isEmpty {
            line.appendKey("budgets")
            line.appendMembers(budgets.map { ($0.rawValue, $1) }.sorted { $0.0 < $1.0 }) {
                $0.append(contentsOf: #"{"allowed":\#($1.allowed),"per":"\#(DurationText.text($1.per))"}"#.utf8)
            }
        }
    }

    /// Returns a member in the form of scenario files; `nil` if it is as on any device.
    package func member(_ key: String) -> JSONText.Value? {
        let value = members(isWhole: false)?[key]
        return value?.bool == true ? nil : value
    }

    /// Returns its state as an object, in the form of scenario files.
    ///
    /// - Parameter isWhole: whether to tell what is as on any device, too.
    package func members(isWhole: Bool) -> JSONText.Value? {
        var text: [UInt8] = []
        appendMembers(to: &text, isWhole: isWhole)
        text[0] = UInt8(ascii: "{")
        return try? JSONText.read(text + [UInt8(ascii: "}")], .recorded)
    }

    private init(allowsNotifications: Bool) { self.allowsNotifications = allowsNotifications }

    /// Reads the members that ``appendMembers(to:isWhole:)`` wrote. What is not understood stays as on any device.
    init(recorded member: (String) -> JSONText.Value?) {
        if let value = member("notifications") {
            if let allows = value.bool { allowsNotifications = allows }
            if let word = value["authorization"]?.string.flatMap(NotificationAuthorization.init(rawValue:)) {
                permission.authorization = word
            }
            permission.showsBanners = value["alert"]?.bool ?? true
            permission.showsBadge = value["badge"]?.bool ?? true
            permission.playsSound = value["sound"]?.bool ?? true
        }
        platform = member("platform")?.string.flatMap(Platform.init(rawValue:)) ?? .iOS
        app = member("app").map(AppCondition.init(recorded:)) ?? AppCondition()
        for app in member("apps")?.object ?? [] { apps[app.key] = AppCondition(recorded: app.value) }
        for budget in member("budgets")?.object ?? [] {
            guard let kind = DeviceBudget(rawValue: budget.key), let allowed = budget.value["allowed"]?.int64,
                let per = budget.value["per"]?.string.flatMap({ DurationText.milliseconds($0) })
            else { continue }
            budgets[kind] = Budget(allowed: Int(clamping: allowed), per: per)
        }
    }
}

extension Phone.AppCondition {
    fileprivate func appendJSON(to line: inout [UInt8]) {
        line.append(contentsOf: #"{"state":"\#(state.rawValue)","backgroundRefresh":\#(refreshes)"#.utf8)
        line.append(contentsOf: #","presentsInForeground":\#(presentsInForeground)}"#.utf8)
    }

    fileprivate init(recorded value: JSONText.Value) {
        state = value["state"]?.string.flatMap(AppState.init(rawValue:)) ?? .background
        refreshes = value["backgroundRefresh"]?.bool ?? true
        presentsInForeground = value["presentsInForeground"]?.bool ?? false
    }
}

extension [UInt8] {
    fileprivate mutating func appendMembers<Value>(
        _ members: [(key: String, value: Value)], _ append: (inout Self, Value) -> Void
    ) {
        for (index, member) in members.enumerated() {
            self.append(UInt8(ascii: index == 0 ? "{" : ","))
            appendJSON(member.key)
            self.append(UInt8(ascii: ":"))
            append(&self, member.value)
        }
        self.append(contentsOf: members.isEmpty ? "{}".utf8 : "}".utf8)
    }
}
