package import MockAPNSCore
import NIOCore

// What a test or the admin listener does to connections. When a call returns, the connection's loop has done it.

extension MockAPNSServer {
    /// Whom an order is for.
    public enum Recipient: Sendable, Equatable {
        /// All connections that are open.
        case all
        /// The one of that id, as ``LoggedRequest/connectionID`` has it.
        case connection(id: Int)

        var id: Int? {
            switch self {
            case .all: nil
            case .connection(let id): id
            }
        }
    }

    /// Sends GOAWAY (RFC 9113, section 6.8) to connections.
    ///
    /// - Returns: the ids of the connections; a single one that is not open, or is ending, is not among them.
    /// - Throws: ``ControlError/malformed(_:)`` for a frame that cannot be sent.
    @discardableResult
    public func goAway(_ frame: GoAway = .shutdown, to recipient: Recipient = .all) async throws(ControlError) -> [Int]
    {
        let (plan, mistakes) = vocabulary.goAway(from: frame.json)
        guard let plan else { throw .malformed(mistakes.sentences) }
        return await goAway(plan: plan, to: recipient)
    }

    /// As ``goAway(_:to:)``, as a scenario words it.
    @discardableResult
    package func goAway(plan: GoAwayPlan, to recipient: Recipient = .all) async -> [Int] {
        await carryOut(engine.gateway.withLock { $0.goAway(plan, on: recipient.id) })
    }

    /// Ends connections.
    ///
    /// - Returns: their ids, as with ``goAway(_:to:)``.
    @discardableResult
    public func close(_ recipient: Recipient, by ending: Ending = .end) async -> [Int] {
        guard let ending = ConnectionAction.Ending(rawValue: ending.rawValue) else { return [] }
        return await close(recipient, ending: ending)
    }

    /// As ``close(_:by:)``.
    @discardableResult
    package func close(_ recipient: Recipient, ending: ConnectionAction.Ending) async -> [Int] {
        await carryOut(engine.gateway.withLock { $0.close(ending, on: recipient.id) })
    }

    /// Sets the limit of streams of connections (SETTINGS_MAX_CONCURRENT_STREAMS, RFC 9113, section 6.5.2).
    ///
    /// - Parameters:
    ///   - limit: how many at once.
    ///   - duration: for how long, in real time; `nil`: until another is set.
    ///   - recipient: which connections.
    /// - Returns: the ids of the connections that it was sent on.
    @discardableResult
    public func limitStreams(
        to limit: Int, for duration: Duration? = nil, of recipient: Recipient = .all
    ) async -> [Int] {
        let duration = duration.map(\.milliseconds)
        return await carryOut(
            engine.gateway.withLock { $0.limitStreams(to: limit, for: duration, on: recipient.id) })
    }

    private func carryOut(_ orders: [ConnectionOrder]) async -> [Int] {
        await OpenConnections.settle(engine.connections.deliver(orders))
        return orders.map(\.connection)
    }
}
