/// An app on the scenario's devices, as an element of `apps`: what a person reads of its notifications depends on it.
package struct App: Sendable, Equatable {
    /// A button that a category adds to notifications; see
    /// [UNNotificationAction](https://developer.apple.com/documentation/usernotifications/unnotificationaction).
    package struct Action: Sendable, Equatable {
        /// What the button says.
        package var title: String
        /// Whether it is shown as one that destroys something.
        package var isDestructive: Bool
    }

    /// The bundle id; it stands for the topics with a push type's suffix as well.
    package var topic: String
    /// What the device calls it; `nil`: the last part of ``topic``.
    package var name: String?
    /// The language of the device; `nil`: the one in which the app was written.
    package var language: String?
    /// What its `loc-key`s stand for.
    package var strings = AppStrings()
    /// The file with its strings, relative to the scenario's, as long as nobody has read it.
    package var stringsFile: String?
    /// The actions of its notification categories, by the ids of these.
    package var categories: [String: [Action]] = [:]

    package init(topic: String) { self.topic = topic }

    /// What a key stands for in the language of the device.
    func text(for key: String) -> String? { strings.text(for: key, in: language) }
}

/// The apps of a scenario, by their topics.
package struct Apps: Sendable {
    private var byTopic: [String: App] = [:]

    init(_ apps: [App]) {
        for app in apps { byTopic[app.topic] = app }
    }

    /// The files with strings that nobody has read yet, by the topics of their apps.
    package var stringsFiles: [(topic: String, path: String)] {
        byTopic.values.compactMap { app in app.stringsFile.map { (app.topic, $0) } }.sorted { $0 < $1 }
    }

    /// Sets what a file with strings says.
    package mutating func setStrings(_ strings: AppStrings, ofApp topic: String) {
        byTopic[topic]?.strings = strings
        byTopic[topic]?.stringsFile = nil
    }

    /// The app that a topic belongs to, if the scenario declares it.
    subscript(topic: String) -> App? { byTopic[topic] ?? byTopic[Self.bundleID(of: topic)] }

    /// What a device calls the app of a topic.
    func name(for topic: String) -> String {
        self[topic]?.name ?? Self.bundleID(of: topic).split(separator: ".").last.map(String.init) ?? topic
    }

    /// A topic without the suffix that some push types add to the bundle id.
    static func bundleID(of topic: String) -> String {
        for type in PushType.allCases {
            if let suffix = type.topicSuffix, topic.hasSuffix(suffix), topic.utf8.count > suffix.utf8.count {
                return String(topic.dropLast(suffix.count))
            }
        }
        return topic
    }
}
