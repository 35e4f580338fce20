/// The member `activity` of a log event `device`: a Live Activity on a broadcast channel started or ended.
///
/// An end because of a push from its channel, or after 8 hours, has no event.
package struct ActivityChange: Sendable, Hashable {
    /// The kind of change.
    package enum State: String, Sendable, CaseIterable {
        /// It started.
        case started
        /// It did not start.
        case failed
        /// The app ended it.
        case ended
        /// The user dismissed it, the app was removed, or its notifications were turned off: it left the screen.
        case dismissed
    }

    /// The kind of change.
    package private(set) var state: State
    /// Its name.
    package private(set) var name: String?
    /// The id of the channel; one that no channel has, if it did not start.
    package private(set) var channel: String
    /// The name of the channel in the scenario.
    package internal(set) var channelName: String?
    /// The sequence number of the push to the device that started it.
    package var sequence: Int?
    /// Whether pushes from the channel update it; not if the channel is of the other environment.
    private(set) var updates = true
    /// Why it did not start, or never updates, as a sentence.
    package internal(set) var explanation: String?

    init(_ state: State, name: String?, channel: String) {
        (self.state, self.name, self.channel) = (state, name, channel)
    }

    init(_ state: State, _ activity: LiveActivity) {
        self.init(state, name: activity.name, channel: activity.channel ?? "")
    }

    mutating func take(_ channel: BroadcastChannel) {
        (self.channel, channelName) = (channel.id.description, channel.name)
    }

    mutating func fail(_ explanation: String) { (state, self.explanation) = (.failed, explanation) }

    mutating func neverUpdates(_ explanation: String) { (updates, self.explanation) = (false, explanation) }
}

// MARK: The JSON line

extension ActivityChange {
    /// Appends the change as a JSON object.
    func appendJSON(to line: inout [UInt8]) {
        line.append(contentsOf: #"{"state":"\#(state.rawValue)""#.utf8)
        line.appendMember("name", name)
        line.appendMember("channel", channel)
        line.appendMember("channelName", channelName)
        if let sequence { line.appendMember("sequence", sequence) }
        if !updates { line.append(contentsOf: #","updates":false"#.utf8) }
        line.appendMember("explanation", explanation)
        line.append(UInt8(ascii: "}"))
    }

    /// Reads the change from a recorded event; fails for a state that only a later version knows.
    init?(_ value: JSONText.Value) {
        guard let state = value["state"]?.string.flatMap(State.init(rawValue:)), let channel = value["channel"]?.string
        else { return nil }
        self.init(state, name: value["name"]?.string, channel: channel)
        channelName = value["channelName"]?.string
        sequence = value["sequence"]?.int64.flatMap { Int(exactly: $0) }
        updates = value["updates"]?.bool ?? true
        explanation = value["explanation"]?.string
    }
}

// MARK: The frame

extension ActivityChange {
    func append(to frame: inout [UInt8]) {
        frame.append(UInt8(State.allCases.firstIndex(of: state) ?? 0))
        frame.appendText(name)
        frame.appendText(channel)
        frame.appendText(channelName)
        frame.appendNumber(ifAny: sequence)
        frame.append(updates ? 1 : 0)
        frame.appendText(explanation)
    }

    init(_ frame: inout FrameInput) throws(FrameMistake) {
        let state: Int = try frame.number(atMost: State.allCases.count - 1)
        self.init(State.allCases[state], name: try frame.textIfAny(), channel: try frame.textIfAny() ?? "")
        channelName = try frame.textIfAny()
        sequence = try frame.numberIfAny(atMost: 1 << 52)
        updates = try frame.flag()
        explanation = try frame.textIfAny()
    }
}
