/// Counts for the expectations as requests are decided, so that the log's limit does not matter. MockAPNSJudge judges
/// by its ``tallies``.
///
/// It receives every record once complete, and every change to one. It remembers what may still change about a record,
/// even if the log has dropped it.
package struct ExpectationCounter {
    /// The counts for one expectation; empty if it does not concern requests.
    package struct Tally: Sendable {
        package var counts: Grouped<CountTally>?
        package var orders: Grouped<InOrder<OrderTally>>?
        package var spacings: Grouped<InOrder<SpacingTally>>?
        /// For an expectation of nothing else: the number of requests that no earlier expectation counted.
        package var others = 0
        /// The requests that may or may not match.
        package var undecided = UndecidedMatches()
    }

    /// All counts.
    package struct Tallies: Sendable {
        /// One tally per expectation.
        package var expectations: [Tally]
        /// The hashes of the provider tokens seen.
        package var providerTokens: Set<UInt64> = []
        /// The ids of connections of this run that were opened before the beginning and have carried requests since.
        package var olderConnections: Set<UInt32> = []
        /// The openings of connections, for each expectation about their spacing.
        package var openings: [Int: SpacingTally] = [:]
    }

    /// A record that may change in a way that affects an expectation.
    private struct Unsettled {
        var state: RecordState
        var findings: [(expectation: Int, finding: ExpectationTest.Finding)]
        /// Its contribution to the expectations for which nothing can change.
        var contribution: Contribution
        /// Whether it may be a request that nothing expects.
        var countsOthers: Bool
    }

    /// The contribution of a request to an expectation of nothing else.
    private struct Contribution {
        /// The first expectation that counts it.
        var countedBy = Int.max
        /// The first expectation for which that is undecided, and the pattern.
        var undecided: (by: Int, pattern: UndecidedPattern)?

        mutating func count(_ index: Int) { countedBy = min(countedBy, index) }

        mutating func leaveUndecided(_ index: Int, _ pattern: UndecidedPattern) {
            if index < undecided?.by ?? .max { undecided = (index, pattern) }
        }

        mutating func note(_ candidate: Candidate, _ index: Int) {
            if candidate.isCounted { count(index) }
            if let pattern = candidate.undecidedPattern { leaveUndecided(index, pattern) }
        }
    }

    package private(set) var tallies: Tallies
    /// Whether it needs to receive requests.
    package let seesRequests: Bool
    /// The id of the last connection before the beginning.
    let connectionsBefore: Int
    private let tests: [ExpectationTest]
    private let nothingElse: [Int]
    /// The expectations about provider tokens.
    private let tokenIndices: [Int]
    private let seesConnections: Bool
    /// The connections that began before the beginning, and opened since.
    private var openedLate: Set<UInt32> = []
    private var unsettled: [Int: Unsettled] = [:]
    private var latestToken: ProviderToken?

    /// - Parameter patterns: evaluates regular expressions.
    package init(
        _ expectations: [Expectation], in scenario: Scenario, connectionsBefore: Int, _ patterns: PatternContext
    ) {
        tallies = Tallies(expectations: expectations.map { _ in Tally() })
        var tests: [ExpectationTest] = []
        var nothingElse: [Int] = []
        var tokenIndices: [Int] = []
        var seesConnections = false
        for (index, expectation) in expectations.enumerated() {
            switch expectation.form {
            case .nothingElse: nothingElse.append(index)
            case .providerTokens: tokenIndices.append(index)
            case .connections: seesConnections = true
            case .spacing(let spacing, _) where spacing.requests == nil:
                tallies.openings[index] = SpacingTally(spacing)
            default: break
            }
            guard let test = ExpectationTest(expectation, at: index, in: scenario, patterns) else { continue }
            tests.append(test)
            switch test.kind {
            case .count: tallies.expectations[index].counts = Grouped(CountTally(), each: test.each)
            case .order:
                tallies.expectations[index].orders = Grouped(
                    InOrder(OrderTally(length: test.tests.count)), each: test.each)
            case .spacing(let spacing):
                tallies.expectations[index].spacings = Grouped(InOrder(SpacingTally(spacing)), each: test.each)
            }
        }
        self.tests = tests
        self.nothingElse = nothingElse
        self.tokenIndices = tokenIndices
        self.seesConnections = seesConnections
        self.connectionsBefore = connectionsBefore
        seesRequests = !tests.isEmpty || !nothingElse.isEmpty || !tokenIndices.isEmpty || seesConnections
    }

    /// Records an opened connection.
    package mutating func noteOpening(of connection: ConnectionReference, at time: Timestamp) {
        guard let number = connection.number else { return }
        if connection.key <= connectionsBefore { openedLate.insert(UInt32(clamping: connection.key)) }
        for index in tallies.openings.keys { tallies.openings[index]?.take(number, at: time) }
    }

    /// Processes a new request.
    ///
    /// - Parameter uncertain: the pattern that leaves undecided whether the request is in scope.
    package mutating func take(_ subject: inout RecordSubject, uncertain: UndecidedPattern? = nil) {
        if !tokenIndices.isEmpty { noteToken(of: subject, uncertain) }
        if seesConnections, subject.connection != nil, subject.record.connectionID <= connectionsBefore,
            !openedLate.contains(subject.record.connectionID)
        {
            tallies.olderConnections.insert(subject.record.connectionID)
        }
        var contribution = Contribution()
        var open = (findings: [(Int, ExpectationTest.Finding)](), contribution: Contribution())
        for test in tests {
            let index = test.index
            if test.isPlain {
                var result = test.tests[0].test(&subject)
                if let uncertain { result = result && .undecided(uncertain) }
                switch result {
                case .no: continue
                case .yes:
                    tallies.expectations[index].counts?.addToAll()
                    contribution.count(index)
                    open.contribution.count(index)
                case .undecided(let pattern):
                    tallies.expectations[index].undecided.add(subject.sequence, pattern)
                    contribution.leaveUndecided(index, pattern)
                    open.contribution.leaveUndecided(index, pattern)
                }
                continue
            }
            guard let finding = test.find(&subject, uncertain: uncertain) else { continue }
            take(finding, for: index)
            contribution.note(finding.candidate, index)
            if finding.candidate.canChange {
                open.findings.append((index, finding))
            } else {
                open.contribution.note(finding.candidate, index)
            }
        }
        if let uncertain { contribution.leaveUndecided(-1, uncertain) }
        let countsOthers = subject.record.sender == .provider && !subject.isCall
        if countsOthers { countOther(subject.sequence, contribution, 1) }
        if !open.findings.isEmpty {
            unsettled[subject.sequence] = Unsettled(
                state: RecordState(subject.record), findings: open.findings, contribution: open.contribution,
                countsOthers: countsOthers)
        }
    }

    private mutating func noteToken(of subject: borrowing RecordSubject, _ uncertain: UndecidedPattern?) {
        guard subject.record.sender == .provider, let token = subject.token, token !== latestToken else { return }
        if let uncertain {
            guard !tallies.providerTokens.contains(token.hash) else { return }
            for index in tokenIndices { tallies.expectations[index].undecided.add(subject.sequence, uncertain) }
            return
        }
        latestToken = token
        if tallies.providerTokens.count < TallyLimit.values { tallies.providerTokens.insert(token.hash) }
    }

    /// Counts a request, or removes it, where nothing else is expected.
    private mutating func countOther(_ sequence: Int, _ contribution: Contribution, _ difference: Int) {
        for index in nothingElse where contribution.countedBy > index {
            guard let undecided = contribution.undecided, undecided.by < index else {
                tallies.expectations[index].others += difference
                continue
            }
            if difference > 0 {
                tallies.expectations[index].undecided.add(sequence, undecided.pattern)
            } else {
                tallies.expectations[index].undecided.remove(sequence)
            }
        }
    }

    private mutating func take(_ finding: ExpectationTest.Finding, for index: Int) {
        let candidate = finding.candidate
        if let pattern = candidate.undecidedPattern {
            tallies.expectations[index].undecided.add(candidate.sequence, pattern)
        }
        guard finding.isSent else { return }
        tallies.expectations[index].counts?.with(finding.group) {
            if candidate.isCounted { $0.add(finding.value) }
        }
        tallies.expectations[index].orders?.with(finding.group) { $0.take(candidate) }
        tallies.expectations[index].spacings?.with(finding.group) { $0.take(candidate) }
    }

    /// Processes a changed record.
    mutating func change(_ sequence: Int, _ update: RequestUpdate) {
        guard var record = unsettled[sequence] else { return }
        record.state.apply(update)
        var (before, after) = (record.contribution, record.contribution)
        for number in record.findings.indices {
            let (index, finding) = record.findings[number]
            let old = finding.candidate
            record.findings[number].finding.candidate.state = record.state
            let new = record.findings[number].finding.candidate
            before.note(old, index)
            after.note(new, index)
            switch (old.undecidedPattern, new.undecidedPattern) {
            case (nil, let pattern?): tallies.expectations[index].undecided.add(sequence, pattern)
            case (.some, nil): tallies.expectations[index].undecided.remove(sequence)
            default: break
            }
            // Only requests that were sent can change, so the group has a tally.
            if old.isCounted != new.isCounted {
                tallies.expectations[index].counts?.with(finding.group) {
                    if new.isCounted { $0.add(finding.value) } else { $0.remove(finding.value) }
                }
            }
            tallies.expectations[index].orders?.with(finding.group) { $0.change(sequence, to: record.state) }
            tallies.expectations[index].spacings?.with(finding.group) { $0.change(sequence, to: record.state) }
        }
        if record.countsOthers {
            countOther(sequence, before, -1)
            countOther(sequence, after, 1)
        }
        unsettled[sequence] = record.state.isFinal ? nil : record
    }
}

extension Candidate {
    /// Whether it meets one of the conditions in its current state.
    var isCounted: Bool { conditions.contains { $0.state.holds(for: state) } }
}
