/// A side effect of a decision, other than the answer, for the server to report or carry out. Effects are kept in
/// order.
package enum GatewayEffect: Sendable {
    /// A log record changed; the log itself is already updated. The time is from the scenario's clock.
    case update(sequence: Int, RequestUpdate, clock: Timestamp)
    /// A device was declared, changed or removed.
    case device(DeviceEvent)
    /// A rule was added or removed.
    case rule(RuleEvent)
    /// A broadcast channel was created or deleted.
    case channel(ChannelEvent)
    /// The server started, or another scenario began.
    case scenario(ScenarioEvent)
    /// The manual clock was moved.
    case clock(from: Timestamp, to: Timestamp)
    /// Connections have orders to carry out.
    case connections([ConnectionOrder])
    /// A regular expression could not be decided.
    case pattern(PatternEvent)
    /// A connection to a replica was opened.
    case opened(Connection)
    /// A connection to a replica was closed.
    case closed(Connection)

    /// Appends the log line for this effect, with its line feed. Orders append nothing, because other events cover
    /// them; pattern events append nothing either, because they are reported to people.
    ///
    /// - Parameter time: the real time.
    package func appendLine(at time: Timestamp, to output: inout [UInt8]) {
        switch self {
        case .update(let sequence, let update, let clock):
            update.appendLine(of: sequence, at: time, clock: clock, to: &output)
        case .device(let event): event.appendLine(at: time, to: &output)
        case .channel(let event): event.appendLine(at: time, to: &output)
        case .rule(let event): event.appendLine(at: time, to: &output)
        case .scenario(let event): event.appendLine(at: time, to: &output)
        case .clock(let start, let end):
            output.beginEvent("clock", at: time, clock: end)
            output.append(contentsOf: #","from":"#.utf8)
            output.appendJSON(start)
            output.append(contentsOf: "}\n".utf8)
        case .opened(let connection): ConnectionEvent.appendOpened(connection, to: &output)
        case .closed(let connection): ConnectionEvent.appendClosed(connection, to: &output)
        case .connections, .pattern: break
        }
    }
}

extension Device {
    /// Appends the state that can change, each member with a leading comma.
    func appendState(to output: inout [UInt8]) {
        output.append(contentsOf: #","online":\#(isOnline),"registered":"#.utf8)
        registration.appendJSON(to: &output)
        output.append(contentsOf: #","notifications":\#(allowsNotifications),"power":"#.utf8)
        output.appendJSON(savesPower ? "saving" : "normal")
    }
}

extension Device.Registration {
    /// Appends the registration in the form scenario files use.
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

    /// When the state takes effect; `nil` for a registered device.
    var beginning: Timestamp? {
        switch self {
        case .registered: nil
        case .unregistered(let time, _), .expired(let time): time
        }
    }
}
