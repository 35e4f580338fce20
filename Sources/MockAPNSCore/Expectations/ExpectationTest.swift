/// An expectation of requests that is ready to be asked of records: what it counts, and how. A class, so that it is asked
/// without being copied.
final class ExpectationTest {
    /// What is made of the requests.
    enum Kind {
        case count(distinct: Expectation.Distinct?)
        case order
        case spacing(Expectation.Spacing)
    }

    /// The place of the expectation in its list.
    let place: Int
    let kind: Kind
    /// The conditions; more than one where an order is expected.
    let tests: [RequestTest]
    let each: RequestField?
    /// Whether it only counts requests, and nothing about them can change.
    let isPlain: Bool

    /// `nil` where no conditions are asked of requests.
    init?(_ expectation: Expectation, at place: Int = 0, in scenario: Scenario) {
        self.place = place
        func test(_ match: MatchExpression) -> RequestTest { RequestTest(RequestMatch(match, in: scenario)) }
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
    }

    /// `nil` for a record that is nothing to it.
    func find(_ subject: inout RecordSubject) -> Finding? {
        var finding = Finding(
            candidate: Candidate(
                conditions: [], sequence: subject.sequence, time: subject.record.time,
                state: RecordState(subject.record)))
        var isSent = false
        for (place, test) in tests.enumerated() {
            if each == nil, !test.holdsForDecision(&subject) { continue }
            guard test.holdsForSent(&subject) else { continue }
            isSent = true
            if each == nil || test.holdsForDecision(&subject) {
                finding.candidate.conditions.append((place, test.state))
            }
        }
        // A value that only failed requests have is one of every value, too.
        guard isSent else { return nil }
        if let each {
            guard let group = subject.value(each) else { return nil }
            finding.group = group
        }
        if case .count(let distinct?) = kind, !finding.candidate.conditions.isEmpty {
            finding.value = subject.value(distinct)
            if finding.value == nil { finding.candidate.conditions = [] }
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
