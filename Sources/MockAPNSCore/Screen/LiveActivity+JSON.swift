extension LiveActivity {
    /// Appends it as a JSON object: an element of `activities` in the API.
    ///
    /// - Parameter now: the time by the scenario's clock; it decides whether what is shown is outdated.
    package func appendJSON(at now: Timestamp, to output: inout [UInt8]) {
        output.append(contentsOf: #"{"sequence":\#(sequence),"event":"\#(event.rawValue)","attributesType":"#.utf8)
        output.appendJSON(attributesType)
        output.append(contentsOf: #","attributes":"#.utf8)
        output.appendJSON(attributes)
        output.append(contentsOf: #","state":"#.utf8)
        output.appendJSON(state)
        output.append(contentsOf: #","startedAt":"#.utf8)
        output.appendJSON(startedAt)
        output.append(contentsOf: #","staleDate":"#.utf8)
        output.appendJSON(staleDate)
        output.append(contentsOf: #","isStale":\#(isStale(at: now)),"endsAt":"#.utf8)
        output.appendJSON(endsAt)
        output.append(contentsOf: #","channel":"#.utf8)
        output.appendJSON(channel)
        output.append(contentsOf: #","ignored":"#.utf8)
        output.appendList(ignored) { output, push in
            output.append(contentsOf: #"{"sequence":\#(push.sequence),"why":"#.utf8)
            output.appendJSON(push.why)
            output.append(UInt8(ascii: "}"))
        }
        output.append(UInt8(ascii: "}"))
    }
}

extension [UInt8] {
    fileprivate mutating func appendJSON(_ value: JSONText.Value?) {
        if let value { appendJSON(value) } else { append(contentsOf: "null".utf8) }
    }
}

extension LiveActivityPush {
    /// Appends what the push says as a JSON object.
    func appendJSON(to output: inout [UInt8]) {
        output.append(contentsOf: #"{"event":"\#(event.rawValue)","timestamp":"#.utf8)
        output.appendJSON(timestamp)
        output.append(contentsOf: #","attributesType":"#.utf8)
        output.appendJSON(attributesType)
        output.append(contentsOf: #","attributes":"#.utf8)
        output.appendJSON(attributes)
        output.append(contentsOf: #","state":"#.utf8)
        output.appendJSON(state)
        output.append(contentsOf: #","staleDate":"#.utf8)
        output.appendJSON(staleDate)
        output.append(contentsOf: #","dismissalDate":"#.utf8)
        output.appendJSON(dismissalDate)
        output.append(contentsOf: #","channel":"#.utf8)
        output.appendJSON(channel)
        output.append(UInt8(ascii: "}"))
    }
}
