/// Counts what expectations are about as requests are decided, so that it does not matter how many the log keeps.
///
/// It is told of every record when that is complete, and of every change of one. What may still change about a record
/// it remembers, also when the log has dropped that.
struct ExpectationJudge {
    /// What was counted for one expectation; nothing for one that is not about requests.
    struct Tally: Sendable {
        var counts: Grouped<CountTally>?
        var orders: Grouped<InOrder<OrderTally>>?
        var spacings: Grouped<InOrder<SpacingTally>>?
        /// Where nothing else is expected: how many requests no expectation before it counted.
        var others = 0
    }

    /// All that was counted.
    struct Tallies: Sendable {
        /// One for each expectation.
        var expectations: [Tally]
        /// The hashes of the provider tokens that were seen.
        var providerTokens: Set<UInt64> = []
        /// The connections opened before the beginning that carried requests since.
        var olderConnections: Set<UInt32> = []
        /// The openings of connections, for each expectation about their spacing.
        var openings: [Int: SpacingTally] = [:]
    }

    /// A record of which may change what an expectation makes of it.
    private struct Unsettled {
        var state: RecordState
        var findings: [(expectation: Int, finding: ExpectationTest.Finding)]
        /// The first expectation that counts it whatever changes.
        var surelyCountedBy: Int
    }

    private(set) var tallies: Tallies
    /// Whether it has to be told of requests.
    let seesRequests: Bool
    /// The number of the last connection before the beginning.
    let connectionsBefore: Int
    private let tests: [ExpectationTest]
    private let nothingElse: [Int]
    private let seesTokens: Bool
    private let seesConnections: Bool
    private var unsettled: [Int: Unsettled] = [:]
    private var latestToken: ProviderToken?

    init(_ expectations: [Expectation], in scenario: Scenario, connectionsBefore: Int) {
        tallies = Tallies(expectations: expectations.map { _ in Tally() })
        var tests: [ExpectationTest] = []
        var nothingElse: [Int] = []
        var seen = (tokens: false, connections: false)
        for (place, expectation) in expectations.enumerated() {
            switch expectation.form {
            case .nothingElse: nothingElse.append(place)
            case .providerTokens: seen.tokens = true
            case .connections: seen.connections = true
            case .spacing(let spacing, _) where spacing.requests == nil:
                tallies.openings[place] = SpacingTally(spacing)
            default: break
            }
            guard let test = ExpectationTest(expectation, at: place, in: scenario) else { continue }
            tests.append(test)
            switch test.kind {
            case .count: tallies.expectations[place].counts = Grouped(CountTally(), each: test.each)
            case .order:
                tallies.expectations[place].orders = Grouped(
                    InOrder(OrderTally(length: test.tests.count)), each: test.each)
            case .spacing(let spacing):
                tallies.expectations[place].spacings = Grouped(InOrder(SpacingTally(spacing)), each: test.each)
            }
        }
        self.tests = tests
        self.nothingElse = nothingElse
        (seesTokens, seesConnections) = (seen.tokens, seen.connections)
        self.connectionsBefore = connectionsBefore
        seesRequests = !tests.isEmpty || !nothingElse.isEmpty || seesTokens || seesConnections
    }

    /// A connection was opened.
    mutating func noteOpening(of connection: Int, at time: Timestamp) {
        for place in tallies.openings.keys { tallies.openings[place]?.take(connection, at: time) }
    }

    /// A request was recorded.
    mutating func take(_ subject: inout RecordSubject) {
        if seesTokens, let token = subject.token, token !== latestToken {
            latestToken = token
            if tallies.providerTokens.count < TallyLimit.values { tallies.providerTokens.insert(token.hash) }
        }
        if seesConnections, subject.record.connection <= connectionsBefore {
            tallies.olderConnections.insert(subject.record.connection)
        }
        var countedBy = Int.max
        var surelyCountedBy = Int.max
        var open: [(Int, ExpectationTest.Finding)] = []
        for test in tests {
            let place = test.place
            if test.isPlain {
                guard test.tests[0].holds(&subject) else { continue }
                tallies.expectations[place].counts?.addToAll()
                (countedBy, surelyCountedBy) = (min(countedBy, place), min(surelyCountedBy, place))
                continue
            }
            guard let finding = test.find(&subject) else { continue }
            take(finding, for: place)
            if finding.candidate.isCounted { countedBy = min(countedBy, place) }
            if finding.candidate.canChange {
                open.append((place, finding))
            } else if finding.candidate.isCounted {
                surelyCountedBy = min(surelyCountedBy, place)
            }
        }
        for place in nothingElse where countedBy > place { tallies.expectations[place].others += 1 }
        if !open.isEmpty {
            unsettled[subject.sequence] = Unsettled(
                state: RecordState(subject.record), findings: open, surelyCountedBy: surelyCountedBy)
        }
    }

    private mutating func take(_ finding: ExpectationTest.Finding, for place: Int) {
        let candidate = finding.candidate
        tallies.expectations[place].counts?.with(finding.group) {
            if candidate.isCounted { $0.add(finding.value) }
        }
        tallies.expectations[place].orders?.with(finding.group) { $0.take(candidate) }
        tallies.expectations[place].spacings?.with(finding.group) { $0.take(candidate) }
    }

    /// A record was changed.
    mutating func change(_ sequence: Int, _ update: RequestUpdate) {
        guard var record = unsettled[sequence] else { return }
        record.state.take(update)
        var (before, after) = (record.surelyCountedBy, record.surelyCountedBy)
        for index in record.findings.indices {
            let (place, finding) = record.findings[index]
            let wasCounted = finding.candidate.isCounted
            record.findings[index].finding.candidate.state = record.state
            let isCounted = record.findings[index].finding.candidate.isCounted
            if wasCounted { before = min(before, place) }
            if isCounted { after = min(after, place) }
            if wasCounted != isCounted {
                tallies.expectations[place].counts?.with(finding.group) {
                    if isCounted { $0.add(finding.value) } else { $0.remove(finding.value) }
                }
            }
            tallies.expectations[place].orders?.with(finding.group) { $0.change(sequence, to: record.state) }
            tallies.expectations[place].spacings?.with(finding.group) { $0.change(sequence, to: record.state) }
        }
        for place in nothingElse {
            tallies.expectations[place].others += (after > place ? 1 : 0) - (before > place ? 1 : 0)
        }
        unsettled[sequence] = record.state.isFinal ? nil : record
    }
}

extension Candidate {
    /// Whether it fulfils one of the conditions, as it is now.
    var isCounted: Bool { conditions.contains { $0.state.holds(for: state) } }
}
