extension ShownNotification {
    /// Appends it as a JSON object: the member `shown` of the API.
    package func appendJSON(to output: inout [UInt8]) {
        output.append(contentsOf: #"{"app":"#.utf8)
        output.appendJSON(app)
        output.appendMember("title", title)
        output.appendMember("subtitle", subtitle)
        output.appendMember("body", body)
        output.appendMember("level", level.rawValue)
        output.appendMember("sound", sound)
        output.append(contentsOf: #","badge":"#.utf8)
        if let badge { output.appendJSON(badge) } else { output.append(contentsOf: "null".utf8) }
        output.appendMember("thread", thread)
        output.appendMember("category", category)
        output.append(contentsOf: #","actions":"#.utf8)
        output.appendList(actions) { output, action in
            output.append(contentsOf: #"{"title":"#.utf8)
            output.appendJSON(action.title)
            output.append(contentsOf: #","destructive":\#(action.isDestructive)}"#.utf8)
        }
        output.append(contentsOf: #","mutable":\#(isMutable),"notes":"#.utf8)
        output.appendList(notes) { $0.appendJSON($1) }
        output.append(UInt8(ascii: "}"))
    }

    /// The members, by their names in expectations.
    package static let members = [
        "app", "title", "subtitle", "body", "level", "sound", "badge", "thread", "category", "actions", "mutable",
        "notes",
    ]

    /// The notification as JSON, for looking up members.
    package var json: JSONText.Value? {
        var text: [UInt8] = []
        appendJSON(to: &text)
        return try? JSONText.read(text, .recorded)
    }
}
