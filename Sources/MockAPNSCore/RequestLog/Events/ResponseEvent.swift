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
    /// Whether the app is told. Of a notification that is dismissed it is only if its category has
    /// [customDismissAction](https://developer.apple.com/documentation/usernotifications/unnotificationcategoryoptions/customdismissaction).
    package var reachesApp = true

    /// What a device's history says of it.
    var told: (state: HistoryState, why: String) {
        switch action {
        case Self.open: (.opened, "The user opened the notification.")
        case Self.dismiss:
            (.dismissed, "The user dismissed the notification\(reachesApp ? ", and the app is told" : "").")
        default:
            (.opened, "The user chose the action \(action.quotedForPeople)\(text == nil ? "" : ", and typed a text").")
        }
    }
}

/// What a user does with a notification.
package struct UserResponse: Sendable {
    /// The id of the action.
    package var action: String
    /// What the user types.
    package var text: String?
    /// Whether the app is told.
    package var reachesApp: Bool
    /// The bundle id of the app that it opens; `nil` if it opens none.
    package var opensApp: String?

    package init(action: String, text: String? = nil, reachesApp: Bool = true, opensApp: String? = nil) {
        (self.action, self.text, self.reachesApp, self.opensApp) = (action, text, reachesApp, opensApp)
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
        line.append(contentsOf: #","reachesApp":\#(reachesApp)"#.utf8)
    }

    init(_ line: RecordedLine) throws(JSONText.Mistake) {
        try self.init(line, line.countIfAny("sequence") ?? 0, try line.text("action"))
        text = try line.textIfAny("text")
        reachesApp = line.memberIfAny("reachesApp")?.value.bool ?? (action != Self.dismiss)
    }

    /// Reads a line `device` of an earlier version, which had the push that the user dismissed in a member.
    init?(earlier line: RecordedLine) throws(JSONText.Mistake) {
        guard let sequence = try line.countIfAny("dismissed") else { return nil }
        try self.init(line, sequence, Self.dismiss)
        reachesApp = false
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
        frame.append(reachesApp ? 1 : 0)
    }

    init(_ frame: inout FrameInput, at time: Timestamp) throws(FrameMistake) {
        let clock = try frame.time(after: time.milliseconds)
        guard let token = DeviceToken(hex: try frame.textIfAny() ?? "") else {
            throw frame.mistake("a device token is malformed")
        }
        self.init(
            clock: clock, token: token, deviceName: try frame.textIfAny(), sequence: try frame.number(atMost: 1 << 52),
            action: try frame.textIfAny() ?? Self.open, text: try frame.textIfAny(), reachesApp: try frame.flag())
    }
}
