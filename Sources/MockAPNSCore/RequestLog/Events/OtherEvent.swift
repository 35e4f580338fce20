/// What streams of events tell of beside requests. Its line is made when somebody reads it.
package struct OtherEvent: Sendable {
    /// What happened.
    package enum Content: Sendable {
        /// Something that the gateway has done.
        case effect(GatewayEffect)
        /// A connection was opened.
        case opened(Connection)
        /// A connection was closed.
        case closed(Connection)
        /// Everything began anew, the numbers of requests, too.
        case reset
    }

    /// The latest request at that time.
    package var sequence: Int
    /// The time of day.
    package var time: Timestamp
    /// What happened.
    package var content: Content

    /// Something that happened after that request.
    package init(_ content: Content, at time: Timestamp, after sequence: Int) {
        (self.content, self.time, self.sequence) = (content, time, sequence)
    }

    /// The member `event` of the line.
    var name: String {
        switch content {
        case .effect(.update): "update"
        case .effect(.device): "device"
        case .effect(.rule): "rule"
        case .effect(.scenario): "scenario"
        case .effect(.clock): "clock"
        case .effect(.connections), .opened, .closed: "connection"
        case .effect(.pattern): "pattern"
        case .reset: "reset"
        }
    }

    /// The request that it changes.
    var changedRequest: Int? {
        if case .effect(.update(let sequence, _, _)) = content { sequence } else { nil }
    }

    /// Appends the line of the log that tells of it, with its line feed.
    package func appendLine(to output: inout [UInt8]) {
        switch content {
        case .effect(let effect): effect.appendLine(at: time, to: &output)
        case .opened(let connection): ConnectionEvent.appendOpened(connection, to: &output)
        case .closed(let connection): ConnectionEvent.appendClosed(connection, to: &output)
        case .reset:
            output.beginEvent("reset", at: time)
            output.append(contentsOf: "}\n".utf8)
        }
    }
}
