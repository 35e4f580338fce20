/// A ``RequestMatch`` that is ready to be asked of records.
///
/// A match that does not say who has sent the push means those of providers.
///
/// Its conditions stand in three groups: what the provider has sent, what was decided about that, and `outcome` and
/// `delivery`, which may change while the record stands. A class, so that it is asked without copying their lists.
final class RequestTest {
    let match: RequestMatch
    /// All conditions, in the order of the match.
    private let conditions: [MatchCondition]
    private let sent: [MatchCondition]
    private let decided: [MatchCondition]
    /// What it asks of that which may change.
    let state: StateTest

    private let patterns: PatternContext
    /// How many records were undecided when they were asked for by ``holds(_:)``.
    private(set) var undecided = 0

    /// - Parameter patterns: where regular expressions are tried.
    init(_ match: RequestMatch, _ patterns: PatternContext = PatternContext()) {
        self.match = match
        self.patterns = patterns
        conditions = match.conditions.map { MatchCondition($0, patterns) }
        var (sent, decided, state) = ([MatchCondition](), [MatchCondition](), StateTest())
        for condition in conditions {
            switch condition {
            case .word(.sentBy, _): sent.append(condition)
            case .word(.outcome, let mask): state.outcomes &= mask
            case .word(.delivery, let mask): state.deliveries &= mask
            case .word, .decider, .number(.status, _): decided.append(condition)
            default: sent.append(condition)
            }
        }
        if !match.names(.sentBy) { sent.append(.word(.sentBy, 1 << Sender.provider.rawValue)) }
        self.sent = sent.sortedByCost
        (self.decided, self.state) = (decided, state)
    }

    /// Whether all conditions hold; what is undecided is counted.
    func holds(_ subject: inout RecordSubject) -> Bool {
        switch test(&subject) {
        case .yes: return true
        case .no: return false
        case .undecided:
            undecided += 1
            return false
        }
    }

    /// Whether all conditions hold.
    func test(_ subject: inout RecordSubject) -> Truth {
        guard state.holds(for: RecordState(subject.record)) else { return .no }
        return testDecision(&subject) && testSent(&subject)
    }

    /// Whether the conditions hold for what the provider has sent.
    func testSent(_ subject: inout RecordSubject) -> Truth {
        patterns.request = subject.sequence
        return sent.test(&subject)
    }

    /// Whether the conditions hold for what was decided and does not change.
    func testDecision(_ subject: inout RecordSubject) -> Truth { decided.test(&subject) }
}

extension RequestTest {
    /// Whether a record can come near: one of the other sender is not meant at all.
    func isAbout(_ subject: borrowing RecordSubject) -> Bool {
        match.names(.sentBy) || subject.record.sender == .provider
    }

    /// The conditions that do not hold for a record, by their indices in the match.
    func failing(_ subject: inout RecordSubject) -> [(index: Int, isUndecided: Bool)] {
        patterns.request = subject.sequence
        var failing: [(index: Int, isUndecided: Bool)] = []
        for (index, condition) in conditions.enumerated() {
            switch condition.test(&subject) {
            case .yes: break
            case .no: failing.append((index, false))
            case .undecided: failing.append((index, true))
            }
        }
        return failing
    }
}
