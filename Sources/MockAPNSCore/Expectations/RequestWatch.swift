/// The observers of each recorded request: the scenario's expectations, timeline entries that wait for requests, and
/// waiting clients.
struct RequestWatch {
    /// Counts for the scenario's expectations.
    var counter = ExpectationCounter([], in: Scenario(), connectionsBefore: 0, PatternContext())
    /// The totals before counting began.
    private(set) var before = (sequence: 0, connections: Connections.Totals())
    private var awaited: [(entry: Int, test: RequestTest)] = []
    /// The clients waiting for requests.
    private(set) var waits = WaitTable()
    /// Whether there are any observers.
    private(set) var isNeeded = false

    private mutating func updateIsNeeded() { isNeeded = counter.seesRequests || !awaited.isEmpty || !waits.isEmpty }

    /// Starts counting for a scenario.
    mutating func begin(
        _ scenario: Scenario, awaited: [(entry: Int, match: MatchExpression)],
        before: (sequence: Int, connections: Connections.Totals), _ patterns: PatternContext
    ) {
        counter = ExpectationCounter(
            scenario.expectations, in: scenario, connectionsBefore: before.connections.latestID, patterns)
        self.before = before
        self.awaited = awaited.map { ($0.entry, RequestTest(RequestMatch($0.match, in: scenario), patterns)) }
        updateIsNeeded()
    }

    /// Processes a new request; returns the timeline entries that waited for it.
    mutating func takeLatest(of log: borrowing RequestLog) -> [Int] {
        var subject = RecordSubject(log.open, at: log.open.records.count - 1, serverNames: log.serverNames)
        if counter.seesRequests { counter.take(&subject) }
        var entries: [Int] = []
        for (entry, test) in awaited where test.holds(&subject) { entries.append(entry) }
        if !waits.isEmpty {
            waits.take(&subject)
            updateIsNeeded()
        }
        return entries
    }

    /// Removes a timeline entry that no longer waits.
    mutating func forget(entry: Int) {
        awaited.removeAll { $0.entry == entry }
        updateIsNeeded()
    }

    // MARK: Waits

    /// Processes a changed record.
    ///
    /// - Parameter before: its state before; `nil` if it was no longer kept.
    mutating func noteChange(of sequence: Int, from before: RecordState?, _ update: RequestUpdate, in log: RequestLog) {
        counter.change(sequence, update)
        guard waits.seesChanges, let before else { return }
        log.withSubject(sequence) { waits.change(&$0, from: before) }
        updateIsNeeded()
    }

    /// Starts a wait.
    mutating func begin(
        _ match: RequestMatch, count: Int, after: Int, latest: Int, _ patterns: PatternContext
    ) throws(WaitRefusal) -> Int {
        let id = try waits.begin(match, count: count, after: after, latest: latest, patterns)
        updateIsNeeded()
        return id
    }

    /// Starts a wait for Live Activities.
    mutating func beginActivityWait() throws(WaitRefusal) -> Int { try waits.beginActivityWait() }

    /// Lets the waits for Live Activities look again.
    mutating func wakeActivityWaits() { waits.wakeActivityWaits() }

    mutating func noteFound(_ found: FoundRequests, by id: Int) -> Bool {
        defer { updateIsNeeded() }
        return waits.noteFound(found, by: id)
    }

    mutating func cancel(_ id: Int) {
        waits.cancel(id)
        updateIsNeeded()
    }

    /// Notes that records were deleted: waits have to search again.
    mutating func forgetFound() { waits.forgetFound() }

    /// Wakes all waits, because the log was replaced.
    mutating func wakeAll() {
        waits.wakeAll()
        updateIsNeeded()
    }

    mutating func takeWoken() -> [WokenWait] { waits.takeWoken() }
}
