import MockAPNSCore
import NIOCore

/// The tasks that wait for requests, woken by the loop that decides the last request they wait for.
final class Waiting: Sendable {
    /// How a wait ends.
    enum End: Sendable {
        /// The requests have arrived, and are in this log.
        case found(FoundRequests, RequestSnapshot)
        /// The requests may have arrived.
        case lookAgain
        /// They did not arrive in time, the server stops, or the wait was canceled.
        case over
    }

    private struct Waiter: Sendable {
        let continuation: CheckedContinuation<End, Never>
        let timeout: Timer
    }

    private struct State: Sendable {
        var waiters: [Int: Waiter] = [:]
        var isStopped = false
    }

    private let state = Guarded(State())

    /// Adds a wait; returns false if the server has stopped.
    func add(
        _ id: Int, _ continuation: CheckedContinuation<End, Never>, timeout: () -> Timer?
    ) -> Bool {
        state.withLock { state in
            guard !state.isStopped, let timeout = timeout() else { return false }
            state.waiters[id] = Waiter(continuation: continuation, timeout: timeout)
            return true
        }
    }

    /// Ends a wait.
    func end(_ id: Int, _ end: End) {
        guard let waiter = state.withLock({ $0.waiters.removeValue(forKey: id) }) else { return }
        waiter.timeout.cancel()
        waiter.continuation.resume(returning: end)
    }

    /// Ends all waits and refuses new ones. Call it before the event loops stop, because they end the waits.
    func stop() {
        let waiters = state.withLock { state in
            state.isStopped = true
            return state.waiters.keys
        }
        for id in waiters { end(id, .over) }
    }
}
