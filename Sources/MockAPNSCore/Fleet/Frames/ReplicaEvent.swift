/// An event in a replica's frame, other than a request.
struct ReplicaEvent: Sendable {
    /// The kind of event.
    enum Content: Sendable {
        /// A record changed, at a time on the scenario's clock.
        case update(sequence: Int, RequestUpdate, clock: Timestamp)
        /// A connection was opened; the number is that in the replica's run.
        case opened(id: Int, ConnectionFacts)
        /// A connection was closed.
        case closed(ClosedConnection)
        /// A device was declared, changed or removed.
        case device(DeviceEvent)
    }

    /// What is known of a connection when it has closed.
    struct ClosedConnection: Sendable {
        var id: Int
        var closedBy: ClosedBy
        var explanation: String?
        var teamID: String?
        var counters: ConnectionCounters
    }

    /// The latest request of the replica at that time.
    var after: Int
    /// The real time.
    var time: Timestamp
    var content: Content

    init(after: Int, time: Timestamp, _ content: Content) {
        (self.after, self.time, self.content) = (after, time, content)
    }

    /// Creates the event for a replica's own one; `nil` for events that concern nobody else.
    init?(_ event: OtherEvent) {
        switch event.content {
        case .effect(.update(let sequence, let update, let clock)):
            content = .update(sequence: sequence, update, clock: clock)
        case .effect(.device(let device)): content = .device(device)
        case .opened(let connection): content = .opened(id: connection.id, connection.facts)
        case .closed(let connection):
            content = .closed(
                ClosedConnection(
                    id: connection.id, closedBy: connection.closedBy ?? .server, explanation: connection.explanation,
                    teamID: connection.teamID, counters: connection.counters))
        case .effect(.rule), .effect(.channel), .effect(.scenario), .effect(.clock), .effect(.connections),
            .effect(.pattern), .effect(.opened), .effect(.closed), .reset, .joined:
            return nil
        }
        (after, time) = (event.sequence, event.time)
    }
}
