extension LiveActivity {
    /// Appends the Live Activity as a JSON object: an element of `activities` in the API.
    ///
    /// - Parameter now: the time on the scenario's clock, which determines whether the content is stale.
    package func appendJSON(at now: Timestamp, to output: inout [UInt8]) {
        let sequence = sequence.map(String.init) ?? "null"
        output.append(contentsOf: #"{"sequence":\#(sequence),"event":"\#(event.rawValue)""#.utf8)
        output.appendMember("name", name)
        output.appendMember("topic", app)
        output.appendMember("token", token?.hex)
        output.appendMember("attributesType", attributesType)
        output.appendMember("attributes", attributes)
        output.appendMember("state", state)
        output.appendMember("startedAt", startedAt)
        output.appendMember("staleDate", staleDate)
        output.append(contentsOf: #","isStale":\#(isStale(at: now))"#.utf8)
        output.appendMember("endsAt", endsAt)
        output.appendMember("relevanceScore", relevanceScore)
        output.appendAlert(shownAlert)
        output.appendMember("channel", channel)
        output.append(contentsOf: #","ignored":"#.utf8)
        output.appendList(ignored) { output, push in
            output.append(contentsOf: #"{"sequence":\#(push.sequence)"#.utf8)
            output.appendMember("why", push.why)
            output.append(UInt8(ascii: "}"))
        }
        output.append(UInt8(ascii: "}"))
    }
}

extension LiveActivityPush {
    /// Appends the content of the push as a JSON object.
    func appendJSON(to output: inout [UInt8]) {
        output.append(contentsOf: #"{"event":"\#(event.rawValue)""#.utf8)
        output.appendMember("timestamp", timestamp)
        output.appendMember("attributesType", attributesType)
        output.appendMember("attributes", attributes)
        output.appendMember("state", state)
        output.appendMember("staleDate", staleDate)
        output.appendMember("dismissalDate", dismissalDate)
        output.appendMember("relevanceScore", relevanceScore)
        output.appendAlert(shownAlert)
        output.appendMember("channel", channel)
        output.append(UInt8(ascii: "}"))
    }
}

extension [UInt8] {
    fileprivate mutating func appendAlert(_ alert: LiveActivityAlert?) {
        appendKey("alert")
        if let alert { alert.appendJSON(to: &self) } else { append(contentsOf: "null".utf8) }
    }
}
