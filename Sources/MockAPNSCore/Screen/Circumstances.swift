/// What a device's ``Phone`` says about one push, at the moment it reaches the device. Stored with the push, because what
/// the device does with it is worked out later, when the screen is asked for or many have come.
struct Circumstances: Sendable, Hashable {
    /// The state of the app.
    var app = Phone.AppCondition()
    /// What the user allows.
    var permission = Phone.Permission()
    var platform = Platform.iOS
    /// The budget that the push counts against.
    var budget: Budget?

    /// The budget that a push counts against.
    struct Budget: Sendable, Hashable {
        var kind: DeviceBudget
        var limit: Phone.Budget
    }

    /// The circumstances of any device.
    init() {}

    /// - Parameters:
    ///   - topic: the topic of the push.
    ///   - kind: the budget that it counts against; `nil` if there is none.
    init(_ phone: Phone, _ topic: String, _ kind: DeviceBudget?) {
        app = phone.app(of: topic)
        (permission, platform) = (phone.permission, phone.platform)
        if let kind, let limit = phone.budgets[kind] { budget = Budget(kind: kind, limit: limit) }
    }
}

extension Circumstances {
    /// Returns what the device does with a push that is neither about a Live Activity nor over a budget.
    func reaction(to type: PushType?, _ content: NotificationContent) -> Reaction {
        func handedOver(_ why: String) -> Reaction { Reaction(.woke, shows: .app, why) }
        return switch type?.purpose {
        case nil: Reaction(.ignored, "The push has an unknown type, so the device ignores it.")
        case .notify: reaction(to: content)
        case .wake: content.wakesApp ? backgroundReaction : .withoutFlag
        case .changeActivity: .unknownEvent
        case .reload(let why): content.changesContent ? handedOver(why) : .withoutChange
        case .handOver(let why): handedOver(why)
        }
    }

    /// Returns what the device does with a push that may wake the app.
    var backgroundReaction: Reaction {
        switch app.state {
        case .foreground: .toForeground
        case .forceQuit: Reaction(.dropped, "The user has force-quit the app, so the push does not wake it.")
        case .neverLaunched: Reaction(.dropped, "The app has never been opened, so the push does not wake it.")
        case .background, .notRunning:
            app.refreshes
                ? Reaction(.woke, shows: .app, "The device wakes the app and shows nothing.")
                : Reaction(.dropped, "Background App Refresh is off for the app, so the push does not wake it.")
        }
    }

    private func reaction(to content: NotificationContent) -> Reaction {
        guard content.isJSON else { return Reaction(.ignored, "The payload is not JSON, so the device shows nothing.") }
        var reaction = reaction(toWhatIsShownOf: content)
        guard content.wakesApp else { return reaction }
        if reaction.state == .ignored { return backgroundReaction }
        if reaction.state == .shown, backgroundReaction.state == .woke { reaction.why += " It wakes the app, too." }
        return reaction
    }

    private func reaction(toWhatIsShownOf content: NotificationContent) -> Reaction {
        guard content.showsSomething else {
            return Reaction(.ignored, "The payload has no alert, so the device shows nothing.")
        }
        if let hidden = reactionWithoutPermission { return hidden }
        if app.state == .foreground, !app.presentsInForeground {
            return Reaction(
                .woke, shows: .app, "The app is in the foreground and gets the push; the system shows nothing.")
        }
        if content.hasAlert, platform != .tvOS { return Reaction(.shown, shows: .notification, notificationText) }
        return reaction(toBadgeAndSoundOf: content)
    }

    private var reactionWithoutPermission: Reaction? {
        switch permission.authorization {
        case .denied:
            Reaction(.ignored, "The user does not allow notifications of the app, so the device shows nothing.")
        case .notDetermined:
            Reaction(.ignored, "The app has not asked whether it may show notifications, so the device shows nothing.")
        case .authorized, .provisional: nil
        }
    }

    private var notificationText: String {
        if permission.authorization == .provisional {
            return "The notification is in Notification Center only, without a sound: the app may notify provisionally."
        }
        return permission.showsBanners
            ? "The device shows a notification."
            : "The notification is in Notification Center only: the user has switched off banners of the app."
    }

    private func reaction(toBadgeAndSoundOf content: NotificationContent) -> Reaction {
        let without = content.hasAlert ? "A device with tvOS shows no alerts" : "The payload has no alert"
        let number = permission.showsBadge ? content.badge : nil
        let plays = content.hasSound && playsSound
        if let number {
            let what = number == 0 ? "removes the number from the app's icon" : "puts \(number) on the app's icon"
            return Reaction(.shown, "\(without): the device only \(what)\(plays ? " and plays a sound" : "").")
        }
        if plays { return Reaction(.shown, "\(without): the device only plays a sound.") }
        if content.hasAlert { return Reaction(.ignored, "\(without).") }
        if platform == .tvOS { return Reaction(.ignored, "\(without), and a device with tvOS plays no sound.") }
        if permission.authorization == .provisional {
            return Reaction(.ignored, "\(without), and an app that may notify provisionally makes no sound.")
        }
        let off = [content.badge != nil ? "badges" : nil, content.hasSound ? "sounds" : nil].compactMap { $0 }
        return Reaction(.ignored, "\(without), and the user has switched off \(list(off, "and")) of the app.")
    }

    /// Whether a notification that is shown sets the badge.
    var setsBadge: Bool { permission.showsBadge }

    /// Whether a notification that is shown lights the screen.
    var showsBanner: Bool { permission.showsBanners && permission.authorization != .provisional }

    /// Whether what is shown may be heard.
    var playsSound: Bool { permission.allowsSound && platform != .tvOS }
}

extension Platform {
    /// Why a device with it has no Live Activities, as a sentence; `nil` if it has.
    var reasonWithoutActivities: String? {
        switch self {
        case .iOS, .iPadOS: nil
        case .macOS, .watchOS, .tvOS, .visionOS: "A device with \(rawValue) has no Live Activities of its own."
        }
    }
}
