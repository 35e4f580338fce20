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
            output.append(contentsOf: #"{"id":"#.utf8)
            output.appendJSON(action.id)
            output.appendMember("title", action.title)
            output.append(contentsOf: #","destructive":\#(action.options.contains(.destructive))"#.utf8)
            output.appendMember("options", App.Action.Option.allCases.filter(action.options.contains).map(\.rawValue))
            output.appendKey("textInput")
            if let input = action.textInput {
                input.appendJSON(to: &output)
            } else {
                output.append(contentsOf: "null".utf8)
            }
            output.append(UInt8(ascii: "}"))
        }
        output.append(contentsOf: #","banner":\#(hasBanner)"#.utf8)
        output.appendMember("hiddenBody", hiddenBody)
        output.append(contentsOf: #","mutable":\#(isMutable),"attachment":\#(hasAttachment),"notes":"#.utf8)
        output.appendList(notes) { $0.appendJSON($1) }
        output.append(UInt8(ascii: "}"))
    }

    /// The members, by their names in expectations.
    package static let members = [
        "app", "title", "subtitle", "body", "level", "sound", "badge", "thread", "category", "actions", "banner",
        "hiddenBody", "mutable", "attachment", "notes",
    ]

    /// The notification as JSON, for looking up members.
    package var json: JSONText.Value? {
        var text: [UInt8] = []
        appendJSON(to: &text)
        return try? JSONText.read(text, .recorded)
    }
}

extension App.Action.TextInput {
    fileprivate func appendJSON(to output: inout [UInt8]) {
        output.append(contentsOf: #"{"button":"#.utf8)
        output.appendJSON(button)
        output.appendMember("placeholder", placeholder)
        output.append(UInt8(ascii: "}"))
    }
}
