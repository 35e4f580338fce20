import MockAPNSCore
import NIOCore

/// The open connections, so that the server can send GOAWAY to all of them and wait until they have closed.
final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var byID: [Int: any Channel] = [:]
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var latestWaiter = 0
        var peak = ConnectionPeak()
        var isShuttingDown = false
    }

    private let state = Guarded(State())

    func add(_ channel: any Channel) {
        let isLate = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = channel
            state.peak.noteOpening(of: state.channels.count)
            return state.isShuttingDown
        }
        guard isLate else { return }
        // It was accepted just before its port was closed, or has shaken hands with a session that is ending.
        channel.eventLoop.execute { channel.pipeline.fireUserInboundEventTriggered(ShutdownEvent()) }
    }

    /// Tells all connections that the server stops, including those that are still to be added.
    func shutDown() {
        let channels = state.withLock { state in
            state.isShuttingDown = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(ShutdownEvent()) }
    }

    /// Records the id of the connection.
    func add(_ channel: any Channel, id: Int) {
        state.withLock { $0.byID[id] = channel }
    }

    /// Passes orders to their connections and returns these. Their loops carry the orders out later, even if the caller
    /// runs on one of them, so what it does to its own connection comes first.
    @discardableResult
    func deliver(_ orders: [ConnectionOrder]) -> [any Channel] {
        let byID = state.withLock { $0.byID }
        return orders.compactMap { order in
            guard let channel = byID[order.connection] else { return nil }
            channel.eventLoop.execute {
                channel.pipeline.fireUserInboundEventTriggered(OrderEvent(actions: order.actions))
            }
            return channel
        }
    }

    /// Passes the answers to pushes that have waited for the order of a fleet to their connections and returns these.
    ///
    /// - Parameter giveUp: takes those whose connection has ended since they were decided.
    @discardableResult
    func deliver(
        _ decided: [OrderedDecision], orElse giveUp: @escaping @Sendable ([OrderedDecision]) -> Void
    ) -> [any Channel] {
        guard !decided.isEmpty else { return [] }
        let byID = state.withLock { $0.byID }
        return Dictionary(grouping: decided, by: \.push.connection).compactMap { connection, decided in
            guard let channel = byID[connection] else {
                giveUp(decided)
                return nil
            }
            channel.eventLoop.execute {
                guard channel.isActive else { return giveUp(decided) }
                channel.pipeline.fireUserInboundEventTriggered(DecidedEvent(decided: decided))
            }
            return channel
        }
    }

    /// Returns when the loops of these connections have carried out what was passed to them.
    static func settle(_ channels: [any Channel]) async {
        for channel in channels {
            // The loop runs tasks in order: when this is done, the order has been carried out.
            try? await channel.eventLoop.submit {}.get()
        }
    }

    /// Removes a closed connection.
    ///
    /// - Returns: whether enough have closed that their memory is worth returning to the system.
    func remove(_ channel: any Channel, id: Int) -> Bool {
        let (waiting, isAfterPeak) = state.withLock { state -> ([CheckedContinuation<Void, Never>], Bool) in
            state.channels[ObjectIdentifier(channel)] = nil
            state.byID[id] = nil
            let isAfterPeak = state.peak.noteClosing(to: state.channels.count)
            guard state.channels.isEmpty else { return ([], isAfterPeak) }
            defer { state.waiters = [:] }
            return (Array(state.waiters.values), isAfterPeak)
        }
        for continuation in waiting { continuation.resume() }
        return isAfterPeak
    }

    var all: [any Channel] { state.withLock { Array($0.channels.values) } }

    /// Returns when no connection is open or the time is up.
    func untilEmpty(within time: TimeAmount, on timers: Timers) async {
        await withCheckedContinuation { continuation in
            let waiter = state.withLock { state -> Int? in
                guard !state.channels.isEmpty else { return nil }
                state.latestWaiter += 1
                state.waiters[state.latestWaiter] = continuation
                return state.latestWaiter
            }
            guard let waiter else { return continuation.resume() }
            let stopWaiting: @Sendable () -> Void = { [self] in
                state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
            }
            if timers.schedule(in: time, stopWaiting) == nil { stopWaiting() }
        }
    }
}
