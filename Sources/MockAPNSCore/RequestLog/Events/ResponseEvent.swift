/// The log event `response`: the user opened a notification, chose one of its actions, or dismissed it.
package struct ResponseEvent: Sendable {
    /// The action that opens a notification, as
    /// [UNNotificationDefaultActionIdentifier](https://developer.apple.com/documentation/usernotifications/unnotificationdefaultactionidentifier).
    package static let open = "com.apple.UNNotificationDefaultActionIdentifier"
    /// The action that dismisses it, as
    /// [UNNotificationDismissActionIdentifier](https://developer.apple.com/documentation/usernotifications/unnotificationdismissactionidentifier).
    package static let dismiss = "com.apple.UNNotificationDismissActionIdentifier"

    /// The time on the scenario's clock.
    package var clock: Timestamp
    /// The token of the device.
    package var token: DeviceToken
    /// The name of the device in the scenario.
    package var deviceName: String?
    /// The sequence number of the push.
    package var sequence: Int
    /// The id of the action.
    package var action: String
    /// What the user typed, if the action asks for a text.
    package var text: String?

    /// What a device's history says of it.
    var told: (state: HistoryState, why: String) {
        switch action {
        case Self.open: (.opened, "The user opened the notification.")
        case Self.dismiss: (.dismissed, "The user dismissed the notification.")
        default:
            (.opened, "The user chose the action \(action.quotedForPeople)\(text == nil ? "" : ", and typed a text").")
        }
    }
}

// MARK: The JSON line

extension ResponseEvent: LogEventBody {
    func appendMembers(to line: inout [UInt8]) {
        line.appendMember("clock", clock)
        line.appendMember("device", deviceName)
        line.appendMember("token", token.hex)
        line.appendMember("sequence", sequence)
        line.appendMember("action", action)
        line.appendMember("text", text)
    }

    init(_ line: RecordedLine) throws(JSONText.Mistake) {
        try self.init(line, line.countIfAny("sequence") ?? 0, try line.text("action"))
        text = try line.textIfAny("text")
    }

    /// Reads a line `device` of an earlier version, which had the push that the user dismissed in a member.
    init?(earlier line: RecordedLine) throws(JSONText.Mistake) {
        guard let sequence = try line.countIfAny("dismissed") else { return nil }
        try self.init(line, sequence, Self.dismiss)
    }

    private init(_ line: RecordedLine, _ sequence: Int, _ action: String) throws(JSONText.Mistake) {
        let member = try line.member("token")
        guard let token = DeviceToken(hex: try member.text()) else { throw member.mistake("a device token") }
        self.init(
            clock: try line.clock, token: token, deviceName: try line.textIfAny("device"), sequence: sequence,
            action: action)
    }
}

// MARK: The frame

extension ResponseEvent {
    func append(to frame: inout [UInt8], at time: Timestamp) {
        frame.appendSigned(clock.milliseconds - time.milliseconds)
        frame.appendText(token.hex)
        frame.appendText(deviceName)
        frame.appendNumber(sequence)
        frame.appendText(action)
        frame.appendText(text)
    }

    init(_ frame: inout FrameInput, at time: Timestamp) throws(FrameMistake) {
        let clock = try frame.time(after: time.milliseconds)
        guard let token = DeviceToken(hex: try frame.textIfAny() ?? "") else {
            throw frame.mistake("a device token is malformed")
        }
        self.init(
            clock: clock, token: token, deviceName: try frame.textIfAny(), sequence: try frame.number(atMost: 1 << 52),
            action: try frame.textIfAny() ?? Self.open, text: try frame.textIfAny())
    }
}
