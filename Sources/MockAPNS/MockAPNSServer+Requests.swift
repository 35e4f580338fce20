public import MockAPNSCore
import NIOCore

// Asking for requests, and waiting for them.

extension MockAPNSServer {
    /// Waits until so many requests fulfil a match.
    ///
    /// - Parameters:
    ///   - match: what is asked of them.
    ///   - count: how many, at least 1.
    ///   - after: only requests with a higher sequence number count.
    ///   - time: how long at most.
    /// - Returns: the log at the end, and whether they came.
    package func wait(
        for match: RequestMatch, count: Int, after: Int = 0, within time: Duration
    ) async -> (log: RequestSnapshot, isFulfilled: Bool) {
        let deadline = ContinuousClock.now + time
        while true {
            let log = requestLog
            let wait = RequestWait(for: match, count: count, after: after, in: log)
            if wait.isOver { return (log, true) }
            let left = deadline - .now
            guard left > .zero, !Task.isCancelled, await engine.wait(wait, within: TimeAmount(left)) else {
                return (requestLog, false)
            }
        }
    }

    /// Judges what the scenario expects, by all that happened until now.
    public func verify() async -> Verification { await evidence().verify() }

    /// Judges other expectations, by the records that the log still has.
    ///
    /// - Parameters:
    ///   - expectations: as this scenario reads them.
    ///   - within: only requests that fulfil this are looked at; `nil`: all.
    package func verify(_ expectations: [Expectation], within: MatchExpression? = nil) async -> Verification {
        await evidence(for: expectations).verify(expectations, within: within)
    }

    private func evidence(for others: [Expectation] = []) async -> Evidence {
        await reportCounters()
        return engine.gateway.withLock { $0.evidence(for: others) }
    }
}
