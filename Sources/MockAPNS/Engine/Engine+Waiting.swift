import MockAPNSCore
import NIOCore

extension Engine {
    /// Continues a wait that has begun, given its id.
    ///
    /// - Parameter found: what was there when it began.
    func wait(_ id: Int, found: FoundRequests, within time: TimeAmount) async -> Waiting.End {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = transact { gateway, _, _ -> Bool in
                    // Under the gateway's lock, so that the wait is known before anything can wake it.
                    let isKnown = waiting.add(id, continuation) {
                        timers.schedule(in: time) { [self] in cancelWait(id) }
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

    /// Ends a wait if it still exists.
    func cancelWait(_ id: Int) {
        gateway.withLock { $0.cancelWait(id) }
        waiting.end(id, .over)
    }
}
