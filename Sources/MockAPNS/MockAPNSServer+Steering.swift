package import MockAPNSCore
import NIOCore
import Synchronization

// What the admin listener does to connections. When a call returns, the connection's loop has done it.

extension MockAPNSServer {
    /// Whom an order is for.
    package enum Recipient: Sendable, Equatable {
        case all
        case connection(Int)

        var number: Int? {
            switch self {
            case .all: nil
            case .connection(let number): number
            }
        }
    }

    /// Sends GOAWAY to connections.
    ///
    /// - Returns: the numbers of the connections; a single one that is not open, or is ending, is not among them.
    @discardableResult
    package func goAway(_ plan: GoAwayPlan, to recipient: Recipient) async -> [Int] {
        await carryOut(engine.gateway.withLock { $0.goAway(plan, on: recipient.number) })
    }

    /// Ends connections.
    ///
    /// - Returns: their numbers, as with ``goAway(_:to:)``.
    @discardableResult
    package func close(_ recipient: Recipient, by ending: ConnectionAction.Ending) async -> [Int] {
        await carryOut(engine.gateway.withLock { $0.close(ending, on: recipient.number) })
    }

    /// Sets the limit of streams of connections.
    ///
    /// - Parameter duration: for how long, in milliseconds; `nil`: until another is set.
    @discardableResult
    package func limitStreams(to limit: Int, for duration: Int64? = nil, of recipient: Recipient) async -> [Int] {
        await carryOut(engine.gateway.withLock { $0.limitStreams(to: limit, for: duration, on: recipient.number) })
    }

    private func carryOut(_ orders: [ConnectionOrder]) async -> [Int] {
        await OpenConnections.settle(engine.connections.deliver(orders))
        return orders.map(\.connection)
    }
}
