/// The clients waiting for requests, each woken when enough have arrived.
///
/// Equal waits form one group, which is tested once per request, and only if the request can match (``WaitIndex``). So
/// thousands of waits cost a push no more than a few.
struct WaitTable {
    /// Maximum number of waits.
    static let limit = 10_000
    /// Maximum number of distinct matches with regular expressions: each may be tried on every request.
    static let slowLimit = 100

    /// One wait.
    private struct Waiter {
        let id: Int
        let group: Int
        /// Only requests with a higher sequence number count.
        let after: Int
        /// The counts of the group when the wait began.
        var start: WaitGroup.Counts
        /// The number of times records had been deleted by then.
        let removals: Int
        /// The number of requests to wait for in total.
        let count: Int
        /// The requests logged before the wait began; `nil` until they are known.
        var found: FoundRequests?
        /// The total of the group that satisfies the wait.
        var due = Int.max
    }

    private var waiters: [Int: Waiter] = [:]
    /// The waits for Live Activities of a device.
    private var activityWaits: Set<Int> = []
    private var groups: [WaitGroup?] = []
    private var unusedGroups: [Int] = []
    private var groupOf: [WaitGroup.Key: Int] = [:]
    private var index = WaitIndex()
    private var latestID = 0
    private var woken: [WokenWait] = []
    private var removals = 0
    /// The number of groups affected by later changes to records.
    private var askingForChanges = 0
    private(set) var slowGroups = 0
    /// The number of waits refused because of ``limit``, and because of ``slowLimit``.
    private(set) var refused = 0
    private(set) var slowRefused = 0
    /// Incremented for each record processed.
    private var round = 0
    private var candidates: [Int] = []

    var isEmpty: Bool { waiters.isEmpty }
    var count: Int { waiters.count + activityWaits.count }
    /// Whether clients wait for Live Activities.
    var hasActivityWaits: Bool { !activityWaits.isEmpty }
    /// The number of distinct matches.
    var groupCount: Int { groupOf.count }
    /// Whether changes to records matter.
    var seesChanges: Bool { askingForChanges > 0 }

    // MARK: Starting and ending

    /// Starts a wait. It is not woken before ``noteFound(_:by:)``.
    ///
    /// - Parameters:
    ///   - match: the match for requests.
    ///   - count: the number of requests to wait for.
    ///   - after: only requests with a higher sequence number count.
    ///   - latest: the sequence number of the latest request.
    ///   - patterns: evaluates regular expressions.
    mutating func begin(
        _ match: RequestMatch, count: Int, after: Int, latest: Int, _ patterns: PatternContext
    ) throws(WaitRefusal) -> Int {
        try makeRoom()
        // All later requests count, unless `after` is still in the future.
        let key = WaitGroup.Key(match: match, after: after > latest ? after : 0)
        let number = if let known = groupOf[key] { known } else { try makeGroup(key, patterns) }
        latestID += 1
        groups[number]?.join(latestID, after: after)
        waiters[latestID] = Waiter(
            id: latestID, group: number, after: after, start: groups[number]?.counts ?? .init(),
            removals: removals, count: count)
        return latestID
    }

    private mutating func makeRoom() throws(WaitRefusal) {
        guard count >= Self.limit else { return }
        refused += 1
        throw .tooMany
    }

    /// Starts a wait for Live Activities: it is woken to look again by ``wakeActivityWaits()``.
    mutating func beginActivityWait() throws(WaitRefusal) -> Int {
        try makeRoom()
        latestID += 1
        activityWaits.insert(latestID)
        return latestID
    }

    /// Wakes all waits for Live Activities, because one may have started or changed.
    mutating func wakeActivityWaits() {
        woken += activityWaits.sorted().map { WokenWait(id: $0, found: nil) }
        activityWaits = []
    }

    private mutating func makeGroup(_ key: WaitGroup.Key, _ patterns: PatternContext) throws(WaitRefusal) -> Int {
        if key.match.patternCount > 0 {
            guard slowGroups < Self.slowLimit else {
                slowRefused += 1
                throw .tooManyPatterns
            }
            slowGroups += 1
        }
        let test = RequestTest(key.match, patterns)
        if test.state.asks { askingForChanges += 1 }
        let number = unusedGroups.popLast() ?? groups.count
        if number == groups.count { groups.append(nil) }
        groups[number] = WaitGroup(key, test, entry: index.add(number, for: key.match))
        groupOf[key] = number
        return number
    }

    /// Records what was there when a wait began; returns false if there is no such wait.
    mutating func noteFound(_ found: FoundRequests, by id: Int) -> Bool {
        guard var waiter = waiters[id] else { return activityWaits.contains(id) }
        waiter.found = found
        waiter.due = waiter.start.total + waiter.count - found.total
        waiters[id] = waiter
        groups[waiter.group]?.expect(id, at: waiter.due)
        wakeDue(in: waiter.group)
        return true
    }

    mutating func cancel(_ id: Int) {
        activityWaits.remove(id)
        guard let waiter = waiters.removeValue(forKey: id) else { return }
        groups[waiter.group]?.leave(id, due: waiter.due)
        guard groups[waiter.group]?.isEmpty ?? false, let group = groups[waiter.group] else { return }
        if group.test.match.patternCount > 0 { slowGroups -= 1 }
        if group.test.state.asks { askingForChanges -= 1 }
        index.remove(waiter.group, group.entry)
        groupOf[group.key] = nil
        groups[waiter.group] = nil
        unusedGroups.append(waiter.group)
    }

    /// Notes that records were deleted: the log has to be searched again before answering.
    mutating func forgetFound() { removals += 1 }

    /// Wakes all waits, because the log was replaced.
    mutating func wakeAll() {
        wakeActivityWaits()
        let woken = self.woken + waiters.keys.sorted().map { WokenWait(id: $0, found: nil) }
        var empty = WaitTable()
        (empty.woken, empty.latestID) = (woken, latestID)
        (empty.refused, empty.slowRefused) = (refused, slowRefused)
        self = empty
    }

    mutating func takeWoken() -> [WokenWait] {
        guard !woken.isEmpty else { return [] }
        defer { woken = [] }
        return woken
    }

    // MARK: Requests

    /// Processes a new request.
    mutating func take(_ subject: inout RecordSubject) {
        findCandidates(&subject)
        for number in candidates where groups[number]?.take(&subject, round: round) == true { wakeDue(in: number) }
    }

    /// Processes a changed record.
    ///
    /// - Parameters:
    ///   - subject: the record after the change.
    ///   - before: its state before.
    mutating func change(_ subject: inout RecordSubject, from before: RecordState) {
        findCandidates(&subject)
        for number in candidates {
            guard let change = groups[number]?.change(&subject, from: before, round: round), change != 0 else {
                continue
            }
            // Nothing has changed for those who wait only for later requests.
            for id in groups[number]?.members(after: subject.sequence) ?? [] { move(id, by: change) }
            wakeDue(in: number)
        }
    }

    private mutating func findCandidates(_ subject: inout RecordSubject) {
        round += 1
        candidates.removeAll(keepingCapacity: true)
        index.find(&subject, into: &candidates)
    }

    private mutating func move(_ id: Int, by distance: Int) {
        guard let waiter = waiters[id] else { return }
        waiters[id]?.start.total += distance
        guard waiter.found != nil else { return }
        groups[waiter.group]?.stopExpecting(id, at: waiter.due)
        waiters[id]?.due += distance
        groups[waiter.group]?.expect(id, at: waiter.due + distance)
    }

    /// Wakes the satisfied members of a group.
    private mutating func wakeDue(in number: Int) {
        guard let ids = groups[number]?.takeDue() else { return }
        for id in ids.sorted() {
            guard let waiter = waiters[id] else { continue }
            let isKnown = groups[number]?.counts.changes == waiter.start.changes && removals == waiter.removals
            var found = isKnown ? waiter.found : nil
            if let before = found { found = groups[number].map { before + $0.arrived(since: waiter.start) } }
            woken.append(WokenWait(id: id, found: found))
            cancel(id)
        }
    }
}

/// A wait that has been satisfied.
package struct WokenWait: Sendable {
    /// The id of the wait.
    package let id: Int
    /// The requests found; `nil` if the log has to be searched again because records changed or were deleted.
    package let found: FoundRequests?
}

/// Why no further wait can start.
package enum WaitRefusal: Error, Sendable, CustomStringConvertible {
    /// The maximum number of waits is reached.
    case tooMany
    /// The maximum number of distinct matches with regular expressions is reached.
    case tooManyPatterns

    /// A sentence that explains the rejection.
    package var description: String {
        switch self {
        case .tooMany:
            "\(WaitTable.limit) waits are open, which is the maximum; try again when some have ended."
        case .tooManyPatterns:
            "\(WaitTable.slowLimit) different matches with regular expressions are waited for already, which is the maximum; "
                + "wait for something else, such as a token."
        }
    }
}
