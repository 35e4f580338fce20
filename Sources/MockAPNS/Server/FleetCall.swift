package import MockAPNSCore

/// A call of the admin API that all members of a fleet carry out, in one order.
package struct FleetCall: Sendable, Equatable {
    /// The call.
    package var name: APICall
    /// The values of the variable parts of its path, percent-encoded.
    package var values: [String]
    /// The query of its URL.
    package var query: String
    /// The body.
    package var body: [UInt8]
    /// The only replica that carries it out; `nil` for all.
    package var replica: String?

    /// Creates a call.
    package init(
        _ name: APICall, _ values: [String] = [], query: String = "", body: [UInt8] = [], replica: String? = nil
    ) {
        (self.name, self.values, self.query, self.body, self.replica) = (name, values, query, body, replica)
    }

    /// Whether an answer repeats the body of the call, which may be long, and need not be passed on.
    package func isItsOwnAnswer(if answer: FleetAnswer) -> Bool { answer.isSuccess && name == .playScenario }

    /// Whether it begins a scenario.
    package var beginsScenario: Bool { name == .playScenario || name == .reset }

    /// Whether everything starts over: a reset, or a scenario that is played with one.
    package var startsOver: Bool { name == .reset || name == .playScenario && query == Self.startingOver }

    /// The query of a scenario that starts everything over.
    package static let startingOver = "reset=true"
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

    /// The performer of calls on this server; `nil` for a server without an admin API.
    package var performer: CallPerformer? {
        get { fleetPerformer.withLock { $0 } }
        set { fleetPerformer.withLock { $0 = newValue } }
    }
}
