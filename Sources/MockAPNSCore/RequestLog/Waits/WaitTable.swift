/// Those who wait for requests: woken when enough of them have come.
///
/// Equal waits stand in one group, which is tested once for each request, and only for requests that it can match
/// (``WaitIndex``). So thousands of waits cost a push no more than a few.
struct WaitTable {
    /// Maximum number of waits.
    static let limit = 10_000
    /// Maximum number of different matches with regular expressions that are waited for: each may be tried on every request.
    static let slowLimit = 100

    /// One who waits.
    private struct Waiter {
        let id: Int
        let group: Int
        /// Only requests with a higher sequence number count.
        let after: Int
        /// The group's counts when the wait began.
        var start: WaitGroup.Counts
        /// How often records had been forgotten then.
        let removals: Int
        /// How many requests have to come in all.
        let count: Int
        /// What was there before the wait began; `nil` while that is not known.
        var found: FoundRequests?
        /// The group's total at which there are enough.
        var due = Int.max
    }

    private var waiters: [Int: Waiter] = [:]
    private var groups: [WaitGroup?] = []
    private var unusedGroups: [Int] = []
    private var groupOf: [WaitGroup.Key: Int] = [:]
    private var index = WaitIndex()
    private var latestID = 0
    private var woken: [WokenWait] = []
    private var removals = 0
    /// How many groups ask for what may change about a record.
    private var askingForChanges = 0
    private var slowGroups = 0
    /// Moves with each record that is looked at.
    private var round = 0
    private var candidates: [Int] = []

    var isEmpty: Bool { waiters.isEmpty }
    var count: Int { waiters.count }
    /// How many different matches are waited for.
    var groupCount: Int { groupOf.count }
    /// Whether changes of records matter.
    var seesChanges: Bool { askingForChanges > 0 }

    // MARK: Beginning and ending

    /// Begins a wait; it is not woken before ``noteFound(_:by:)``.
    ///
    /// - Parameters:
    ///   - match: what is asked of requests.
    ///   - count: how many have to come.
    ///   - after: only requests with a higher sequence number count.
    ///   - latest: the latest request's sequence number.
    ///   - patterns: where regular expressions are tried.
    mutating func begin(
        _ match: RequestMatch, count: Int, after: Int, latest: Int, _ patterns: PatternContext
    ) throws(WaitRefusal) -> Int {
        guard waiters.count < Self.limit else { throw .tooMany }
        // Of requests that come later all count, unless it says otherwise.
        let key = WaitGroup.Key(match: match, after: after > latest ? after : 0)
        let number = if let known = groupOf[key] { known } else { try makeGroup(key, patterns) }
        latestID += 1
        groups[number]?.join(latestID, after: after)
        waiters[latestID] = Waiter(
            id: latestID, group: number, after: after, start: groups[number]?.counts ?? .init(),
            removals: removals, count: count)
        return latestID
    }

    private mutating func makeGroup(_ key: WaitGroup.Key, _ patterns: PatternContext) throws(WaitRefusal) -> Int {
        if key.match.patternCount > 0 {
            guard slowGroups < Self.slowLimit else { throw .tooManyPatterns }
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

    /// Takes note of what was there when a wait began; false when there is no such wait.
    mutating func noteFound(_ found: FoundRequests, by id: Int) -> Bool {
        guard var waiter = waiters[id] else { return false }
        waiter.found = found
        waiter.due = waiter.start.total + waiter.count - found.total
        waiters[id] = waiter
        groups[waiter.group]?.expect(id, at: waiter.due)
        wakeDue(in: waiter.group)
        return true
    }

    mutating func cancel(_ id: Int) {
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

    /// Somebody has had records forgotten: the log has to be looked at again before an answer.
    mutating func forgetFound() { removals += 1 }

    /// Lets all go on who wait: the log is another.
    mutating func wakeAll() {
        let woken = self.woken + waiters.keys.sorted().map { WokenWait(id: $0, found: nil) }
        let latestID = latestID
        self = WaitTable()
        (self.woken, self.latestID) = (woken, latestID)
    }

    mutating func takeWoken() -> [WokenWait] {
        guard !woken.isEmpty else { return [] }
        defer { woken = [] }
        return woken
    }

    // MARK: Requests

    /// A request was recorded.
    mutating func take(_ subject: inout RecordSubject) {
        findCandidates(&subject)
        for number in candidates where groups[number]?.take(&subject, round: round) == true { wakeDue(in: number) }
    }

    /// What may change about a record has changed.
    ///
    /// - Parameters:
    ///   - subject: the record as it is now.
    ///   - before: what it was.
    mutating func change(_ subject: inout RecordSubject, from before: RecordState) {
        findCandidates(&subject)
        for number in candidates {
            guard let change = groups[number]?.change(&subject, from: before, round: round), change != 0 else {
                continue
            }
            // For who asked only for later requests, nothing has changed.
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

    /// Wakes those of a group for whom enough has come.
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

/// Somebody who has waited long enough.
package struct WokenWait: Sendable {
    /// The number under which it waited.
    package let id: Int
    /// What has come; `nil` where the log is to be looked at again, since records have changed or are gone.
    package let found: FoundRequests?
}

/// Why nobody more can wait now.
package enum WaitRefusal: Error, Sendable, CustomStringConvertible {
    /// As many wait as can.
    case tooMany
    /// As many different matches with regular expressions are waited for as can be.
    case tooManyPatterns

    /// A sentence for people.
    package var description: String {
        switch self {
        case .tooMany:
            "\(WaitTable.limit) waits for requests are open, which is the maximum; try again when some have ended."
        case .tooManyPatterns:
            "\(WaitTable.slowLimit) different matches with regular expressions are waited for already, which is the maximum; "
                + "wait for something else, such as a token."
        }
    }
}
