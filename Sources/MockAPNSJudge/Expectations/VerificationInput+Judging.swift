package import MockAPNSCore

extension VerificationInput {
    /// Judges the scenario's expectations.
    package func verify() -> Verification { verifying().finish() }

    /// Like ``verify()``, in slices.
    package func verifying() -> VerificationTask {
        var work: VerificationTask
        if let tallies {
            work = VerificationTask(scenario.expectations, tallies, self, after: sequenceBefore)
        } else {
            work = verifying(scenario.expectations)
        }
        work.judgesRules = true
        return work
    }

    /// Judges other expectations by the records still in the log, in slices. Expectations of requests fail if the log
    /// has dropped some because of its limit.
    ///
    /// - Parameters:
    ///   - expectations: the expectations, as read by ``Scenario/expectations(from:)`` of the same scenario.
    ///   - within: only requests that match this are considered; `nil` means all. Devices are considered as they are.
    ///     Connections and PING frames cannot be limited, so ``Scenario/verificationQuestion(from:)`` refuses them.
    package func verifying(_ expectations: [Expectation], within: MatchExpression? = nil) -> VerificationTask {
        VerificationTask(expectations, self, within: within.map { RequestMatch($0, in: scenario) })
    }
}
