/// The log event `device`: the state of a device after a change.
package struct DeviceEvent: Sendable {
    /// The kind of change.
    package enum State: String, Sendable {
        /// The device was declared.
        case declared
        /// Some of its state changed.
        case changed
        /// The device was removed, or evicted to make room.
        case removed
    }

    /// The kind of change.
    package var state: State
    /// The time on the scenario's clock.
    package var clock: Timestamp
    /// The device token.
    package var token: DeviceToken
    /// The device; if it was removed, its last state.
    package var device: Device
    /// The sequence number of the push whose notification the user dismissed.
    package var dismissed: Int?
    /// The Live Activity on a broadcast channel that started or ended.
    package var activity: ActivityChange? { didSet { isOfActivity = activity != nil } }
    /// Whether a Live Activity has started or ended, and nothing else of the device has changed.
    var isOfActivity = false

    /// Appends the log line, with its line feed.
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
        if let activity {
            output.append(contentsOf: #","activity":"#.utf8)
            activity.appendJSON(to: &output)
        }
        output.append(contentsOf: "}\n".utf8)
    }
}
