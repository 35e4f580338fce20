/// An event other than a request: the one vocabulary of the log, of event streams and of a fleet's frames.
///
/// The body of an event is a ``LogEventBody`` in a file of its own, where it is written and read side by side: as the
/// JSON line of the log and of event streams, and, if replicas ship it, as bytes of a ``ReplicaFrame``. A request is
/// not among them: it stays in the columns of the log; see ``RequestRecord``.
package enum LogEvent: Sendable {
    /// The record of a request changed.
    case update(UpdateEvent)
    /// A connection was opened or closed.
    case connection(ConnectionEvent)
    /// A device was declared, changed or removed.
    case device(DeviceEvent)
    /// A Live Activity of a device started, changed or ended.
    case activity(ActivityEvent)
    /// The user opened or dismissed a notification.
    case response(ResponseEvent)
    /// A broadcast channel was created or deleted.
    case channel(ChannelEvent)
    /// A rule was added or removed.
    case rule(RuleEvent)
    /// The server started, or another scenario began.
    case scenario(ScenarioEvent)
    /// The manual clock was moved.
    case clock(ClockEvent)
    /// The server was reset, including the sequence numbers of requests.
    case reset
    /// The server has joined a fleet as a replica, or joined it again after a reset.
    case fleet(FleetMember)
    /// The log file was reopened, or lacks lines. Event streams do not have it.
    case log(LogFileEvent)

    /// The names of all events, as in the member `event` of the line.
    enum Name: String, CaseIterable {
        case update, connection, device, activity, response, channel, rule, scenario, clock, reset, fleet, log
    }

    /// The member `event` of the line.
    var name: String { row.name.rawValue }

    /// The time on the scenario's clock; `nil` if the event does not tell it.
    package var scenarioTime: Timestamp? {
        switch self {
        case .update(let event): event.clock
        case .device(let event): event.clock
        case .activity(let event): event.clock
        case .response(let event): event.clock
        case .channel(let event): event.clock
        case .rule(let event): event.clock
        case .scenario(let event): event.clock
        case .clock(let event): event.end
        case .connection, .reset, .fleet, .log: nil
        }
    }

    private var row: (name: Name, body: (any LogEventBody)?) {
        switch self {
        case .update(let event): (.update, event)
        case .connection(let event): (.connection, event)
        case .device(let event): (.device, event)
        case .activity(let event): (.activity, event)
        case .response(let event): (.response, event)
        case .channel(let event): (.channel, event)
        case .rule(let event): (.rule, event)
        case .scenario(let event): (.scenario, event)
        case .clock(let event): (.clock, event)
        case .reset: (.reset, nil)
        case .fleet(let member): (.fleet, member)
        case .log(let event): (.log, event)
        }
    }
}

// MARK: The JSON line

extension LogEvent {
    /// Appends the line, with its line feed.
    ///
    /// - Parameter logged: the real time at which the event is logged.
    package func appendLine(at logged: Timestamp, to line: inout [UInt8]) {
        let (name, body) = row
        line.append(contentsOf: #"{"event":""#.utf8)
        line.append(contentsOf: name.rawValue.utf8)
        line.append(UInt8(ascii: "\""))
        if case .update(let event) = self { line.appendMember("sequence", event.sequence) }
        let own = if case .connection(let event) = self { event.time } else { nil as Timestamp? }
        line.appendMember("time", own ?? logged)
        body?.appendMembers(to: &line)
        line.append(contentsOf: "}\n".utf8)
    }

    /// Reads a line; `nil` for an event, or a state, that only a later version knows.
    package init?(_ line: RecordedLine) throws(JSONText.Mistake) {
        let event: Self? =
            switch Name(rawValue: line.event) {
            case .update: .update(try UpdateEvent(line))
            case .connection: try ConnectionEvent(line).map(Self.connection)
            case .device:
                if line.memberIfAny("activity") != nil {
                    try ActivityEvent(earlier: line).map(Self.activity)
                } else if let dismissal = try ResponseEvent(earlier: line) {
                    .response(dismissal)
                } else {
                    .device(try DeviceEvent(line))
                }
            case .activity: try ActivityEvent(line).map(Self.activity)
            case .response: .response(try ResponseEvent(line))
            case .channel: try ChannelEvent(line).map(Self.channel)
            case .rule: try RuleEvent(line).map(Self.rule)
            case .scenario: try ScenarioEvent(line).map(Self.scenario)
            case .clock: try ClockEvent(line).map(Self.clock)
            case .reset: .reset
            case .fleet: try FleetMember(line).map(Self.fleet)
            case .log: try LogFileEvent(line).map(Self.log)
            case nil: nil
            }
        guard let event else { return nil }
        self = event
    }
}

// MARK: The frame

extension LogEvent {
    private enum Kind: UInt8 {
        case update, connection, device, activity, response
    }

    /// Whether a replica ships it: events of requests, connections, devices, their Live Activities and their users. The
    /// rest concerns the server alone; in a fleet, all members follow the same scenario, rules and clock.
    var isShipped: Bool {
        switch self {
        case .update, .connection, .device, .activity, .response: true
        default: false
        }
    }

    /// Appends the bytes of an event that is shipped.
    ///
    /// - Parameter time: the real time, to which times are relative.
    func append(to frame: inout [UInt8], at time: Timestamp) {
        switch self {
        case .update(let event):
            frame.append(Kind.update.rawValue)
            event.append(to: &frame, at: time)
        case .connection(let event):
            frame.append(Kind.connection.rawValue)
            event.append(to: &frame, at: time)
        case .device(let event):
            frame.append(Kind.device.rawValue)
            event.append(to: &frame, at: time)
        case .activity(let event):
            frame.append(Kind.activity.rawValue)
            event.append(to: &frame, at: time)
        case .response(let event):
            frame.append(Kind.response.rawValue)
            event.append(to: &frame, at: time)
        default: preconditionFailure("\(name) is not shipped")
        }
    }

    init(_ frame: inout FrameInput, at time: Timestamp) throws(FrameMistake) {
        switch try frame.word() as Kind {
        case .update: self = .update(try UpdateEvent(&frame, at: time))
        case .connection: self = .connection(try ConnectionEvent(&frame, at: time))
        case .device: self = .device(try DeviceEvent(&frame, at: time))
        case .activity: self = .activity(try ActivityEvent(&frame, at: time))
        case .response: self = .response(try ResponseEvent(&frame, at: time))
        }
    }
}
