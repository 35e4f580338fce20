import MockAPNSCore

/// Judges expectations by what was counted.
struct Assessment {
    let expectations: [Expectation]
    let tallies: ExpectationCounter.Tallies
    let input: VerificationInput
    let lookups: LogLookups
    /// The findings of lint in the records in scope; `nil` before the first expectation that needs them is judged.
    var lint: LogLint?
    /// The records in scope.
    struct Scope {
        /// Only records after this sequence number.
        var after = 0
        /// Only records that pass this test.
        var within: RequestTest?
        /// Whether they were counted in the log, which may have dropped some, rather than as they were decided.
        var isCountedInLog = false
    }

    private let scope: Scope
    var after: Int { scope.after }
    var within: RequestTest? { scope.within }
    /// The evaluator of regular expressions.
    let patterns: PatternContext

    init(
        _ expectations: [Expectation], _ tallies: ExpectationCounter.Tallies, _ input: VerificationInput,
        _ lookups: LogLookups,
        _ scope: Scope, _ patterns: PatternContext
    ) {
        (self.expectations, self.tallies, self.input, self.lookups) = (expectations, tallies, input, lookups)
        self.scope = scope
        self.patterns = patterns
    }

    /// Returns the result of an expectation, complete if ``LogLookups/isWaiting`` is false.
    func result(_ index: Int) -> ExpectationResult {
        let expectation = expectations[index]
        var result = judge(index)
        result.name = expectation.name
        let tallied = tallies.expectations[index].undecided
        let undecided = expectation.isAboutLint ? lint?.undecided ?? tallied : tallied
        if let lack = result.lacks {
            // Undecided requests may be something to judge.
            result.passed = expectation.allowsNone && undecided.count == 0
            result.seen = undecided.count == 0 ? "nothing to judge: \(lack)" : lack
            if !expectation.allowsNone { result.seen += "; \"orNone\": true allows that" }
            if result.passed { result.nearMisses = [] }
        }
        if undecided.count > 0, !result.passed || needs(undecided, index) {
            result.passed = false
            result.seen += "; \(undecided.words(input.name(ofRequest:)))"
        }
        if let gap = input.gap(for: expectation) {
            result.passed = false
            result.seen = "unknown: \(gap)"
            result.nearMisses = []
        }
        if let dropped = dropped(for: expectation) {
            result.passed = false
            result.seen =
                "the log had dropped \(counted(dropped, "request")) before this was judged, so it cannot be "
                + "judged; --log-limit keeps more"
            result.nearMisses = []
        }
        if let origins = input.origins { result.nearMisses = result.nearMisses.map(origins.named) }
        return result
    }

    /// Returns the number of dropped requests, if an expectation cannot be judged without them.
    private func dropped(for expectation: Expectation) -> Int? {
        if scope.isCountedInLog {
            return !input.log.isComplete && expectation.isAboutRequests ? input.log.dropped : nil
        }
        return expectation.isAboutLint && input.droppedRequests > 0 ? input.droppedRequests : nil
    }

    /// Returns whether an expectation that holds so far might not hold, depending on undecided matches.
    private func needs(_ undecided: UndecidedMatches, _ index: Int) -> Bool {
        switch expectations[index].form {
        case .requests(_, let count, nil, nil):
            !count.contains((tallies.expectations[index].counts?.all.requests ?? 0) + undecided.count)
        case .inOrder(_, nil): false
        default: true
        }
    }

    private func judge(_ index: Int) -> ExpectationResult {
        let tally = tallies.expectations[index]
        switch expectations[index].form {
        case .requests(let match, let count, let distinct, let each):
            return requests(matched(match), count, distinct, each, tally)
        case .inOrder(let matches, let each): return inOrder(matches.map(matched), each, tally)
        case .spacing(let spacing, let each):
            guard let match = spacing.requests else { return openings(spacing, index) }
            return spaced(spacing, matched(match), each, tally)
        case .device(let index, let state): return device(index, state)
        case .connections(let count):
            let opened = input.connections.opened + tallies.olderConnections.count
            return plain(count, opened, "connection")
        case .providerTokens(let count):
            return plain(count, tallies.providerTokens.count, "provider token")
        case .pings(let count): return plain(count, input.connections.pings, "PING frame")
        case .channel(let name, let figures): return channel(figures, input.figures[name] ?? ChannelFigures())
        case .channels(let count): return plain(count, input.channels, "channel")
        case .lint(let query, let count): return lint(query, count)
        case .nothingElse: return nothingElse(index, tally)
        }
    }

    private func matched(_ match: MatchExpression) -> RequestMatch { RequestMatch(match, in: input.scenario) }

    private func plain(
        _ count: CountRange, _ seen: Int, _ singular: String, _ plural: String? = nil
    ) -> ExpectationResult {
        ExpectationResult(
            name: "", passed: count.contains(seen), expected: count.words(singular, plural),
            seen: counted(seen, singular, plural))
    }

    // MARK: Gaps between connections

    private func openings(_ spacing: Expectation.Spacing, _ index: Int) -> ExpectationResult {
        var result = ExpectationResult(
            name: "", passed: false, expected: "\(spacing.words) between connections", seen: "")
        guard let tally = tallies.openings[index] else { return result }
        result.passed = tally.holds
        result.seen = seen(tally, "connections", named: input.name(ofConnection:))
        if tally.isEmpty { result.lacks = tally.noGap("connection") }
        if scope.isCountedInLog, input.connections.openings.count < input.connections.opened {
            (result.passed, result.lacks) = (false, nil)
            result.seen =
                "only the latest \(input.connections.openings.count) of "
                + "\(counted(input.connections.opened, "connection")) are still known, so this cannot be judged"
        }
        return result
    }

    /// Describes the gaps seen.
    func seen(_ tally: SpacingTally, _ what: String, named name: (Int) -> String) -> String {
        if let wrong = tally.firstWrong {
            let others = tally.wrong > 1 ? "; \(countedBe(tally.wrong - 1, "other gap")) wrong, too" : ""
            return "gap \(wrong.index + 1) is \(wrong.milliseconds)ms, between \(what) \(name(wrong.between.0)) and "
                + "\(name(wrong.between.1))\(others)"
        }
        let gaps = max(0, tally.count - 1)
        let wanted = tally.spacing.gaps.flatMap { $0 == gaps ? nil : " instead of \($0)" } ?? ""
        return "\(counted(gaps, "gap"))\(wanted) between \(counted(tally.count, String(what.dropLast())))"
    }

    // MARK: Nothing else

    private func nothingElse(_ index: Int, _ tally: ExpectationCounter.Tally) -> ExpectationResult {
        var result = ExpectationResult(
            name: "", passed: tally.others == 0,
            expected: "no requests other than those that the expectations before it count",
            seen: tally.others == 0 ? "none" : counted(tally.others, "other request"))
        guard !result.passed else { return result }
        let tests = expectations.prefix(index).flatMap {
            ExpectationTest($0, in: input.scenario, patterns)?.tests ?? []
        }
        let within = within
        let numbers = lookups.sequences(after: after) { subject in
            guard subject.record.sender == .provider, !subject.isCall else { return false }
            for test in tests where !test.test(&subject).isFalse { return false }
            return within?.holds(&subject) ?? true
        }
        result.nearMisses = uncounted(Array(numbers.prefix(RequestSnapshot.nearMissCount)), by: tests)
        result.seen += named(numbers, of: tally.others)
        return result
    }

    /// Returns how each of these records, which pass none of the tests, differs from the nearest one.
    private func uncounted(_ sequences: [Int], by tests: [RequestTest]) -> [NearMiss] {
        guard !sequences.isEmpty else { return [] }
        var nearest: [Int: NearMiss] = [:]
        for test in tests {
            for miss in lookups.differences(test, of: sequences) {
                if let other = nearest[miss.sequence], other.differences.count <= miss.differences.count { continue }
                nearest[miss.sequence] = miss
            }
        }
        return sequences.compactMap { nearest[$0] }
    }

    /// Returns the sequence numbers of requests, if known: `, number 3`.
    func named(_ numbers: [Int], of count: Int) -> String {
        guard let first = numbers.first else { return "" }
        if count == 1 { return ", number \(input.name(ofRequest: first))" }
        let shown = numbers.prefix(10).map(input.name(ofRequest:))
        return ", numbers " + (shown.count < count ? shown.joined(separator: ", ") + ", …" : list(shown, "and"))
    }
}
