/// An app on the scenario's devices, an element of `apps`. It determines what the user sees of its notifications.
package struct App: Sendable, Equatable {
    /// A button that a category adds to notifications; see
    /// [UNNotificationAction](https://developer.apple.com/documentation/usernotifications/unnotificationaction).
    package struct Action: Sendable, Equatable {
        /// The title of the button.
        package var title: String
        /// Whether it is displayed as destructive.
        package var isDestructive: Bool

        /// Creates a button.
        package init(title: String, isDestructive: Bool) { (self.title, self.isDestructive) = (title, isDestructive) }
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
    /// The actions of its notification categories, by category id.
    package var categories: [String: [Action]] = [:]

    package init(topic: String) { self.topic = topic }

    /// Returns the string for a key in the language of the device.
    func text(for key: String) -> String? {
        var strings = strings
        strings.sourceLanguage = developmentLanguage ?? strings.sourceLanguage
        return strings.text(for: key, in: language)
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
