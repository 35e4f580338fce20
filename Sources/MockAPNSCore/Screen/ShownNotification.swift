/// A notification as a person reads it: its texts in the language of the device, what the device does beside showing it,
/// and what about it is not as the sender may think.
///
/// [Generating a remote notification](https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification)
/// has the keys of `aps`.
package struct ShownNotification: Sendable, Equatable {
    /// How much a notification may disturb; `interruption-level`, as
    /// [UNNotificationInterruptionLevel](https://developer.apple.com/documentation/usernotifications/unnotificationinterruptionlevel)
    /// has it.
    package enum Level: String, Sendable, CaseIterable {
        /// In the list, without light and sound.
        case passive
        /// With light and sound.
        case active
        /// At once, though the user has asked for silence.
        case timeSensitive = "time-sensitive"
        /// With its sound, though the device is muted.
        case critical
    }

    /// What the device calls the app.
    package var app: String
    /// The line in bold; `nil`: the app's name stands there.
    package var title: String?
    /// The line below it.
    package var subtitle: String?
    /// The text.
    package var body: String?
    /// How much it may disturb.
    package var level = Level.active
    /// The name of its sound; `nil`: silent.
    package var sound: String?
    /// The number that it sets on the app's icon, 0 for none; `nil` leaves it as it is.
    package var badge: Int?
    /// What it is grouped by; `nil`: with the others of the app.
    package var thread: String?
    /// The id of its category.
    package var category: String?
    /// The buttons that its category gives it.
    package var actions: [App.Action] = []
    /// Whether a notification service extension may change it before it is shown. None is run.
    package var isMutable = false
    /// What a device does that the payload does not say, in sentences.
    package var notes: [String] = []

    /// What a payload shows; `nil` when it has no alert.
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
        readSound(aps["sound"])
        badge = NotificationContent.badge(of: aps).map(Int.init)
        thread = aps["thread-id"]?.string
        category = aps["category"]?.string
        isMutable = aps["mutable-content"]?.int64 == 1
        if isMutable { notes.append("An extension of the app may change it first; none is run here.") }
        if let category, let app {
            actions = app.categories[category] ?? []
            if app.categories[category] == nil {
                notes.append("The scenario declares no category \(category.quotedForPeople) for \(app.topic).")
            }
        }
    }

    /// A text of the alert: the one that a key stands for, else the literal one.
    private mutating func text(
        _ literal: String, _ keyName: String, _ argumentsName: String, of alert: JSONText.Value, _ app: App?
    ) -> String? {
        guard let key = alert[keyName]?.string else { return alert[literal]?.string }
        guard let format = app?.text(for: key) else {
            notes.append("There is no string for the key \(key.quotedForPeople); a device shows the key.")
            return key
        }
        let arguments = (alert[argumentsName]?.array ?? []).compactMap(\.string)
        let (text, isWhole) = AppStrings.fill(format, arguments)
        if !isWhole {
            notes.append("\"\(argumentsName)\" lacks an argument for the string \(format.quotedForPeople).")
        }
        return text
    }

    private mutating func readLevel(_ value: JSONText.Value?) {
        guard let value else { return }
        if let level = value.string.flatMap(Level.init(rawValue:)) {
            self.level = level
        } else {
            notes.append("\(value.forPeople) is no interruption level; a device takes it for \"active\".")
        }
    }

    private mutating func readSound(_ value: JSONText.Value?) {
        guard let value else { return }
        guard value.object != nil else {
            sound = value.string
            if sound == nil { notes.append("\"sound\" is \(value.forPeople), not the name of one.") }
            return
        }
        sound = value["name"]?.string
        guard value["critical"]?.int64 == 1 else { return }
        // From 0 to 1, whatever somebody has sent.
        let volume = Int((min(max(value["volume"]?.double ?? 1, 0), 1) * 100).rounded())
        notes.append("Its sound is critical, at \(volume) % of the volume: it is heard though the device is muted.")
    }
}

extension JSONText.Value {
    /// Whether it is an alert with something in it; see ``NotificationContent/hasAlert``.
    fileprivate var isSomethingToRead: Bool {
        switch content {
        case .string(let text): !text.isEmpty
        case .object(let members): !members.isEmpty
        default: false
        }
    }
}
