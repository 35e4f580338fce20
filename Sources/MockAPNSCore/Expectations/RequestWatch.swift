/// What is told of each request after it was recorded: the scenario's expectations, entries of the timeline that wait for
/// requests, and whoever waits for some.
struct RequestWatch {
    private struct Waiter {
        let id: Int
        let test: RequestTest
        let after: Int
        var missing: Int
        /// What has come so far; `nil` where it has to be looked for anew.
        var found: FoundRequests? = FoundRequests()
        /// Whether it is known what was there before it began to wait.
        var isReady = false

        var isOver: Bool { isReady && missing <= 0 }
    }

    /// Counts for the scenario's expectations.
    var judge = ExpectationJudge([], in: Scenario(), connectionsBefore: 0, PatternContext())
    /// What was there before the counting began.
    private(set) var before = (sequence: 0, connections: 0, pings: 0)
    private var awaited: [(entry: Int, test: RequestTest)] = []
    private var waiters: [Waiter] = []
    private var latestID = 0
    private var woken: [WokenWait] = []
    /// Whether somebody is to be told.
    private(set) var isNeeded = false

    private mutating func settle() { isNeeded = judge.seesRequests || !awaited.isEmpty || !waiters.isEmpty }

    /// Begins to count for a scenario.
    mutating func begin(
        _ scenario: Scenario, awaited: [(entry: Int, match: MatchExpression)],
        before: (sequence: Int, connections: Int, pings: Int), latestConnection: Int, _ patterns: PatternContext
    ) {
        judge = ExpectationJudge(
            scenario.expectations, in: scenario, connectionsBefore: latestConnection, patterns)
        self.before = before
        self.awaited = awaited.map { ($0.entry, RequestTest(RequestMatch($0.match, in: scenario), patterns)) }
        settle()
    }

    /// A request was recorded. Returns the entries of the timeline that waited for it.
    mutating func takeLatest(of log: borrowing RequestLog) -> [Int] {
        var subject = RecordSubject(log.open, at: log.open.records.count - 1, serverNames: log.serverNames)
        if judge.seesRequests { judge.take(&subject) }
        var entries: [Int] = []
        for (entry, test) in awaited where test.holds(&subject) { entries.append(entry) }
        for place in waiters.indices where subject.sequence > waiters[place].after {
            guard waiters[place].test.holds(&subject) else { continue }
            waiters[place].missing -= 1
            waiters[place].found?.append(subject.sequence)
        }
        if !waiters.isEmpty { wake() }
        return entries
    }

    /// An entry of the timeline waits for no more.
    mutating func forget(entry: Int) {
        awaited.removeAll { $0.entry == entry }
        settle()
    }

    // MARK: Waiters

    /// For each who waits, whether the record is one that is waited for.
    func waited(_ subject: inout RecordSubject) -> [Bool] {
        waiters.map { subject.sequence > $0.after && $0.test.state.asks && $0.test.holds(&subject) }
    }

    /// A record was changed; those who wait for it were asked before and afterwards.
    mutating func change(from before: [Bool], to after: [Bool]) {
        for place in waiters.indices where before[place] != after[place] {
            waiters[place].missing += before[place] ? 1 : -1
            waiters[place].found = nil
        }
        wake()
    }

    var hasWaiters: Bool { !waiters.isEmpty }

    mutating func begin(_ test: RequestTest, count: Int, after: Int) -> Int {
        latestID += 1
        waiters.append(Waiter(id: latestID, test: test, after: after, missing: count))
        settle()
        return latestID
    }

    mutating func noteFound(_ found: FoundRequests, by id: Int) -> Bool {
        guard let place = waiters.firstIndex(where: { $0.id == id }) else { return false }
        waiters[place].missing -= found.total
        waiters[place].found = waiters[place].found.map { found + $0 }
        waiters[place].isReady = true
        wake()
        return true
    }

    mutating func cancel(_ id: Int) {
        waiters.removeAll { $0.id == id }
        settle()
    }

    /// Somebody has had records forgotten: who waits has to look anew.
    mutating func forgetFound() {
        for place in waiters.indices { waiters[place].found = nil }
    }

    /// Lets all go on who wait: the log is another.
    mutating func wakeAll() {
        woken += waiters.map { WokenWait(id: $0.id, found: nil) }
        waiters = []
        settle()
    }

    mutating func takeWoken() -> [WokenWait] {
        guard !woken.isEmpty else { return [] }
        defer { woken = [] }
        return woken
    }

    private mutating func wake() {
        guard waiters.contains(where: \.isOver) else { return }
        for waiter in waiters where waiter.isOver { woken.append(WokenWait(id: waiter.id, found: waiter.found)) }
        waiters.removeAll(where: \.isOver)
        settle()
    }
}

/// Somebody who has waited long enough.
public struct WokenWait: Sendable {
    /// The number under which it waited.
    public let id: Int
    /// What has come; `nil` where the log is to be looked at again, since records have changed or are gone.
    public let found: FoundRequests?
}
