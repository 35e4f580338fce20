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
        enum Key: String, CaseIterable {
            case topic, name, language, developmentLanguage, strings, sounds, categories, `extension`
        }
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
            case .extension: app.serviceExtension = reader.serviceExtension(value)
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

    private mutating func categories(_ value: Value) -> [String: App.Category] {
        enum Key: String, CaseIterable { case id, actions, hiddenPreviewsBodyPlaceholder, customDismissAction }
        var categories: [String: App.Category] = [:]
        _ = list(value, of: "categories") { reader, value -> Void? in
            var id: String?
            var category = App.Category()
            let isObject = reader.object(
                value, "a category", example: #"{"id": "INVITATION", "actions": [{"title": "Accept"}]}"#, Key.self
            ) { reader, key, value in
                switch key {
                case .id: id = reader.filledText(value, "the id of a category")
                case .actions: category.actions = reader.actions(value)
                case .hiddenPreviewsBodyPlaceholder:
                    category.hiddenPreviewsBodyPlaceholder = reader.filledText(value, "what stands for the text")
                case .customDismissAction: category.tellsOfDismissal = reader.bool(value) ?? false
                }
            }
            if isObject, value["id"] == nil { reader.missing("id", in: value, expected: "the id that payloads name") }
            guard let id else { return nil }
            if categories.updateValue(category, forKey: id) != nil {
                reader.noteKey("id", of: value, "is repeated; expected each id once", isCrossReference: true)
            }
            return nil
        }
        return categories
    }

    private mutating func actions(_ value: Value) -> [App.Action] {
        var ids: Set<String> = []
        return list(value, of: "actions") { reader, value in
            let action = reader.action(value)
            if let action, !ids.insert(action.id).inserted, value["id"] != nil {
                reader.noteKey("id", of: value, "is repeated; expected each id once", isCrossReference: true)
            }
            return action
        }
    }

    private mutating func action(_ value: Value) -> App.Action? {
        enum Key: String, CaseIterable { case id, title, options, destructive, textInput }
        var title: String?
        var action = App.Action(title: "")
        let isObject = object(value, "an action", example: #"{"id": "ACCEPT", "title": "Accept"}"#, Key.self) {
            reader, key, value in
            switch key {
            case .id: break
            case .title: title = reader.filledText(value, "the title of the button")
            case .options:
                action.options.formUnion(reader.list(value, of: "options") { $0.word($1, App.Action.Option.self) })
            case .destructive: if reader.bool(value) == true { action.options.insert(.destructive) }
            case .textInput: action.textInput = reader.textInput(value)
            }
        }
        if isObject, value["title"] == nil { missing("title", in: value, expected: "the title of the button") }
        guard let title else { return nil }
        (action.id, action.title) = (title, title)
        if let id = value["id"] { at("id") { action.id = $0.filledText(id, "the id of the action") ?? title } }
        return action
    }

    private mutating func textInput(_ value: Value) -> App.Action.TextInput {
        enum Key: String, CaseIterable { case button, placeholder }
        var input = App.Action.TextInput()
        object(value, "a text input", example: #"{"button": "Send", "placeholder": "Reply"}"#, Key.self) {
            reader, key, value in
            switch key {
            case .button: input.button = reader.filledText(value, "the title of the button")
            case .placeholder: input.placeholder = reader.filledText(value, "what is in the empty field")
            }
        }
        return input
    }

    private mutating func serviceExtension(_ value: Value) -> App.Extension {
        enum Key: String, CaseIterable { case takes, replace, attaches }
        var found = App.Extension()
        object(
            value, "an extension", example: #"{"takes": "2s", "replace": {"/aps/alert/body": "Hello"}}"#, Key.self
        ) { reader, key, value in
            switch key {
            case .takes: found.takes = reader.duration(value) ?? 0
            case .attaches: found.attaches = reader.bool(value) ?? false
            case .replace:
                reader.freeObject(
                    value, "values by their places in the payload, such as {\"/aps/alert/body\": \"Hello\"}"
                ) {
                    reader, member in
                    guard let pointer = reader.pointer(member.key, at: member.keyOffset) else { return }
                    found.replace.append((pointer, member.value))
                }
            }
        }
        return found
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
