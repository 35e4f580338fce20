import MockAPNSCore
import NIOCore

/// Those who wait for requests: woken by the loop that decides the last one that they wait for.
final class Waiting: Sendable {
    /// How a wait ends.
    enum End: Sendable {
        /// They have come, and are in this log.
        case found(FoundRequests, RequestSnapshot)
        /// They may have come.
        case lookAgain
        /// They did not come in time, the server is stopped, or nobody wants to know any more.
        case over
    }

    private struct Waiter: Sendable {
        let continuation: CheckedContinuation<End, Never>
        let timeout: Scheduled<Void>
    }

    private struct State: Sendable {
        var waiters: [Int: Waiter] = [:]
        var isStopped = false
    }

    private let state = Guarded(State())

    /// Adds one; false when nobody can wait any more.
    fileprivate func add(
        _ id: Int, _ continuation: CheckedContinuation<End, Never>, timeout: () -> Scheduled<Void>
    ) -> Bool {
        state.withLock { state in
            guard !state.isStopped else { return false }
            state.waiters[id] = Waiter(continuation: continuation, timeout: timeout())
            return true
        }
    }

    /// Lets one go on.
    func end(_ id: Int, _ end: End) {
        guard let waiter = state.withLock({ $0.waiters.removeValue(forKey: id) }) else { return }
        waiter.timeout.cancel()
        waiter.continuation.resume(returning: end)
    }

    /// Lets all go on, and nobody wait any more: to be called before the loops end, since they end the waits.
    func stop() {
        let waiters = state.withLock { state in
            state.isStopped = true
            return state.waiters.keys
        }
        for id in waiters { end(id, .over) }
    }
}

extension Engine {
    /// Waits on, under the number of a wait that has begun.
    ///
    /// - Parameter found: what was there when it began.
    func wait(_ id: Int, found: FoundRequests, within time: TimeAmount) async -> Waiting.End {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = transact { gateway, _, _ -> Bool in
                    // Under the gateway's lock, so that nobody wakes whom nobody knows yet.
                    let isKnown = waiting.add(id, continuation) {
                        loop.scheduleTask(in: time) { [self] in cancelWait(id) }
                    }
                    guard isKnown else {
                        continuation.resume(returning: .over)
                        return false
                    }
                    return gateway.noteFound(found, by: id)
                }
                if !goesOn { waiting.end(id, .lookAgain) }
                if Task.isCancelled { cancelWait(id) }
            }
        } onCancel: {
            cancelWait(id)
        }
    }

    /// Ends a wait, if it is still there.
    func cancelWait(_ id: Int) {
        gateway.withLock { $0.cancelWait(id) }
        waiting.end(id, .over)
    }
}
