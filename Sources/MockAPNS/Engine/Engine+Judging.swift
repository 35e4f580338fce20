package import MockAPNSCore

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

    /// What came of a whole run: of the expectations that ended early, and of those in force now. The latter are left out
    /// where they were judged before and nothing has come since the last reset.
    ///
    /// - Returns: the results, and what people have to know besides, in sentences.
    package func verifyRun() async -> (verification: MockAPNSCore.Verification, remarks: [String]) {
        let earlier = await earlierResults() + sessions.results()
        let last = await verification()
        let (idleSince, isJudged) = engine.gateway.withLock { ($0.idleSince, $0.isJudgedToTheEnd) }
        guard let idleSince else { return (MockAPNSCore.Verification(earlier + last.results), []) }
        let fact = "No request has come since \(idleSince)"
        if isJudged, !last.results.isEmpty {
            return (MockAPNSCore.Verification(earlier), ["\(fact); what was expected until then has been judged."])
        }
        return (MockAPNSCore.Verification(earlier + last.results), last.passed ? [] : ["\(fact)."])
    }

    /// Why expectations failed in a run in which no request came; `nil` when one came, or all hold.
    package func whyNoRequest(_ verification: MockAPNSCore.Verification) -> String? {
        // What ended early has seen requests.
        guard !verification.passed, verification.results.allSatisfy({ $0.end == nil }) else { return nil }
        guard sessions.totals.map({ $0.requests == 0 }) ?? true else { return nil }
        return engine.gateway.withLock { gateway in
            guard gateway.log.latestSequence == 0 else { return nil }
            return Report.whyNoRequest(gateway.connections.all.map { ($0.id, $0.explanation) })
        }
    }
}
