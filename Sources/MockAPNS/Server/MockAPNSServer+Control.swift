package import MockAPNSCore
import MockAPNSScenario
import NIOCore

// Control of connections by a test or the admin listener. When a call returns, the connection's event loop has carried
// it out.

extension MockAPNSServer {
    /// The connections that an order applies to.
    public enum Recipient: Sendable, Equatable {
        /// All open connections.
        case all
        /// The connection with that id, as in ``LoggedRequest/connectionID``.
        case connection(id: Int)

        var id: Int? {
            switch self {
            case .all: nil
            case .connection(let id): id
            }
        }
    }

    /// Sends GOAWAY (RFC 9113, section 6.8) on connections.
    ///
    /// - Returns: the ids of the connections, without one that is not open or is ending.
    /// - Throws: ``ControlError/malformed(_:)`` for a frame that cannot be sent.
    @discardableResult
    public func goAway(_ frame: GoAway = .shutdown, to recipient: Recipient = .all) async throws(ControlError) -> [Int]
    {
        let (plan, mistakes) = namesInScope.goAway(from: frame.json)
        guard let plan else { throw .malformed(mistakes.sentences) }
        return await goAway(plan: plan, to: recipient)
    }

    /// Sends GOAWAY like ``goAway(_:to:)``, with the plan of a scenario.
    @discardableResult
    package func goAway(plan: GoAwayPlan, to recipient: Recipient = .all) async -> [Int] {
        await carryOut(engine.gateway.withLock { $0.goAway(plan, on: recipient.id) })
    }

    /// Closes connections.
    ///
    /// - Returns: their ids, as for ``goAway(_:to:)``.
    @discardableResult
    public func close(_ recipient: Recipient, by ending: Ending = .end) async -> [Int] {
        await carryOut(engine.gateway.withLock { $0.close(ending, on: recipient.id) })
    }

    /// Sets the stream limit of connections (SETTINGS_MAX_CONCURRENT_STREAMS, RFC 9113, section 6.5.2).
    ///
    /// - Parameters:
    ///   - limit: the maximum number of concurrent streams.
    ///   - duration: how long it applies, in real time; `nil` for until another is set.
    ///   - recipient: the connections.
    /// - Returns: the ids of the connections it was sent on.
    /// - Throws: ``ControlError/malformed(_:)`` for a limit or a duration that a scenario could not have either.
    @discardableResult
    public func limitStreams(
        to limit: Int, for duration: Duration? = nil, of recipient: Recipient = .all
    ) async throws(ControlError) -> [Int] {
        let (change, mistakes) = namesInScope.settings(from: .settings(limit, for: duration))
        guard let change else { throw .malformed(mistakes.sentences) }
        return await carryOut(
            engine.gateway.withLock {
                $0.limitStreams(to: change.maxConcurrentStreams, for: change.duration, on: recipient.id)
            })
    }

    private func carryOut(_ orders: [ConnectionOrder]) async -> [Int] {
        // A server that has stopped has no connections.
        await engine.gate.use { await OpenConnections.settle(engine.connections.deliver(orders)) }
        return orders.map(\.connection)
    }
}
