/// An event that streams report in addition to requests. Its line is formatted when it is read.
package struct OtherEvent: Sendable {
    /// The kind of event.
    package enum Content: Sendable {
        /// An effect of the gateway.
        case effect(GatewayEffect)
        /// A connection was opened.
        case opened(Connection)
        /// A connection was closed.
        case closed(Connection)
        /// The server was reset, including the sequence numbers of requests.
        case reset
        /// The server has joined a fleet as a replica, or joined it again after a reset.
        case joined(FleetMember)

        /// Whether it has a line in the log. Orders to connections lead to events of their own, and notes on patterns
        /// are for people.
        package var isLogged: Bool {
            switch self {
            case .effect(.connections), .effect(.pattern): false
            case .effect(.update), .effect(.device), .effect(.rule), .effect(.channel), .effect(.scenario),
                .effect(.clock),
                .effect(.opened), .effect(.closed), .opened, .closed, .reset, .joined:
                true
            }
        }
    }

    /// The latest request at that time.
    package var sequence: Int
    /// The real time.
    package var time: Timestamp
    /// The event itself.
    package var content: Content

    /// Creates an event that happened after the request with this sequence number.
    package init(_ content: Content, at time: Timestamp, after sequence: Int) {
        (self.content, self.time, self.sequence) = (content, time, sequence)
    }

    /// The member `event` of the line.
    var name: String {
        switch content {
        case .effect(.update): "update"
        case .effect(.device): "device"
        case .effect(.channel): "channel"
        case .effect(.rule): "rule"
        case .effect(.scenario): "scenario"
        case .effect(.clock): "clock"
        case .effect(.connections), .effect(.opened), .effect(.closed), .opened, .closed: "connection"
        case .effect(.pattern): "pattern"
        case .reset: "reset"
        case .joined: "fleet"
        }
    }

    /// The request changed by this event, if any.
    var changedRequest: Int? {
        if case .effect(.update(let sequence, _, _)) = content { sequence } else { nil }
    }

    /// Appends the log line, with its line feed.
    package func appendLine(to output: inout [UInt8]) {
        switch content {
        case .effect(let effect): effect.appendLine(at: time, to: &output)
        case .opened(let connection): ConnectionEvent.appendOpened(connection, to: &output)
        case .closed(let connection): ConnectionEvent.appendClosed(connection, to: &output)
        case .reset:
            output.beginEvent("reset", at: time)
            output.append(contentsOf: "}\n".utf8)
        case .joined(let member): member.appendLine(at: time, to: &output)
        }
    }
}
