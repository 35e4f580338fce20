/// The log event `activity`: a Live Activity of a device started, changed or ended.
///
/// Only those that listen to a broadcast channel or have tokens of their own have events. What pushes to a device token
/// do to others follows from the requests alone.
package struct ActivityEvent: Sendable {
    /// The time on the scenario's clock.
    package var clock: Timestamp
    /// The token of the device.
    package var device: DeviceToken
    /// The name of the device in the scenario.
    package var deviceName: String?
    /// Whether the device was online.
    package var isOnline = true
    /// What happened.
    package var change: ActivityChange
}

// MARK: The JSON line

extension ActivityEvent: LogEventBody {
    func appendMembers(to line: inout [UInt8]) {
        line.appendMember("clock", clock)
        line.appendMember("device", deviceName)
        line.append(contentsOf: #","deviceToken":""#.utf8)
        device.appendHex(to: &line)
        line.append(UInt8(ascii: "\""))
        line.append(contentsOf: #","online":\#(isOnline)"#.utf8)
        change.appendMembers(to: &line)
    }

    /// Reads the line; fails for a state that only a later version knows.
    init?(_ line: RecordedLine) throws(JSONText.Mistake) {
        guard let change = ActivityChange({ line.memberIfAny($0)?.value }) else { return nil }
        try self.init(line, change, token: "deviceToken")
    }

    /// Reads a line `device` of an earlier version, which had a change of a Live Activity in a member.
    init?(earlier line: RecordedLine) throws(JSONText.Mistake) {
        guard let activity = line.memberIfAny("activity")?.value, let change = ActivityChange({ activity[$0] }) else {
            return nil
        }
        try self.init(line, change, token: "token")
    }

    private init(_ line: RecordedLine, _ change: ActivityChange, token: String) throws(JSONText.Mistake) {
        let member = try line.member(token)
        guard let device = DeviceToken(hex: try member.text()) else { throw member.mistake("a device token") }
        self.init(
            clock: try line.clock, device: device, deviceName: try line.textIfAny("device"),
            isOnline: line.memberIfAny("online")?.value.bool ?? true, change: change)
    }
}

// MARK: The frame

extension ActivityEvent {
    func append(to frame: inout [UInt8], at time: Timestamp) {
        frame.appendSigned(clock.milliseconds - time.milliseconds)
        frame.appendText(device.hex)
        frame.appendText(deviceName)
        frame.append(isOnline ? 1 : 0)
        change.append(to: &frame)
    }

    init(_ frame: inout FrameInput, at time: Timestamp) throws(FrameMistake) {
        let clock = try frame.time(after: time.milliseconds)
        guard let device = DeviceToken(hex: try frame.textIfAny() ?? "") else {
            throw frame.mistake("a device token is malformed")
        }
        let (name, isOnline) = (try frame.textIfAny(), try frame.flag())
        self.init(
            clock: clock, device: device, deviceName: name, isOnline: isOnline, change: try ActivityChange(&frame))
    }
}
