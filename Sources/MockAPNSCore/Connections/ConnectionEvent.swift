/// The log event `connection`: a connection was opened or closed.
///
/// It has the members of a connection in the API, as far as they are known at that time. Members known only at the end
/// (`closedBy`, `explanation`, the counters) appear only in the closing event, and members that the end does not change
/// only in the opening event; the id joins the two.
package struct ConnectionEvent: Sendable {
    /// A change of a connection.
    package enum Change: Sendable {
        case opened(ConnectionFacts)
        case closed(ConnectionEnd)
    }

    /// Which connection it is.
    package var connection: ConnectionReference
    /// The real time at which it happened; a collector learns of it later. `nil` in a line without a time.
    let time: Timestamp?
    /// The change.
    package let change: Change

    init(_ change: Change, _ connection: ConnectionReference, at time: Timestamp?) {
        (self.change, self.connection, self.time) = (change, connection, time)
    }
}

/// The facts about a connection at its end.
package struct ConnectionEnd: Sendable {
    /// The side that closed it, and why; `nil` for a reason that only a later version knows.
    var closedBy: ClosedBy?
    var explanation: String?
    /// The team that the connection was bound to.
    var teamID: String?
    var providerTokens = 0
    var requests = 0
    var counters = ConnectionCounters()

    /// Creates the end of an open connection.
    ///
    /// - Parameters:
    ///   - closedBy: who ended it, unless the connection knows that.
    ///   - explanation: what was wrong, unless the connection knows that.
    init(of open: OpenConnection, by closedBy: ClosedBy, _ explanation: String?, _ counters: ConnectionCounters) {
        var life = open.life
        life.closed(by: closedBy, explanation)
        (self.closedBy, self.explanation, teamID) = (life.closedBy, life.explanation, open.teamID)
        (providerTokens, requests) = (open.tokens.seen, open.requests)
        self.counters = counters
    }
}
