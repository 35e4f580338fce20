import MockAPNSCore

extension ScenarioReader {
    /// Reads `apps`: the names of the apps on the devices, and the texts of their notifications.
    mutating func apps(_ value: Value) -> [App] {
        var indices: [String: Int] = [:]
        var index = 0
        return list(value, of: "apps") { reader, value in
            defer { index += 1 }
            guard let app = reader.app(value) else { return nil }
            if let first = indices.updateValue(index, forKey: app.topic) {
                reader.noteKey(
                    "topic", of: value, "is already the topic of apps[\(first)]; expected each topic once",
                    isCrossReference: true)
            }
            return app
        }
    }

    private mutating func app(_ value: Value) -> App? {
        enum Key: String, CaseIterable { case topic, name, language, developmentLanguage, strings, sounds, categories }
        var app = App(topic: "")
        var topic: String?
        let isObject = object(value, "an app", example: #"{"topic": "com.example.app", "name": "Example"}"#, Key.self) {
            reader, key, value in
            switch key {
            case .topic: topic = reader.topic(value)
            case .name: app.name = reader.name(value)
            case .language: app.language = reader.filledText(value, "a language such as \"en\" or \"pt-BR\"")
            case .developmentLanguage:
                app.developmentLanguage = reader.filledText(value, "a language such as \"en\" or \"pt-BR\"")
            case .strings: reader.strings(value, into: &app)
            case .sounds:
                app.sounds = Set(reader.list(value, of: "sounds") { $0.filledText($1, "the name of a sound") })
            case .categories: app.categories = reader.categories(value)
            }
        }
        if isObject, value["topic"] == nil { missing("topic", in: value, expected: "the app's bundle id") }
        guard isObject, let topic else { return nil }
        app.topic = topic
        return app
    }

    private mutating func strings(_ value: Value, into app: inout App) {
        guard value.object == nil else {
            freeObject(value, "strings by language") { reader, language in
                var strings: [String: String] = [:]
                reader.freeObject(language.value, "an object with a text for each key, such as {\"HELLO\": \"Hello\"}")
                { reader, string in
                    strings[string.key] = reader.text(string.value, "the text of the key, a string")
                }
                app.strings.languages[language.key] = strings
            }
            return
        }
        guard let path = value.string, path.hasSuffix(".strings") || path.hasSuffix(".xcstrings") else {
            return wrong(
                value, expected: "{\"en\": {KEY: TEXT}}, or the path of a file that ends in .strings or .xcstrings")
        }
        guard allowsFiles else {
            return note(
                value.offset, "names a file; expected the strings themselves, because this scenario is not a file")
        }
        app.stringsFile = path
    }

    private mutating func categories(_ value: Value) -> [String: [App.Action]] {
        enum Key: String, CaseIterable { case id, actions }
        var categories: [String: [App.Action]] = [:]
        _ = list(value, of: "categories") { reader, value -> Void? in
            var id: String?
            var actions: [App.Action] = []
            let isObject = reader.object(
                value, "a category", example: #"{"id": "INVITATION", "actions": [{"title": "Accept"}]}"#, Key.self
            ) { reader, key, value in
                switch key {
                case .id: id = reader.filledText(value, "the id of a category")
                case .actions: actions = reader.list(value, of: "actions") { $0.action($1) }
                }
            }
            if isObject, value["id"] == nil { reader.missing("id", in: value, expected: "the id that payloads name") }
            guard let id else { return nil }
            if categories.updateValue(actions, forKey: id) != nil {
                reader.noteKey("id", of: value, "is repeated; expected each id once", isCrossReference: true)
            }
            return nil
        }
        return categories
    }

    private mutating func action(_ value: Value) -> App.Action? {
        enum Key: String, CaseIterable { case title, destructive }
        var title: String?
        var isDestructive = false
        let isObject = object(value, "an action", example: #"{"title": "Accept"}"#, Key.self) { reader, key, value in
            switch key {
            case .title: title = reader.filledText(value, "the title of the button")
            case .destructive: isDestructive = reader.bool(value) ?? false
            }
        }
        if isObject, value["title"] == nil { missing("title", in: value, expected: "the title of the button") }
        return title.map { App.Action(title: $0, isDestructive: isDestructive) }
    }

    /// Reads `storage`: the number of stored pushes per device and topic.
    mutating func storagePerTopic(_ value: Value) -> Int {
        enum Key: String, CaseIterable { case perTopic }
        var count = 1
        object(value, "\"storage\"", example: #"{"perTopic": 100}"#, Key.self) { reader, _, value in
            count = reader.integer(value, in: 1...1000) ?? 1
        }
        if value.object != nil, value["perTopic"] == nil {
            missing("perTopic", in: value, expected: "how many pushes are stored for a device and topic")
        }
        return count
    }
}
