/// A Live Activity on a broadcast channel, as a scenario declares it: an element of a device's `activities`.
package struct DeclaredActivity: Sendable, Hashable {
    /// The name, to end it by.
    package var name: String?
    /// The name or the id of the channel.
    package var channel: String

    /// Creates a Live Activity without a name.
    package init(channel: String) { self.channel = channel }

    /// Returns whether an app may have a Live Activity on a device with these topics: one is the app's, or there are none.
    static func mayStart(_ app: String, on topics: [String]) -> Bool {
        topics.isEmpty
            || topics.contains { $0 == app || $0.hasPrefix(app + ".push-type.") || $0 == app + ".voip" }
    }
}

/// The member `activity` of a log event `device`: a Live Activity on a broadcast channel started or ended.
///
/// One that ends because of a push from its channel, or after 8 hours, has no event.
package struct ActivityChange: Sendable, Hashable {
    /// The kind of change.
    package enum State: String, Sendable {
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
    package internal(set) var sequence: Int?
    /// Whether the device was online; not written, since the event says so anyway.
    package internal(set) var isOnline = true
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

    /// Appends the change as a JSON object.
    func appendJSON(to output: inout [UInt8]) {
        output.append(contentsOf: #"{"state":"\#(state.rawValue)""#.utf8)
        output.appendMember("name", name)
        output.appendMember("channel", channel)
        output.appendMember("channelName", channelName)
        if let sequence { output.append(contentsOf: #","sequence":\#(sequence)"#.utf8) }
        output.appendMember("explanation", explanation)
        output.append(UInt8(ascii: "}"))
    }
}

extension ActivityChange {
    /// Reads the change from a recorded event; fails for a state that only a later version knows.
    init?(_ value: JSONText.Value) {
        guard let state = value["state"]?.string.flatMap(State.init(rawValue:)), let channel = value["channel"]?.string
        else { return nil }
        self.init(state, name: value["name"]?.string, channel: channel)
        channelName = value["channelName"]?.string
        sequence = value["sequence"]?.int64.flatMap { Int(exactly: $0) }
        explanation = value["explanation"]?.string
    }
}
