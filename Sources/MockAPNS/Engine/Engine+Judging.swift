import MockAPNSCore
import MockAPNSJudge

// Expectations that end before the run does, because of a reset or another scenario.

extension Engine {
    /// Takes over the expectations that have ended, if their results will be asked for. Called under the gateway's
    /// lock, so that later queries miss nothing.
    func takeEnded(_ gateway: inout Gateway) {
        let ended = gateway.takeEndedExpectations()
        if keepsEarlierResults || lintsRun, !ended.isEmpty { earlierResults.withLock { $0.add(ended) } }
    }

    /// Judges the expectations that have ended, then releases what they are judged by, including the log.
    func judgeEnded() {
        for (id, ended) in earlierResults.withLock({ $0.unsettled }) {
            let results = keepsEarlierResults ? ended.verify() : []
            let lint = lintsRun ? ended.lint() : nil
            earlierResults.withLock { $0.settle(id, results, lint) }
        }
    }
}
