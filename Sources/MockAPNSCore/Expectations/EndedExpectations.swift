/// When and why expectations ended before the run did.
package struct EarlyEnd: Sendable, Hashable, CustomStringConvertible {
    /// What ended them.
    package enum Cause: Sendable, Hashable {
        /// A reset, with the same scenario.
        case reset
        /// Another scenario.
        case replacement
    }

    /// What ended them.
    package var cause: Cause
    /// The real time.
    package var time: Timestamp

    /// For example `2026-11-21T10:00:00.123Z, when the scenario was reset`.
    package var description: String {
        switch cause {
        case .reset: "\(time.text), when the scenario was reset"
        case .replacement: "\(time.text), when another scenario replaced it"
        }
    }
}

/// Expectations that have ended, with the evidence to judge them: an independent value, judged without a lock.
package struct EndedExpectations: Sendable {
    /// When and why they ended.
    package let end: EarlyEnd
    let evidence: Evidence
    /// Whether they were discarded before any request came to judge them by.
    let areUnjudged: Bool

    /// Judges them.
    package func verify() -> [ExpectationResult] {
        evidence.verify().results.map { result in
            var result = result
            result.end = end
            if areUnjudged {
                result.passed = false
                result.seen = "no request arrived before it was dropped, so it was never judged"
                result.nearMisses = []
            }
            return result
        }
    }
}

extension Gateway {
    /// Ends the current expectations. They will be judged by what has happened until now, unless no request has come
    /// since they began. Expectations discarded without ever being judged are reported as well, because such a run has
    /// shown nothing.
    ///
    /// - Parameter next: the scenario that replaces theirs; `nil` for a reset.
    mutating func endExpectations(replacedBy next: Scenario? = nil, at now: Timestamp) {
        let end = EarlyEnd(cause: next == nil ? .reset : .replacement, time: now)
        let staysInForce = next.map { $0.expects(sameAs: scenario) } ?? true
        let isIdle = log.latestSequence == watch.before.sequence
        if !scenario.expectations.isEmpty, !isIdle || !staysInForce && !judgements.wereJudged {
            judgements.ended.append(EndedExpectations(end: end, evidence: evidence(at: now), areUnjudged: isIdle))
        }
        judgements.wereJudged = staysInForce && (judgements.wereJudged || !isIdle)
        judgements.latestEnd = end
    }

    /// Returns the expectations that have ended since the last call, to be judged outside the gateway's lock.
    package mutating func takeEndedExpectations() -> [EndedExpectations] {
        guard !judgements.ended.isEmpty else { return [] }
        defer { judgements.ended = [] }
        return judgements.ended
    }

    /// When the current expectations began, if that was by a reset or another scenario and no request has come since.
    package var idleSince: EarlyEnd? { log.latestSequence == watch.before.sequence ? judgements.latestEnd : nil }

    /// Whether nothing is left to judge at the end of the run: the current expectations were judged before, then there
    /// was a reset, and neither a request nor a connection has come since. This is how a command ends that resets the
    /// server after each of its tests. A connection without a request counts, because it shows a provider that tried to
    /// push and failed.
    package var isJudgedToTheEnd: Bool {
        judgements.wereJudged && idleSince != nil && connections.count == watch.before.connections
    }
}

/// What is kept of expectations that have ended.
struct Judgements {
    var ended: [EndedExpectations] = []
    /// Whether the current ones were judged before.
    var wereJudged = false
    var latestEnd: EarlyEnd?
}

extension Scenario {
    /// Returns whether both scenarios expect the same of the same devices.
    fileprivate func expects(sameAs other: Scenario) -> Bool {
        expectations == other.expectations && devices.map(\.token) == other.devices.map(\.token)
    }
}
