/// Something that happened beside the answer to a push, for the server to tell or to do. In the order in which it
/// happened.
package enum GatewayEffect: Sendable {
    /// A record of the log was changed; the log has it already. The time is that of the scenario's clock.
    case update(sequence: Int, RequestUpdate, clock: Timestamp)
    /// A device was declared, changed or removed.
    case device(DeviceEvent)
    /// A rule was added or removed.
    case rule(RuleEvent)
    /// The server has started, or another scenario is played.
    case scenario(ScenarioEvent)
    /// The manual clock was moved.
    case clock(from: Timestamp, to: Timestamp)
    /// Connections are ordered to do something.
    case connections([ConnectionOrder])
    /// A regular expression was undecided.
    case pattern(PatternEvent)

    /// Appends the line of the log that tells of it, with its line feed; nothing for orders, which have
    /// other events, and for patterns, which are told to people.
    ///
    /// - Parameter time: the time of day.
    package func appendLine(at time: Timestamp, to output: inout [UInt8]) {
        switch self {
        case .update(let sequence, let update, let clock):
            update.appendLine(of: sequence, at: time, clock: clock, to: &output)
        case .device(let event): event.appendLine(at: time, to: &output)
        case .rule(let event): event.appendLine(at: time, to: &output)
        case .scenario(let event): event.appendLine(at: time, to: &output)
        case .clock(let start, let end):
            output.beginEvent("clock", at: time, clock: end)
            output.append(contentsOf: #","from":"#.utf8)
            output.appendJSON(start)
            output.append(contentsOf: "}\n".utf8)
        case .connections, .pattern: break
        }
    }
}

extension Device {
    /// Appends the members that a change can change, each with a comma before it.
    func appendState(to output: inout [UInt8]) {
        output.append(contentsOf: #","online":\#(isOnline),"registered":"#.utf8)
        registration.appendJSON(to: &output)
        output.append(contentsOf: #","notifications":\#(allowsNotifications),"power":"#.utf8)
        output.appendJSON(savesPower ? "saving" : "normal")
    }
}

extension Device.Registration {
    /// Appends it as scenario files write it.
    func appendJSON(to output: inout [UInt8]) {
        switch self {
        case .registered: output.append(contentsOf: "true".utf8)
        case .unregistered(let time, let acceptFor):
            output.append(contentsOf: #"{"unregisteredAt":"#.utf8)
            output.appendJSON(time)
            if acceptFor > 0 {
                output.append(contentsOf: #","acceptFor":"#.utf8)
                output.appendJSON(DurationText.text(acceptFor))
            }
            output.append(UInt8(ascii: "}"))
        case .expired(let time):
            output.append(contentsOf: #"{"expiredAt":"#.utf8)
            output.appendJSON(time)
            output.append(UInt8(ascii: "}"))
        }
    }

    /// When its meaning changes; `nil`: never.
    var beginning: Timestamp? {
        switch self {
        case .registered: nil
        case .unregistered(let time, _), .expired(let time): time
        }
    }
}
