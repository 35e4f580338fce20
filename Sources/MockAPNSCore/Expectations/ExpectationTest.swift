/// An expectation of requests that is ready to be asked of records: what it counts, and how. A class, so that it is asked
/// without being copied.
final class ExpectationTest {
    /// What is made of the requests.
    enum Kind {
        case count(distinct: Expectation.Distinct?)
        case order
        case spacing(Expectation.Spacing)
    }

    /// The index of the expectation in its list.
    let index: Int
    let kind: Kind
    /// The conditions; more than one where an order is expected.
    let tests: [RequestTest]
    let each: RequestField?
    /// Whether it only counts requests, and nothing about them can change.
    let isPlain: Bool

    /// `nil` where no conditions are asked of requests.
    ///
    /// - Parameter patterns: where regular expressions are tried.
    init?(_ expectation: Expectation, at index: Int = 0, in scenario: Scenario, _ patterns: PatternContext) {
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
        case .device, .connections, .providerTokens, .pings, .nothingElse: return nil
        }
    }

    /// What a record is to the expectation.
    struct Finding {
        /// Whose tally it belongs to; `nil` where all have one.
        var group: RecordValue?
        /// The value that is counted instead of the request.
        var value: RecordValue?
        /// The conditions that it fulfils in all that does not change; none where it only lets its group have a tally.
        var candidate: Candidate
        /// Whether its group has a tally for it; else that is undecided.
        var isSent = false
    }

    /// `nil` for a record that is nothing to it.
    ///
    /// - Parameter uncertain: the pattern because of which it is undecided whether the record is looked at.
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
                // Not even whether its group is one is known.
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
        // A value that only failed requests have is one of every value, too.
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
    /// What is told from others; `nil` where it is absent.
    mutating func value(_ distinct: Expectation.Distinct) -> RecordValue? {
        switch distinct {
        case .field(let field): value(field)
        case .payload(let pointer): payload(pointer).map { RecordValue($0) }
        }
    }
}
