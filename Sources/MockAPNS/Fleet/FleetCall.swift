/// A call of the admin API that all members of a fleet carry out, in one order.
package struct FleetCall: Sendable, Equatable {
    /// The HTTP method.
    package var method: String
    /// The path with the query, such as `/api/v1/devices/alice`.
    package var path: String
    /// The body.
    package var body: [UInt8]
    /// The only replica that carries it out; `nil` for all.
    package var replica: String?

    /// Creates a call.
    package init(method: String, path: String, body: [UInt8] = [], replica: String? = nil) {
        (self.method, self.path, self.body, self.replica) = (method, path, body, replica)
    }

    /// The parts of its path below `/api/v1`, without the query.
    package var parts: [Substring] {
        path.prefix { $0 != "?" }.split(separator: "/").dropFirst(2).map(\.self)
    }

    /// Whether an answer repeats the body of the call, which may be long, and need not be passed on.
    package func isItsOwnAnswer(if answer: FleetAnswer) -> Bool { answer.isSuccess && parts.first == "scenario" }

    /// Whether a collector itself changes. What happens to devices and connections, the replicas report.
    package var changesCollector: Bool {
        switch parts.first {
        case "scenario", "reset", "rules", "clock", "channels": method != "GET"
        default: false
        }
    }

    /// Whether everything starts over: a reset, or a scenario that is played with one.
    package var startsOver: Bool {
        switch parts.first {
        case "reset": true
        case "scenario": path.split(separator: "?").dropFirst().contains { $0.contains("reset=true") }
        default: false
        }
    }
}

/// The answer to a call, in JSON.
package struct FleetAnswer: Sendable, Equatable {
    /// The HTTP status.
    package var status: Int
    /// The body.
    package var body: [UInt8]

    /// Creates an answer.
    package init(status: Int, body: [UInt8]) { (self.status, self.body) = (status, body) }

    /// Whether the call was carried out.
    package var isSuccess: Bool { 200..<300 ~= status }
}

extension MockAPNSServer {
    /// Carries out a call of the admin API on this server alone.
    package typealias CallPerformer = @Sendable (FleetCall) async -> FleetAnswer

    /// What carries out calls on this server; `nil` for a server without an admin API.
    package var performer: CallPerformer? {
        get { fleetPerformer.withLock { $0 } }
        set { fleetPerformer.withLock { $0 = newValue } }
    }
}
