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
    /// Whether the app is told when the user dismisses it, as its category says.
    package var tellsOfDismissal = false
    /// Whether it lights the screen; else it is in Notification Center only.
    package var hasBanner = true
    /// What stands for ``body`` where the user has hidden previews, if its category says so; `%u` in that is how many
    /// notifications of the ``thread`` are displayed.
    package var hiddenBody: String? { hiddenFormat?.replacing("%u", with: String(countOfThread)) }
    /// How many notifications of the app and the ``thread`` are displayed, this one included.
    package var countOfThread = 1
    private var hiddenFormat: String?
    /// Whether a notification service extension may change it before it is displayed.
    package var isMutable = false
    /// Whether the extension has attached something, such as a picture.
    package var hasAttachment = false
    /// The volume of a critical sound, in percent; `nil` if the sound is not critical, or the device plays none.
    private var criticalVolume: Int?
    /// Whether its category has more actions than a banner shows.
    private var hasMoreActionsThanABanner = false
    /// Those of ``notes`` that hold whatever the user's settings are.
    private var ownNotes: [String] = []

    /// Sentences on what a device does that the payload does not show.
    package var notes: [String] {
        var notes = ownNotes
        if let criticalVolume {
            notes.append(
                "Its sound is critical, at \(criticalVolume) % of the volume: it is heard even if the device is muted.")
        }
        if hasBanner, hasMoreActionsThanABanner {
            notes.append("A banner shows the first \(App.Category.bannerActions) of its actions.")
        }
        return notes
    }

    /// Creates the notification that a payload displays; fails if it has no alert.
    ///
    /// - Parameters:
    ///   - payload: the body of the push.
    ///   - topic: its topic.
    package init?(_ payload: JSONText.Value, topic: String, in apps: Apps) {
        guard payload["aps"]?["alert"]?.isSomethingToRead == true else { return nil }
        let app = apps[topic]
        self.app = apps.name(for: topic)
        isMutable = payload["aps"]?["mutable-content"]?.int64 == 1
        if isMutable, payload["aps"]?["alert"]?.object == nil {
            isMutable = false
            ownNotes.append("The app's extension does not run: it needs an alert that is an object.")
        }
        let payload = isMutable ? extended(payload, by: app) : payload
        guard let aps = payload["aps"], let alert = aps["alert"] else { return nil }
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
        if let category, let app { show(app.categories[category], of: app, category) }
        if level == .passive {
            hasBanner = false
            silence()
        }
    }

    /// Returns the payload as the app's extension leaves it.
    private mutating func extended(_ payload: JSONText.Value, by app: App?) -> JSONText.Value {
        guard let its = app?.serviceExtension else {
            ownNotes.append("An extension of the app may change it first; the scenario declares none.")
            return payload
        }
        guard its.takes <= App.Extension.longestTime else {
            ownNotes.append(
                "The app's extension takes \(DurationText.text(its.takes)); after 30s the device shows the original.")
            return payload
        }
        hasAttachment = its.attaches
        var extended = payload
        for (pointer, value) in its.replace {
            guard let changed = extended.replacing(pointer.parts[...], with: value) else {
                let place = pointer.description.quotedForPeople
                ownNotes.append("The payload has no place for \(place) of the app's extension.")
                continue
            }
            extended = changed.withoutKey(ofTextAt: pointer)
        }
        guard extended["aps"]?["alert"]?.isSomethingToRead == true else {
            ownNotes.append("The app's extension leaves no text; the device shows the original.")
            return payload
        }
        if !extended.means(payload) { ownNotes.append("The app's extension has changed it.") }
        return extended
    }

    private mutating func show(_ category: App.Category?, of app: App, _ id: String) {
        guard let category else {
            ownNotes.append("The scenario declares no category \(id.quotedForPeople) for \(app.topic).")
            return
        }
        (hiddenFormat, tellsOfDismissal) = (category.hiddenPreviewsBodyPlaceholder, category.tellsOfDismissal)
        actions = Array(category.actions.prefix(App.Category.shownActions))
        let (count, shown) = (category.actions.count, App.Category.shownActions)
        if count > shown { ownNotes.append("Its category has \(count) actions; a device shows the first \(shown).") }
        hasMoreActionsThanABanner = count > App.Category.bannerActions
    }

    /// Returns a text of the alert: the localized one if there is a key, otherwise the literal one.
    private mutating func text(
        _ literal: String, _ keyName: String, _ argumentsName: String, of alert: JSONText.Value, _ app: App?
    ) -> String? {
        guard let key = alert[keyName]?.string else { return alert[literal]?.string }
        let arguments = (alert[argumentsName]?.array ?? []).map(\.asArgument)
        guard let format = app?.text(for: key) else {
            let place = app?.searchedLanguages ?? ""
            ownNotes.append(
                "There is no string for the \(keyName) \(key.quotedForPeople)\(place); a device shows the key.")
            return AppStrings.fill(key, arguments).text
        }
        let (text, isWhole) = AppStrings.fill(format, arguments)
        if !isWhole {
            ownNotes.append("\"\(argumentsName)\" has no argument for the string \(format.quotedForPeople).")
        }
        return text
    }

    private mutating func readLevel(_ value: JSONText.Value?) {
        guard let value else { return }
        if let level = value.string.flatMap(InterruptionLevel.init(rawValue:)) {
            self.level = level
        } else {
            ownNotes.append("\(value.forPeople) is not an interruption level; a device treats it as \"active\".")
        }
    }

    private mutating func readSound(_ value: JSONText.Value?, _ app: App?) {
        guard let value else { return }
        sound = value.object == nil ? value.string : value["name"]?.string
        if sound?.isEmpty == true { sound = nil }
        let (played, note) = App.sound(sound, in: app)
        sound = played
        if let note { ownNotes.append(note) }
        guard value.object != nil else {
            if sound == nil { ownNotes.append("\"sound\" is \(value.forPeople), not the name of one.") }
            return
        }
        guard sound != nil else { return ownNotes.append("\"sound\" has no \"name\", so the device plays none.") }
        guard value["critical"]?.int64 == 1 else { return }
        // Clamped to 0...1.
        let volume = value["volume"]?.double.map { min(max($0, 0), 1) } ?? 1
        criticalVolume = Int((volume * 100).rounded())
    }
}

extension ShownNotification {
    private mutating func silence() { (sound, criticalVolume) = (nil, nil) }

    /// Takes away what the user's settings do not allow.
    mutating func present(in circumstances: Circumstances) {
        if !circumstances.showsBanner { hasBanner = false }
        if !circumstances.playsSound { silence() }
        if !circumstances.setsBadge { badge = nil }
    }
}

extension JSONText.Value {
    /// Returns the value with another in one place, which is made if an object has no such member; `nil` if there cannot
    /// be one.
    fileprivate func replacing(_ path: ArraySlice<String>, with value: JSONText.Value) -> JSONText.Value? {
        guard let key = path.first else { return value }
        let rest = path.dropFirst()
        if var elements = array {
            guard let index = JSONPointer.index(key), elements.indices.contains(index),
                let changed = elements[index].replacing(rest, with: value)
            else { return nil }
            elements[index] = changed
            return JSONText.Value(offset: offset, content: .array(elements))
        }
        guard var members = object else { return nil }
        let index = members.lastIndex { $0.key == key }
        let old = index.map { members[$0].value } ?? JSONText.Value(offset: offset, content: .object([]))
        guard let changed = old.replacing(rest, with: value) else { return nil }
        let member = JSONText.Member(key: key, keyOffset: 0, value: changed)
        if let index { members[index] = member } else { members.append(member) }
        return JSONText.Value(offset: offset, content: .object(members))
    }

    /// Returns the value without the key of the text in a place: what an extension gets has been translated already.
    fileprivate func withoutKey(ofTextAt pointer: JSONPointer) -> JSONText.Value {
        guard pointer.parts.dropLast() == ["aps", "alert"], let text = pointer.parts.last,
            ["title", "subtitle", "body"].contains(text), let members = self["aps"]?["alert"]?.object
        else { return self }
        let key = text == "body" ? "loc-key" : "\(text)-loc-key"
        let alert = JSONText.Value(offset: offset, content: .object(members.filter { $0.key != key }))
        return replacing(["aps", "alert"], with: alert) ?? self
    }

    /// Whether it is an alert with a text; see ``NotificationContent/hasAlert``.
    var isSomethingToRead: Bool {
        switch content {
        case .string(let text): !text.isEmpty
        case .object: NotificationContent.texts.contains { self[$0]?.string?.isEmpty == false }
        default: false
        }
    }
}
