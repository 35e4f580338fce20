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

    /// Sends GOAWAY to connections.
    ///
    /// - Returns: the ids of the connections; a single one that is not open, or is ending, is not among them.
    @discardableResult
    package func goAway(_ plan: GoAwayPlan = .shutdown, to recipient: Recipient = .all) async -> [Int] {
        await carryOut(engine.gateway.withLock { $0.goAway(plan, on: recipient.id) })
    }

    /// Ends connections.
    ///
    /// - Returns: their ids, as with ``goAway(_:to:)``.
    @discardableResult
    package func close(_ recipient: Recipient, by ending: ConnectionAction.Ending) async -> [Int] {
        await carryOut(engine.gateway.withLock { $0.close(ending, on: recipient.id) })
    }

    /// Sets the limit of streams of connections.
    ///
    /// - Parameters:
    ///   - limit: how many at once.
    ///   - duration: for how long, in milliseconds; `nil`: until another is set.
    ///   - recipient: which connections.
    /// - Returns: the ids of the connections that it was sent on.
    @discardableResult
    public func limitStreams(to limit: Int, for duration: Int64? = nil, of recipient: Recipient) async -> [Int] {
        await carryOut(engine.gateway.withLock { $0.limitStreams(to: limit, for: duration, on: recipient.id) })
    }

    private func carryOut(_ orders: [ConnectionOrder]) async -> [Int] {
        await OpenConnections.settle(engine.connections.deliver(orders))
        return orders.map(\.connection)
    }
}
