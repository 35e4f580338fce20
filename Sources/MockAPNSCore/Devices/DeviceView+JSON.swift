extension DeviceView {
    /// Appends the device as a JSON object, with the members of the API.
    ///
    /// `registered` has the form of scenario files, with the time: `{"unregisteredAt":…}`. A payload is the text of the
    /// body without insignificant white space, or `null` for a body that is not JSON.
    ///
    /// - Parameter hasHistory: whether to append the history, which may be long.
    package func appendJSON(to output: inout [UInt8], hasHistory: Bool = true) {
        output.append(contentsOf: #"{"name":"#.utf8)
        output.appendJSON(device.name)
        output.append(contentsOf: #","token":""#.utf8)
        token.appendHex(to: &output)
        output.append(contentsOf: #"","topics":"#.utf8)
        output.appendList(topics) { $0.appendJSON($1) }
        output.append(contentsOf: #","environment":"#.utf8)
        output.appendJSON(device.isSandbox ? "sandbox" : "production")
        device.appendState(to: &output, isWhole: true)
        output.append(contentsOf: #","pushToStartToken":"#.utf8)
        startTokens.appendJSON(to: &output)
        output.append(contentsOf: #","badge":\#(badge),"displayed":"#.utf8)
        output.appendList(displayed) { output, push in
            output.appendStart(push.sequence, push.collapseID, push.payload)
            output.append(contentsOf: #","displayedAt":"#.utf8)
            output.appendJSON(push.displayedAt)
            output.append(contentsOf: #","shown":"#.utf8)
            if let shown = push.shown { shown.appendJSON(to: &output) } else { output.append(contentsOf: "null".utf8) }
            output.append(UInt8(ascii: "}"))
        }
        output.append(contentsOf: #","activities":"#.utf8)
        output.appendList(activities) { $1.appendJSON(at: time, to: &$0) }
        output.append(contentsOf: #","stored":"#.utf8)
        output.appendList(stored) { output, push in
            output.appendStart(push.sequence, push.collapseID, push.payload)
            output.append(contentsOf: #","expiresAt":"#.utf8)
            output.appendJSON(push.expiresAt)
            output.append(UInt8(ascii: "}"))
        }
        output.append(contentsOf: #","received":\#(device.received)"#.utf8)
        if hasHistory {
            output.appendKey("history")
            output.appendList(Array(history.latest)) { $1.appendJSON(to: &$0) }
        }
        output.append(UInt8(ascii: "}"))
    }
}

extension DeviceHistory.Entry {
    fileprivate func appendJSON(to output: inout [UInt8]) {
        output.append(contentsOf: #"{"sequence":\#(sequence)"#.utf8)
        output.appendMember("clock", clock)
        output.appendMember("state", state.rawValue)
        output.appendMember("why", why)
        output.append(UInt8(ascii: "}"))
    }
}

extension [UInt8] {
    fileprivate mutating func appendStart(_ sequence: Int, _ collapseID: String?, _ payload: [UInt8]) {
        append(contentsOf: #"{"sequence":\#(sequence),"collapseID":"#.utf8)
        appendJSON(collapseID)
        append(contentsOf: #","payload":"#.utf8)
        if !JSONText.minify(payload.span, into: &self, for: .everyReader) { append(contentsOf: "null".utf8) }
    }
}
