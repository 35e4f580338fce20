/// A ``RequestMatch`` prepared for testing records.
///
/// A match without a condition on the sender applies to requests from providers only. One without a condition on the call
/// applies to calls about broadcast channels if it names what only these have, and else to pushes to devices only.
///
/// The conditions form three groups: what the provider sent, what was decided, and `outcome` and `delivery`, which may
/// change later. A class, so that the lists are not copied.
package final class RequestTest {
    package let match: RequestMatch
    /// All conditions, in the order of the match.
    private let conditions: [MatchCondition]
    private let sent: [MatchCondition]
    private let decided: [MatchCondition]
    /// The conditions on state that may change.
    let state: StateTest

    private let patterns: PatternContext
    /// The number of undecided records in ``holds(_:)``.
    private(set) var undecided = 0

    /// - Parameter patterns: evaluates regular expressions.
    package init(_ match: RequestMatch, _ patterns: PatternContext = PatternContext()) {
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
        if !match.names(.sentBy) { sent.append(.word(.sentBy, 1 << Sender.provider.code)) }
        if !match.names(.call) { sent.append(.isCall(match.isAboutCalls)) }
        self.sent = sent.sortedByCost
        (self.decided, self.state) = (decided, state)
    }

    /// Returns whether all conditions hold; counts undecided records.
    package func holds(_ subject: inout RecordSubject) -> Bool {
        switch test(&subject) {
        case .yes: return true
        case .no: return false
        case .undecided:
            undecided += 1
            return false
        }
    }

    /// Tests whether all conditions hold.
    package func test(_ subject: inout RecordSubject) -> MatchResult {
        guard state.holds(for: RecordState(subject.record)) else { return .no }
        let result = testDecision(&subject) && testSent(&subject)
        guard let search = match.search, !result.isFalse else { return result }
        return search.holds(for: &subject) ? result : .no
    }

    /// Tests the conditions on what the provider sent.
    func testSent(_ subject: inout RecordSubject) -> MatchResult {
        patterns.request = subject.sequence
        return sent.test(&subject)
    }

    /// Tests the conditions on what was decided and does not change.
    func testDecision(_ subject: inout RecordSubject) -> MatchResult { decided.test(&subject) }
}

extension RequestTest {
    /// Returns whether a record can be a near miss: those of the other kind of sender or request cannot.
    package func isAbout(_ subject: borrowing RecordSubject) -> Bool {
        (match.names(.sentBy) || subject.record.sender == .provider)
            && match.isAboutCalls == subject.isCall
    }

    /// Returns the conditions that do not hold for a record, by their indices in the match.
    package func failing(_ subject: inout RecordSubject) -> [(index: Int, isUndecided: Bool)] {
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
