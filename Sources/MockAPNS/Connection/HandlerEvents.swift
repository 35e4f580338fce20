import MockAPNSCore

// The events that a connection's handler gets from the server.

/// Tells a connection's handler to report its counters to the gateway.
struct ReportEvent: Sendable {}

/// Passes the gateway's orders to a connection's handler.
struct OrderEvent: Sendable {
    let actions: [ConnectionAction]
}

/// Passes the answers to pushes that have waited to a connection's handler.
struct DecidedEvent: Sendable {
    let decided: [OrderedDecision]
}

/// Tells a connection's handler that the server stops.
struct ShutdownEvent: Sendable {}
