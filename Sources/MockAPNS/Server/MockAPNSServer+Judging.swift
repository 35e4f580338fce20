import MockAPNSCore
package import MockAPNSJudge

extension MockAPNSServer {
    /// Returns the results of expectations that ended before the run did, in order. Empty unless
    /// ``Configuration/keepsEarlierResults`` is set.
    package func earlierResults() async -> [ExpectationResult] {
        engine.judgeEnded()
        return engine.earlierResults.withLock { $0.all }
    }

    /// Returns the results of the whole run: of the expectations that ended early, and of the current ones. The current
    /// ones are left out if they were judged before and no request has come since the last reset.
    ///
    /// - Returns: the results, and remarks for the user as sentences.
    package func verifyRun() async -> (verification: MockAPNSJudge.Verification, remarks: [String]) {
        let last = await verification(rulesOfRun: true)
        let (idleSince, isJudged) = engine.gateway.withLock { ($0.idleSince, $0.isJudgedToTheEnd) }
        var verification = await sessions.verification()
        verification.prepend(await earlierResults(), unusedRules: last.unusedRules)
        guard let idleSince else {
            verification.results += last.results
            return (verification, [])
        }
        let fact = "No request has arrived since \(idleSince)"
        // Rules are judged by the whole run.
        let ofRules = [last.unusedRules.result].compactMap(\.self)
        if isJudged, last.results.count > ofRules.count {
            verification.results += ofRules
            return (verification, ["\(fact); earlier expectations have been judged."])
        }
        verification.results += last.results
        return (verification, last.passed ? [] : ["\(fact)."])
    }

    /// Returns why expectations failed in a run without any request; `nil` if there was a request or all expectations
    /// hold.
    package func whyNoRequest(_ verification: MockAPNSJudge.Verification) -> String? {
        verification.passed ? nil : whyNothingCame(verification)
    }

    /// A sentence on expectations that saw nothing because all requests came in sessions; `nil` if that is not so.
    ///
    /// - Parameter verification: the verdict on the run, its sessions included.
    package func remarkOnSessions(_ verification: MockAPNSJudge.Verification) -> String? {
        guard !verification.passed, !scenario.expectations.isEmpty, let totals = sessions.totals, totals.requests > 0,
            engine.gateway.withLock({ $0.log.latestSequence == 0 })
        else { return nil }
        return
            "All requests came in sessions, which have scenarios of their own. What --scenario expects is judged outside of them, where none came; give that scenario to each test instead."
    }

    /// A sentence on a run that ended before its timeline; `nil` if it did not, or if all expectations hold.
    package func remarkOnTimeline(_ verification: MockAPNSJudge.Verification) -> String? {
        guard !verification.passed, let end = engine.gateway.withLock({ $0.endOfTimeline }) else { return nil }
        return
            "The run ended before its timeline, whose last entry is due at \(end.text): the clock is real. With \"clock\": {\"manual\": \"now\"}, exec moves it to the end of the timeline."
    }

    /// Sentences on what was wrong with the connections of the run.
    package var connectionFaults: [String] {
        engine.gateway.withLock { gateway in
            let ofRun = gateway.connections.all.filter { $0.number != nil }
            return Report.connectionFaults(
                ofRun.compactMap { connection in connection.explanation.map { (id: connection.id, explanation: $0) } })
        }
    }

    /// Returns why no request came in the whole run; `nil` if there was one.
    package func whyNothingCame(_ verification: MockAPNSJudge.Verification) -> String? {
        // Expectations that ended early have seen requests.
        guard verification.results.allSatisfy({ $0.end == nil }) else { return nil }
        guard sessions.totals.map({ $0.requests == 0 }) ?? true else { return nil }
        return engine.gateway.withLock { gateway in
            guard gateway.log.latestSequence == 0 else { return nil }
            return Report.whyNoRequest(gateway.connections.all.map { ($0.id, $0.explanation) })
        }
    }
}
