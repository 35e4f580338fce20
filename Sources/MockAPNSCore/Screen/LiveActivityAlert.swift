/// What a push tells the user beside changing a Live Activity: `alert` in its payload, as a person reads it.
///
/// The texts may name strings of the app by `loc-key` and `loc-args` inside `title` and `body`; see
/// [Starting and updating Live Activities with ActivityKit push notifications](https://developer.apple.com/documentation/activitykit/starting-and-updating-live-activities-with-activitykit-push-notifications).
package struct LiveActivityAlert: Sendable, Equatable {
    /// The bold line.
    package var title: String?
    /// The text.
    package var body: String?
    /// The name of its sound; `nil` for silent.
    package var sound: String?
    /// Sentences on what a device does that the payload does not show.
    package var notes: [String] = []

    /// Returns whether an alert has a text. Unlike a notification's, it has no `title-loc-key` and `loc-key` of its own.
    package static func isSomethingToRead(_ alert: JSONText.Value) -> Bool {
        let texts = alert.object == nil ? [alert] : ["title", "body"].compactMap { alert[$0] }
        return texts.contains { ($0.string ?? $0["loc-key"]?.string)?.isEmpty == false }
    }

    init(_ alert: JSONText.Value, _ app: App?) {
        body = alert.string
        guard alert.object != nil else { return }
        title = text("title", of: alert, app)
        body = text("body", of: alert, app)
        let (named, note) = App.sound(alert["sound"]?.string, in: app)
        sound = named
        if let note { notes.append(note) }
    }

    private mutating func text(_ name: String, of alert: JSONText.Value, _ app: App?) -> String? {
        guard let value = alert[name] else { return nil }
        guard let key = value["loc-key"]?.string else { return value.string }
        let arguments = (value["loc-args"]?.array ?? []).map(\.asArgument)
        guard let format = app?.text(for: key) else {
            let place = app?.searchedLanguages ?? ""
            notes.append(
                "There is no string for the loc-key \(key.quotedForPeople) of \"\(name)\"\(place); a device shows the key."
            )
            return AppStrings.fill(key, arguments).text
        }
        return AppStrings.fill(format, arguments).text
    }
}

extension LiveActivityAlert {
    /// Appends it as a JSON object.
    func appendJSON(to output: inout [UInt8]) {
        output.append(contentsOf: #"{"title":"#.utf8)
        output.appendJSON(title)
        output.appendMember("body", body)
        output.appendMember("sound", sound)
        output.appendMember("notes", notes)
        output.append(UInt8(ascii: "}"))
    }
}
