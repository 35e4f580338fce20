/// The event `device` of the log: a device as it is after a change.
package struct DeviceEvent: Sendable {
    /// What happened.
    package enum State: String, Sendable {
        /// Somebody declared it.
        case declared
        /// Something about it is another.
        case changed
        /// Somebody removed it, or it had to make room.
        case removed
    }

    /// What happened.
    package var state: State
    /// When, by the scenario's clock.
    package var clock: Timestamp
    /// Its token.
    package var token: DeviceToken
    /// The device; for one that was removed, as it was.
    package var device: Device
    /// The push whose notification the user has taken off the screen, by its number in the log.
    package var dismissed: Int?

    /// Appends the line of the log, with its line feed.
    package func appendLine(at time: Timestamp, to output: inout [UInt8]) {
        output.beginEvent("device", at: time, clock: clock)
        output.append(contentsOf: #","device":"#.utf8)
        output.appendJSON(device.name)
        output.append(contentsOf: #","token":""#.utf8)
        token.appendHex(to: &output)
        output.append(contentsOf: #"","state":"#.utf8)
        output.appendJSON(state.rawValue)
        device.appendState(to: &output)
        if let dismissed { output.append(contentsOf: #","dismissed":\#(dismissed)"#.utf8) }
        output.append(contentsOf: "}\n".utf8)
    }
}
