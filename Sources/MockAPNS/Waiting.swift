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
        /// They did not come in time, or the task was cancelled.
        case over
    }

    private struct Waiter: Sendable {
        let continuation: CheckedContinuation<End, Never>
        let timeout: Scheduled<Void>
    }

    private let waiters = Guarded<[Int: Waiter]>([:])

    fileprivate func add(_ id: Int, _ continuation: CheckedContinuation<End, Never>, timeout: Scheduled<Void>) {
        waiters.withLock { $0[id] = Waiter(continuation: continuation, timeout: timeout) }
    }

    /// Lets one go on.
    func end(_ id: Int, _ end: End) {
        guard let waiter = waiters.withLock({ $0.removeValue(forKey: id) }) else { return }
        waiter.timeout.cancel()
        waiter.continuation.resume(returning: end)
    }
}

extension Engine {
    /// Waits until there are as many requests as somebody waits for.
    func wait(_ wait: RequestWait, within time: TimeAmount) async -> Waiting.End {
        let ticket = Guarded(Int?.none)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let id = work { gateway, _, _ -> Int? in
                    guard let id = gateway.begin(wait) else { return nil }
                    // Under the gateway's lock, so that nobody wakes whom nobody knows yet.
                    let timeout = loop.scheduleTask(in: time) { [self] in cancelWait(id) }
                    waiting.add(id, continuation, timeout: timeout)
                    return id
                }
                guard let id else { return continuation.resume(returning: .lookAgain) }
                ticket.withLock { $0 = id }
                if Task.isCancelled { cancelWait(id) }
            }
        } onCancel: {
            if let id = ticket.withLock({ $0 }) { cancelWait(id) }
        }
    }

    private func cancelWait(_ id: Int) {
        gateway.withLock { $0.cancelWait(id) }
        waiting.end(id, .over)
    }
}
