/// An expectation of requests prepared for testing records. A class, so that it is not copied.
package final class ExpectationTest {
    /// How requests are evaluated.
    enum Kind {
        case count(distinct: Expectation.Distinct?)
        case order
        case spacing(Expectation.Spacing)
    }

    /// The index of the expectation in its list.
    let index: Int
    let kind: Kind
    /// The conditions; more than one if an order is expected.
    package let tests: [RequestTest]
    let each: RequestField?
    /// Whether it only counts requests, and nothing about them can change.
    let isPlain: Bool

    /// Fails if there are no conditions on requests.
    ///
    /// - Parameter patterns: evaluates regular expressions.
    package init?(_ expectation: Expectation, at index: Int = 0, in scenario: Scenario, _ patterns: PatternContext) {
        self.index = index
        func test(_ match: MatchExpression) -> RequestTest { RequestTest(RequestMatch(match, in: scenario), patterns) }
        switch expectation.form {
        case .requests(let match, _, let distinct, let each):
            (kind, tests, self.each) = (.count(distinct: distinct), [test(match)], each)
            isPlain = distinct == nil && each == nil && !tests[0].state.asks
        case .inOrder(let matches, let each):
            (kind, tests, self.each) = (.order, matches.map(test), each)
            isPlain = false
        case .spacing(let spacing, let each):
            guard let match = spacing.requests else { return nil }
            (kind, tests, self.each) = (.spacing(spacing), [test(match)], each)
            isPlain = false
        case .device, .connections, .providerTokens, .pings, .channel, .channels, .lint, .nothingElse: return nil
        }
    }

    /// The result of testing a record.
    struct Finding {
        /// The value whose tally it belongs to; `nil` if there is one tally for all.
        var group: RecordValue?
        /// The value that is counted instead of the request.
        var value: RecordValue?
        /// The conditions it meets, apart from state that may change; empty if it only gives its group a tally.
        var candidate: Candidate
        /// Whether its group has a tally because of it; otherwise that is undecided.
        var isSent = false
    }

    /// Tests a record; returns `nil` if it is irrelevant.
    ///
    /// - Parameter uncertain: the pattern that leaves undecided whether the record is in scope.
    func find(_ subject: inout RecordSubject, uncertain: UndecidedPattern? = nil) -> Finding? {
        var finding = Finding(
            candidate: Candidate(
                conditions: [], sequence: subject.sequence, time: subject.record.time,
                state: RecordState(subject.record)))
        for (index, test) in tests.enumerated() {
            let decision = test.testDecision(&subject)
            if each == nil, decision.isFalse { continue }
            var sent = test.testSent(&subject)
            if let uncertain { sent = sent && .undecided(uncertain) }
            if sent.isFalse { continue }
            if each != nil, let pattern = sent.undecidedPattern {
                // It is not even known whether its group counts.
                finding.candidate.undecided.append((index, StateTest(), pattern))
                continue
            }
            finding.isSent = true
            switch decision && sent {
            case .yes: finding.candidate.conditions.append((index, test.state))
            case .undecided(let pattern): finding.candidate.undecided.append((index, test.state, pattern))
            case .no: break
            }
        }
        // A value that occurs only in failed requests is still one of all the values.
        guard finding.isSent || !finding.candidate.undecided.isEmpty else { return nil }
        if let each {
            guard let group = subject.value(each) else { return nil }
            finding.group = group
        }
        if case .count(let distinct?) = kind {
            finding.value = subject.value(distinct)
            if finding.value == nil { (finding.candidate.conditions, finding.candidate.undecided) = ([], []) }
        }
        return finding
    }
}

extension RecordSubject {
    /// Returns the value to be distinct; `nil` if it is absent.
    mutating func value(_ distinct: Expectation.Distinct) -> RecordValue? {
        switch distinct {
        case .field(let field): value(field)
        case .payload(let pointer): payload(pointer).map { RecordValue($0) }
        }
    }
}
