import MockAPNSCore

/// Judges expectations in slices.
package struct VerificationTask: YieldingTask {
    /// Counts in the log; `nil` if counting happened as requests were decided.
    private struct Counting {
        var cursor: RecordCursor
        var counter: ExpectationCounter
        /// Only requests that pass this test are considered.
        let within: RequestTest?
    }

    private let expectations: [Expectation]
    private let input: VerificationInput
    /// Whether rules that never applied may count as a failed expectation: that is for the scenario's own expectations.
    var judgesRules = false
    private var counting: Counting?
    private var assessment: Assessment?
    /// Lint of the log: once for all expectations about it, when the first of them is judged.
    private var linting: LogSearch<LogLint>?
    private let lookups: LogLookups
    /// The evaluator of regular expressions.
    private let patterns: PatternContext
    private var results: [ExpectationResult] = []
    /// The result, complete except for lookups in the log; `nil` before the next expectation is judged.
    private var draft: ExpectationResult?
    private var searchesLog = true

    /// Judges by existing counts.
    init(
        _ expectations: [Expectation], _ tallies: ExpectationCounter.Tallies, _ input: VerificationInput, after: Int
    ) {
        (self.expectations, self.input) = (expectations, input)
        lookups = LogLookups(input.log)
        patterns = PatternContext()
        assessment = Assessment(
            expectations, tallies, input, lookups, Assessment.Scope(after: after), patterns)
    }

    /// Judges by the records still in the log.
    init(_ expectations: [Expectation], _ input: VerificationInput, within: RequestMatch?) {
        patterns = PatternContext()
        (self.expectations, self.input) = (expectations, input)
        lookups = LogLookups(input.log)
        var counter = ExpectationCounter(
            expectations, in: input.scenario, connectionsBefore: input.connections.latestBefore, patterns)
        for (connection, time) in input.connections.openings { counter.noteOpening(of: connection, at: time) }
        let cursor = RecordCursor(input.log, after: counter.seesRequests ? 0 : .max)
        counting = Counting(cursor: cursor, counter: counter, within: within.map { RequestTest($0, patterns) })
    }

    /// Stops searching the log for what only makes results easier to understand: the numbers of requests, and near
    /// misses. The verdict stays the same.
    package mutating func stopExplaining() { searchesLog = false }

    /// Counts, judges or searches one slice.
    package mutating func proceed() -> Verification? {
        if counting != nil { return count() }
        guard let assessment else { return nil }
        if let draft {
            if searchesLog, lookups.proceed() {
                // The result may be needed for the next search.
                if !lookups.isWaiting { self.draft = assessment.result(results.count) }
                return nil
            }
            results.append(draft)
            self.draft = nil
        }
        guard results.count < expectations.count else { return finished }
        if assessment.lint == nil, expectations[results.count].isAboutLint {
            lint(after: assessment.after, within: assessment.within)
            return nil
        }
        lookups.begin()
        draft = assessment.result(results.count)
        return nil
    }

    private var finished: Verification {
        let unused = input.knownUnusedRules
        var verification = Verification(results)
        verification.unusedRules =
            judgesRules ? unused : unused.by(input.scenario.unusedRules == .ignore ? .ignore : .report)
        if judgesRules, let result = unused.result { verification.results.append(result) }
        verification.remarks = input.remarks
        if let gap = input.fleetGap { verification.note(gap: gap, isAllowed: input.allowsMissing) }
        return verification
    }

    private mutating func lint(after: Int, within: RequestTest?) {
        var search = linting.take() ?? input.linting(LintQuery(), after: after, within: within)
        let outcome = search.proceed()
        if outcome == nil { linting = search }
        assessment?.lint = outcome
    }

    private mutating func count() -> Verification? {
        guard var counting = counting.take() else { return nil }
        let within = counting.within
        let goesOn = counting.cursor.read(&counting.counter) { subject, counter in
            let isMeant = within?.test(&subject) ?? .yes
            if !isMeant.isFalse { counter.take(&subject, uncertain: isMeant.undecidedPattern) }
        }
        if goesOn {
            self.counting = counting
        } else {
            let scope = Assessment.Scope(within: within, isCountedInLog: true)
            assessment = Assessment(expectations, counting.counter.tallies, input, lookups, scope, patterns)
        }
        return nil
    }
}
