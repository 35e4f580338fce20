package import MockAPNSCore

extension MockAPNSServer {
    /// Makes pushes wait for the fleet's order if they need it.
    ///
    /// - Parameter submit: hands them on to all replicas; it must not wait.
    package func orderPushes(_ submit: @escaping @Sendable ([OrderedPush]) -> Void) {
        engine.ordering.withLock { $0 = submit }
        engine.gateway.withLock { $0.joinOrder() }
    }

    /// Decides pushes in the fleet's order, and answers those that this replica received.
    ///
    /// - Parameters:
    ///   - isOwn: whether this replica received them.
    ///   - seed: a number for random choices that is the same on all replicas.
    package func decideInOrder(_ pushes: [OrderedPush], isOwn: Bool, seed: UInt64) {
        engine.decideInOrder(pushes, isOwn: isOwn, seed: seed)
    }

    /// Answers pushes that still wait with 503 ServiceUnavailable.
    ///
    /// - Parameter explanation: why, as a sentence.
    package func refusePostponed(_ ids: [Int], because explanation: String) {
        engine.refusePostponed(ids, because: explanation)
    }

    /// Returns the requests counted here since the last call, by the numbers of the timeline entries that wait for them.
    package func takeCountedRequests() -> [(entry: Int, requests: Int)] {
        engine.gateway.withLock { $0.takeCountedRequests() }
    }

    /// Counts requests of all replicas that entries of the timeline wait for.
    package func countInOrder(_ counts: [(entry: Int, requests: Int)]) {
        engine.transact { gateway, lines, transaction in
            for (entry, requests) in counts {
                let now = gateway.momentOfEntry(orAt: transaction.real).clock
                gateway.countInOrder(requests, for: entry, at: now)
                transaction.note(gateway.takeEffects(), &lines)
            }
        }
    }
}
