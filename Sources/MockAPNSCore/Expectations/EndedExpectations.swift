/// When and why expectations ended before the run did.
package struct EarlyEnd: Sendable, Hashable, CustomStringConvertible {
    /// What ended them.
    package enum Cause: Sendable, Hashable {
        /// Everything began anew, with the same scenario.
        case reset
        /// Another scenario replaced theirs.
        case replacement
    }

    /// What ended them.
    package var cause: Cause
    /// When, by the time of day.
    package var time: Timestamp

    /// `2026-11-21T10:00:00.123Z, when the scenario was reset`.
    package var description: String {
        switch cause {
        case .reset: "\(time.text), when the scenario was reset"
        case .replacement: "\(time.text), when another scenario replaced it"
        }
    }
}

/// Expectations that have ended, with the evidence to judge them by: a value of its own, judged without a lock.
package struct EndedExpectations: Sendable {
    /// When and why.
    package let end: EarlyEnd
    let evidence: Evidence
    /// Whether they were dropped for good before any request came that they could be judged by.
    let areUnjudged: Bool

    /// Judges them.
    package func verify() -> [ExpectationResult] {
        evidence.verify().results.map { result in
            var result = result
            result.end = end
            if areUnjudged {
                result.passed = false
                result.seen = "no request came before it was dropped, so it was never judged"
                result.nearMisses = []
            }
            return result
        }
    }
}

extension Gateway {
    /// Takes note that the expectations in force come to their end. They are to be judged by what happened until now, unless
    /// no request has come since they began. Who drops them before they were ever judged is told of, too: such a run has
    /// shown nothing.
    ///
    /// - Parameter next: the scenario that replaces theirs; `nil` where it is begun anew.
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

    /// The expectations that came to their end since this was last asked for, to be judged outside of the gateway's lock.
    package mutating func takeEndedExpectations() -> [EndedExpectations] {
        guard !judgements.ended.isEmpty else { return [] }
        defer { judgements.ended = [] }
        return judgements.ended
    }

    /// When the expectations in force began, where that was by a reset or with another scenario and no request has come
    /// since.
    package var idleSince: EarlyEnd? { log.latestSequence == watch.before.sequence ? judgements.latestEnd : nil }

    /// Whether nothing is left to be judged at the end of the run: the expectations in force were judged before, then
    /// everything began anew, and neither a request nor a connection has come since. A command that resets the server
    /// when each of its tests is over ends like this. A connection without a request does not: it shows a provider that
    /// has tried, and failed, to push.
    package var isJudgedToTheEnd: Bool {
        judgements.wereJudged && idleSince != nil && connections.count == watch.before.connections
    }
}

/// What is kept of expectations that came to their end.
struct Judgements {
    var ended: [EndedExpectations] = []
    /// Whether those in force were judged before.
    var wereJudged = false
    var latestEnd: EarlyEnd?
}

extension Scenario {
    /// Whether the same is expected of the same devices.
    fileprivate func expects(sameAs other: Scenario) -> Bool {
        expectations == other.expectations && devices.map(\.token) == other.devices.map(\.token)
    }
}
