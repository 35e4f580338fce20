extension Gateway {
    /// Ends the current expectations. They will be judged by what has happened until now, unless no request has come
    /// since they began. Expectations discarded without ever being judged are reported as well, because such a run has
    /// shown nothing. Where the whole run is to be linted, requests are kept for that even if nothing is expected.
    ///
    /// - Parameter next: the scenario that replaces theirs; `nil` for a reset.
    mutating func endExpectations(replacedBy next: Scenario? = nil, at now: Timestamp) {
        expectationHistory.rules.end(rules, of: scenario, replacedBy: next)
        let end = EarlyEnd(cause: next == nil ? .reset : .replacement, time: now)
        let staysInForce = next.map { $0.expects(sameAs: scenario) } ?? true
        let isIdle = log.latestSequence == watch.before.sequence
        let isToBeJudged =
            !scenario.expectations.isEmpty && (!isIdle || !staysInForce && !expectationHistory.wereJudged)
        if isToBeJudged || expectationHistory.keepsRequests && !isIdle {
            let input = verificationInput(isLinted: expectationHistory.keepsRequests, at: now)
            expectationHistory.ended.append(EndedExpectations(end: end, input: input, areUnjudged: isIdle))
        }
        expectationHistory.wereJudged = staysInForce && (expectationHistory.wereJudged || !isIdle)
        expectationHistory.latestEnd = end
    }

    /// Returns the expectations that have ended since the last call, to be judged outside the gateway's lock.
    package mutating func takeEndedExpectations() -> [EndedExpectations] {
        guard !expectationHistory.ended.isEmpty else { return [] }
        defer { expectationHistory.ended = [] }
        return expectationHistory.ended
    }

    /// Keeps the requests before each reset, and before each other scenario, until they have been linted.
    package mutating func keepRequestsForLint() { expectationHistory.keepsRequests = true }

    /// Notes that no provider sends any more, as far as the caller knows: the command that is judged has ended.
    package mutating func noteEndOfProviders() {
        expectationHistory.latestAtEnd = (log.latestSequence, connections.count)
    }

    /// Whether the providers have ended, and nothing has come since.
    var haveProvidersEnded: Bool {
        expectationHistory.latestAtEnd.map { $0 == (log.latestSequence, connections.count) } ?? false
    }

    /// When the current expectations began, if that was by a reset or another scenario and no request has come since.
    package var idleSince: EarlyEnd? {
        log.latestSequence == watch.before.sequence ? expectationHistory.latestEnd : nil
    }

    /// Whether nothing is left to judge at the end of the run: the current expectations were judged before, then there
    /// was a reset, and neither a request nor a connection has come since. This is how a command ends that resets the
    /// server after each of its tests. A connection without a request counts, because it shows a provider that tried to
    /// push and failed.
    package var isJudgedToTheEnd: Bool {
        expectationHistory.wereJudged && idleSince != nil && connections.count == watch.before.connections.opened
    }
}

extension Scenario {
    /// Returns whether both scenarios expect the same of the same devices.
    fileprivate func expects(sameAs other: Scenario) -> Bool {
        expectations == other.expectations && devices.map(\.token) == other.devices.map(\.token)
    }
}
