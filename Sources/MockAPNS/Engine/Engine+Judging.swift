import MockAPNSCore

// Expectations that are in force no more before the run is over, by a reset or another scenario.

extension Engine {
    /// Takes over what has ended, where somebody will ask what came of it; called under the gateway's lock, so that nothing
    /// is missing for who asks later.
    func takeEnded(_ gateway: inout Gateway) {
        let ended = gateway.takeEndedExpectations()
        if keepsEarlierResults, !ended.isEmpty { earlierResults.withLock { $0.add(ended) } }
    }

    /// Judges what has ended. What it is judged by, a log among it, is let go then.
    func judgeEnded() {
        for (id, ended) in earlierResults.withLock({ $0.unsettled }) {
            let results = ended.verify()
            earlierResults.withLock { $0.settle(id, results) }
        }
    }
}

extension MockAPNSServer {
    /// What came of expectations that were in force no more before the run was over, in their order; none unless
    /// ``Configuration/keepsEarlierResults`` is set.
    package func earlierResults() async -> [ExpectationResult] {
        engine.judgeEnded()
        return engine.earlierResults.withLock { $0.all }
    }

    /// When the expectations in force began, where that was by a reset or with another scenario and no request has come
    /// since.
    package var idleSince: EarlyEnd? { engine.gateway.withLock { $0.idleSince } }
}
