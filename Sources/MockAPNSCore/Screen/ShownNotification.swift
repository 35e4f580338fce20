/// A notification as the user sees it: its texts in the language of the device, other effects on the device, and notes
/// on what the sender may not expect.
///
/// The keys of `aps` are documented in
/// [Generating a remote notification](https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification).
package struct ShownNotification: Sendable, Equatable {
    /// The app's name on the device.
    package var app: String
    /// The bold line; `nil` shows the app's name there.
    package var title: String?
    /// The line below the title.
    package var subtitle: String?
    /// The text.
    package var body: String?
    /// The interruption level.
    package var level = InterruptionLevel.active
    /// The name of its sound; `nil` for silent.
    package var sound: String?
    /// The badge it sets on the app's icon, 0 for none; `nil` leaves it unchanged.
    package var badge: Int?
    /// The thread it is grouped by; `nil` groups it with the app's others.
    package var thread: String?
    /// The id of its category.
    package var category: String?
    /// The buttons from its category.
    package var actions: [App.Action] = []
    /// Whether a notification service extension may change it before it is displayed. None is run.
    package var isMutable = false
    /// Sentences on what a device does that the payload does not show.
    package var notes: [String] = []

    /// Creates the notification that a payload displays; fails if it has no alert.
    ///
    /// - Parameters:
    ///   - payload: the body of the push.
    ///   - topic: its topic.
    package init?(_ payload: JSONText.Value, topic: String, in apps: Apps) {
        guard let aps = payload["aps"], let alert = aps["alert"], alert.isSomethingToRead else { return nil }
        let app = apps[topic]
        self.app = apps.name(for: topic)
        body = alert.string
        if alert.object != nil {
            title = text("title", "title-loc-key", "title-loc-args", of: alert, app)
            subtitle = text("subtitle", "subtitle-loc-key", "subtitle-loc-args", of: alert, app)
            body = text("body", "loc-key", "loc-args", of: alert, app)
        }
        readLevel(aps["interruption-level"])
        readSound(aps["sound"], app)
        badge = NotificationContent.badge(of: aps).map(Int.init)
        thread = aps["thread-id"]?.string
        category = aps["category"]?.string
        isMutable = aps["mutable-content"]?.int64 == 1
        if isMutable { notes.append("An extension of the app may change it first; the mock runs none.") }
        if let category, let app {
            actions = app.categories[category] ?? []
            if app.categories[category] == nil {
                notes.append("The scenario declares no category \(category.quotedForPeople) for \(app.topic).")
            }
        }
    }

    /// Returns a text of the alert: the localized one if there is a key, otherwise the literal one.
    private mutating func text(
        _ literal: String, _ keyName: String, _ argumentsName: String, of alert: JSONText.Value, _ app: App?
    ) -> String? {
        guard let key = alert[keyName]?.string else { return alert[literal]?.string }
        let arguments = (alert[argumentsName]?.array ?? []).compactMap(\.string)
        guard let format = app?.text(for: key) else {
            notes.append("There is no string for the \(keyName) \(key.quotedForPeople); a device shows the key.")
            return AppStrings.fill(key, arguments).text
        }
        let (text, isWhole) = AppStrings.fill(format, arguments)
        if !isWhole {
            notes.append("\"\(argumentsName)\" has no argument for the string \(format.quotedForPeople).")
        }
        return text
    }

    private mutating func readLevel(_ value: JSONText.Value?) {
        guard let value else { return }
        if let level = value.string.flatMap(InterruptionLevel.init(rawValue:)) {
            self.level = level
        } else {
            notes.append("\(value.forPeople) is not an interruption level; a device treats it as \"active\".")
        }
    }

    private mutating func readSound(_ value: JSONText.Value?, _ app: App?) {
        guard let value else { return }
        sound = value.object == nil ? value.string : value["name"]?.string
        if let name = sound, name != "default", app?.sounds?.contains(name) == false {
            notes.append("The app has no sound \(name.quotedForPeople); a device plays the default one.")
            sound = "default"
        }
        guard value.object != nil else {
            if sound == nil { notes.append("\"sound\" is \(value.forPeople), not the name of one.") }
            return
        }
        guard value["critical"]?.int64 == 1 else { return }
        // Clamped to 0...1.
        let volume = value["volume"]?.double.map { min(max($0, 0), 1) } ?? 1
        let percent = Int((volume * 100).rounded())
        notes.append("Its sound is critical, at \(percent) % of the volume: it is heard even if the device is muted.")
    }
}

extension JSONText.Value {
    /// Whether it is a non-empty alert; see ``NotificationContent/hasAlert``.
    fileprivate var isSomethingToRead: Bool {
        switch content {
        case .string(let text): !text.isEmpty
        case .object(let members): !members.isEmpty
        default: false
        }
    }
}
