import MockAPNSCore
import NIOCore

/// Those who wait for requests: woken by the loop that decides the last one that they wait for.
final class Waiting: Sendable {
    private struct Waiter: Sendable {
        let continuation: CheckedContinuation<Bool, Never>
        let timeout: Scheduled<Void>
    }

    private let waiters = Guarded<[Int: Waiter]>([:])

    fileprivate func add(_ id: Int, _ continuation: CheckedContinuation<Bool, Never>, timeout: Scheduled<Void>) {
        waiters.withLock { $0[id] = Waiter(continuation: continuation, timeout: timeout) }
    }

    /// Lets them go on.
    ///
    /// - Parameter found: whether what they waited for is there.
    func end(_ ids: [Int], found: Bool) {
        let ended = waiters.withLock { waiters in ids.compactMap { waiters.removeValue(forKey: $0) } }
        for waiter in ended {
            waiter.timeout.cancel()
            waiter.continuation.resume(returning: found)
        }
    }
}

extension Engine {
    /// Waits until there may be as many requests as somebody waits for; who is woken looks for himself, since a reset
    /// wakes all.
    ///
    /// - Returns: false when they did not come in time, or the task was cancelled.
    func wait(_ wait: RequestWait, within time: TimeAmount) async -> Bool {
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
                guard let id else { return continuation.resume(returning: true) }
                ticket.withLock { $0 = id }
                if Task.isCancelled { cancelWait(id) }
            }
        } onCancel: {
            if let id = ticket.withLock({ $0 }) { cancelWait(id) }
        }
    }

    private func cancelWait(_ id: Int) {
        gateway.withLock { $0.cancelWait(id) }
        waiting.end([id], found: false)
    }
}
