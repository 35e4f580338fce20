/// An app on the scenario's devices, an element of `apps`. It determines what the user sees of its notifications.
package struct App: Sendable {
    /// A button that a category adds to notifications; see
    /// [UNNotificationAction](https://developer.apple.com/documentation/usernotifications/unnotificationaction).
    package struct Action: Sendable, Equatable {
        /// What it does besides telling the app; see
        /// [UNNotificationActionOptions](https://developer.apple.com/documentation/usernotifications/unnotificationactionoptions).
        package enum Option: String, Sendable, CaseIterable {
            /// It opens the app.
            case foreground
            /// It is displayed as destructive.
            case destructive
            /// The device has to be unlocked.
            case authenticationRequired
        }

        /// The text that the button asks for; see
        /// [UNTextInputNotificationAction](https://developer.apple.com/documentation/usernotifications/untextinputnotificationaction).
        package struct TextInput: Sendable, Equatable {
            /// The title of the button that sends the text.
            package var button: String?
            /// What is in the empty field.
            package var placeholder: String?

            package init() {}
        }

        /// The id that the app gets; the title if it has none of its own.
        package var id: String
        /// The title of the button.
        package var title: String
        /// What it does besides telling the app.
        package var options: Set<Option> = []
        /// The text that it asks for; `nil` for none.
        package var textInput: TextInput?

        /// Creates a button.
        package init(id: String? = nil, title: String) { (self.id, self.title) = (id ?? title, title) }
    }

    /// A kind of notification of the app; see
    /// [UNNotificationCategory](https://developer.apple.com/documentation/usernotifications/unnotificationcategory).
    package struct Category: Sendable {
        /// Maximum number of actions that a device shows.
        static let shownActions = 4
        /// Maximum number of actions on a banner.
        static let bannerActions = 2

        /// Its buttons.
        package var actions: [Action] = []
        /// What stands for the text where the user has hidden previews; `%u` in it is how many notifications of the
        /// thread are displayed.
        package var hiddenPreviewsBodyPlaceholder: String?
        /// Whether the app is told when the user dismisses a notification.
        package var tellsOfDismissal = false

        package init() {}
    }

    /// What the app's notification service extension makes of a push with `mutable-content`; see
    /// [UNNotificationServiceExtension](https://developer.apple.com/documentation/usernotifications/unnotificationserviceextension).
    package struct Extension: Sendable {
        /// The time that an extension has, in milliseconds; after that, the device shows the original.
        static let longestTime: Int64 = 30_000

        /// How long it takes, in milliseconds.
        package var takes: Int64 = 0
        /// The values that it puts into the payload, by their places.
        package var replace: [(pointer: JSONPointer, value: JSONText.Value)] = []
        /// Whether it attaches something, such as a picture.
        package var attaches = false

        package init() {}
    }

    /// The bundle id; it also covers topics with the suffix of a push type.
    package var topic: String
    /// The app's name on the device; `nil` means the last part of ``topic``.
    package var name: String?
    /// The language of the device; `nil` means the app's development language.
    package var language: String?
    /// The language that counts where there are no strings in that of the device; `nil` means that of its string catalog,
    /// otherwise English.
    package var developmentLanguage: String?
    /// The strings for its `loc-key`s.
    package var strings = AppStrings()
    /// The names of its sounds; `nil` if they are not known, so that any name may be right.
    package var sounds: Set<String>?
    /// The file with its strings, relative to the scenario's, until it has been read.
    package var stringsFile: String?
    /// Its kinds of notifications, by their ids.
    package var categories: [String: Category] = [:]
    /// Its notification service extension; `nil` if it has none.
    package var serviceExtension: Extension?

    package init(topic: String) { self.topic = topic }

    /// Returns the sound that a device plays for a name, and a sentence if that is another one.
    static func sound(_ name: String?, in app: App?) -> (name: String?, note: String?) {
        guard let name, name != "default", app?.sounds?.contains(name) == false else { return (name, nil) }
        return ("default", "The app has no sound \(name.quotedForPeople); a device plays the default one.")
    }

    /// Returns the string for a key in the language of the device.
    func text(for key: String) -> String? { ownStrings.text(for: key, in: language) }

    /// Where a string was looked for in vain, as part of a sentence; empty if that is not known.
    var searchedLanguages: String {
        if let found = ownStrings.shownLanguage(on: language) {
            return found.isEmpty ? "" : " in \(found.quotedForPeople)"
        }
        guard let language, !strings.languages.isEmpty else { return "" }
        return " in \(language.quotedForPeople), nor in a language to fall back to"
    }

    private var ownStrings: AppStrings {
        var strings = strings
        strings.sourceLanguage = developmentLanguage ?? strings.sourceLanguage
        return strings
    }
}

/// The apps of a scenario, by topic.
package struct Apps: Sendable {
    private var byTopic: [String: App] = [:]

    package init(_ apps: [App]) {
        for app in apps { byTopic[app.topic] = app }
    }

    /// The string files not read yet, with the topics of their apps.
    package var stringsFiles: [(topic: String, path: String)] {
        byTopic.values.compactMap { app in app.stringsFile.map { (app.topic, $0) } }.sorted { $0 < $1 }
    }

    /// Sets the strings read from a file.
    package mutating func setStrings(_ strings: AppStrings, ofApp topic: String) {
        byTopic[topic]?.strings = strings
        byTopic[topic]?.stringsFile = nil
    }

    /// Returns the app that a topic belongs to, if the scenario declares it.
    subscript(topic: String) -> App? { byTopic[topic] ?? byTopic[Topic.app(of: topic)] }

    /// Returns the app that a topic belongs to; without a topic, the only one that the scenario declares.
    package func app(of topic: String?) -> App? {
        guard let topic else { return byTopic.count == 1 ? byTopic.values.first : nil }
        return self[topic]
    }

    /// Returns the name of a topic's app on the device.
    func name(for topic: String) -> String {
        self[topic]?.name ?? Topic.app(of: topic).split(separator: ".").last.map(String.init) ?? topic
    }
}
