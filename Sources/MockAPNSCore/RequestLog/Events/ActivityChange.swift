/// What became of a Live Activity that listens to a broadcast channel or has tokens of its own.
///
/// A push from its channel has no event.
package struct ActivityChange: Sendable, Hashable {
    /// The kind of change.
    package enum State: String, Sendable, CaseIterable {
        /// It started.
        case started
        /// It did not start.
        case failed
        /// A push to its update token changed what it shows.
        case updated
        /// A push to its update token, or the app, ended it, or its 8 hours were over.
        case ended
        /// The user dismissed it, the app was removed, or it made room for another: it left the screen.
        case dismissed
    }

    /// The kind of change.
    package private(set) var state: State
    /// Its name.
    package private(set) var name: String?
    /// The bundle id of its app; `nil` if it is not known.
    package internal(set) var app: String?
    /// Its update token, if it has one.
    package internal(set) var token: DeviceToken?
    /// The id of the channel; one that no channel has, if it did not start. `nil` if it listens to none.
    package private(set) var channel: String?
    /// The name of the channel in the scenario.
    package internal(set) var channelName: String?
    /// The sequence number of the push that started it, changed it, or had changed it last when the user dismissed it.
    package var sequence: Int?
    /// Whether pushes from the channel update it; not if the channel is of the other environment.
    private(set) var updates = true
    /// Whether it ended or left by itself, because its time was over or to make room: no push and no user has done it.
    package internal(set) var isByItself = false
    /// Why it did not start, never updates, or ended or left by itself, as a sentence.
    package internal(set) var explanation: String?

    init(_ state: State, name: String?, channel: String?) {
        (self.state, self.name, self.channel) = (state, name, channel)
    }

    init(_ state: State, _ activity: LiveActivity) {
        self.init(state, name: activity.name, channel: activity.channel)
        (app, token) = (activity.app, activity.token)
    }

    /// Creates the end of a Live Activity whose time is over, or that makes room for another.
    init(_ state: State, _ activity: LiveActivity, byItself explanation: String) {
        self.init(state, activity)
        (isByItself, self.explanation) = (true, explanation)
    }

    mutating func take(_ channel: BroadcastChannel) {
        (self.channel, channelName, app) = (channel.id.description, channel.name, channel.topic)
    }

    mutating func fail(_ explanation: String) { (state, self.explanation) = (.failed, explanation) }

    mutating func neverUpdates(_ explanation: String) { (updates, self.explanation) = (false, explanation) }
}

// MARK: The JSON line

extension ActivityChange {
    /// Appends the members of the change.
    func appendMembers(to line: inout [UInt8]) {
        line.appendMember("topic", app)
        line.appendMember("state", state.rawValue)
        line.appendMember("token", token?.hex)
        line.appendMember("name", name)
        line.appendMember("channel", channel)
        line.appendMember("channelName", channelName)
        if let sequence { line.appendMember("sequence", sequence) }
        if !updates { line.append(contentsOf: #","updates":false"#.utf8) }
        if isByItself { line.append(contentsOf: #","byItself":true"#.utf8) }
        line.appendMember("explanation", explanation)
    }

    /// Reads the change; fails for a state that only a later version knows.
    ///
    /// - Parameter member: returns a member by its name.
    init?(_ member: (String) -> JSONText.Value?) {
        guard let state = member("state")?.string.flatMap(State.init(rawValue:)) else { return nil }
        self.init(state, name: member("name")?.string, channel: member("channel")?.string)
        app = member("topic")?.string
        token = member("token")?.string.flatMap { DeviceToken(hex: $0) }
        channelName = member("channelName")?.string
        sequence = member("sequence")?.int64.flatMap { Int(exactly: $0) }
        updates = member("updates")?.bool ?? true
        isByItself = member("byItself")?.bool ?? false
        explanation = member("explanation")?.string
    }
}

// MARK: The frame

extension ActivityChange {
    func append(to frame: inout [UInt8]) {
        frame.append(UInt8(State.allCases.firstIndex(of: state) ?? 0))
        frame.appendText(name)
        frame.appendText(app)
        frame.appendText(token?.hex)
        frame.appendText(channel)
        frame.appendText(channelName)
        frame.appendNumber(ifAny: sequence)
        frame.append(updates ? 1 : 0)
        frame.append(isByItself ? 1 : 0)
        frame.appendText(explanation)
    }

    init(_ frame: inout FrameInput) throws(FrameMistake) {
        let state: Int = try frame.number(atMost: State.allCases.count - 1)
        let (name, app, token) = (try frame.textIfAny(), try frame.textIfAny(), try frame.textIfAny())
        self.init(State.allCases[state], name: name, channel: try frame.textIfAny())
        (self.app, self.token) = (app, token.flatMap { DeviceToken(hex: $0) })
        channelName = try frame.textIfAny()
        sequence = try frame.numberIfAny(atMost: 1 << 52)
        (updates, isByItself) = (try frame.flag(), try frame.flag())
        explanation = try frame.textIfAny()
    }
}
