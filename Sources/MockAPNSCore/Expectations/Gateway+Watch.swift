/// Telling of requests those who watch: expectations, the timeline, whoever waits.
extension Gateway {
    /// Begins to count for the scenario that is played.
    mutating func beginWatch() {
        watch.begin(
            scenario, awaited: awaitedRequests,
            before: (log.latestSequence, connections.count, connections.pings),
            latestConnection: connections.latestNumber)
    }

    /// The latest request was recorded with all that belongs to it.
    @inline(never)
    mutating func noteRequest(at now: Timestamp) {
        for entry in watch.takeLatest(of: log) where !noteAwaitedRequest(entry, at: now) { watch.forget(entry: entry) }
    }

    /// Changes a past record, also one that the log has dropped.
    mutating func changeRecord(_ sequence: Int, _ update: RequestUpdate) {
        guard watch.isNeeded else {
            log.update(sequence, with: update)
            return
        }
        let before = watch.hasWaiters ? waited(sequence) : nil
        log.update(sequence, with: update)
        watch.judge.change(sequence, update)
        if let before, let after = waited(sequence) { watch.change(from: before, to: after) }
    }

    private func waited(_ sequence: Int) -> [Bool]? {
        let snapshot = log.snapshot
        guard let (segment, index) = snapshot.place(of: sequence) else { return nil }
        var subject = RecordSubject(segment, at: index, serverNames: snapshot.serverNames)
        return watch.waited(&subject)
    }

    // MARK: Waiting

    /// Waits for requests until as many are there as are missing. Whoever waits is named by ``takeWoken()`` then, and is
    /// to look at the log again: a reset wakes all.
    ///
    /// - Returns: the number under which it waits; `nil` when nothing is missing by now.
    public mutating func begin(_ wait: RequestWait) -> Int? {
        var wait = wait
        if log.latestSequence != wait.latestSequence || log.changes != wait.changes || log.removals != wait.removals {
            wait = wait.again(in: log.snapshot)
        }
        guard !wait.isOver else { return nil }
        return watch.wait(RequestTest(wait.match), missing: wait.missing, after: wait.after)
    }

    /// Waits no longer; nothing when it was woken already.
    public mutating func cancelWait(_ id: Int) { watch.cancel(id) }

    /// Those who have waited long enough, each told of once. To be asked for after whatever decides or changes requests.
    public mutating func takeWoken() -> [Int] { watch.takeWoken() }
}

/// Somebody who waits for requests. It is made from a snapshot, outside the gateway's lock, so that no long log is searched
/// in it.
///
/// ```swift
/// let wait = RequestWait(for: match, count: 2, in: snapshot)
/// if !wait.isOver, let id = gateway.withLock({ $0.begin(wait) }) { … }    // until takeWoken() has the id
/// ```
public struct RequestWait: Sendable {
    let match: RequestMatch
    let count: Int
    let after: Int
    let latestSequence: Int
    let changes: Int
    let removals: Int
    fileprivate let missing: Int

    /// Waits for so many records that fulfil a match and come after a sequence number.
    public init(for match: RequestMatch, count: Int, after: Int = 0, in snapshot: RequestSnapshot) {
        self.init(for: match, count: count, after: after, in: snapshot, counted: nil)
    }

    private init(
        for match: RequestMatch, count: Int, after: Int, in snapshot: RequestSnapshot, counted: RequestWait?
    ) {
        (self.match, self.count, self.after) = (match, count, after)
        (latestSequence, changes, removals) = (snapshot.latestSequence, snapshot.changes, snapshot.removals)
        let test = RequestTest(match)
        var start = after
        var missing = count
        if let counted, counted.removals == removals, counted.latestSequence <= latestSequence,
            counted.changes == changes || !test.state.asks
        {
            start = max(after, counted.latestSequence)
            missing = counted.missing
        }
        snapshot.forEach(after: start) { subject in
            if test.holds(&subject) { missing -= 1 }
        }
        self.missing = missing
    }

    /// The same in a later snapshot; where no record has changed or is forgotten, only those are looked at that came since.
    public func again(in snapshot: RequestSnapshot) -> RequestWait {
        RequestWait(for: match, count: count, after: after, in: snapshot, counted: self)
    }

    /// Whether there are as many as were asked for.
    public var isOver: Bool { missing <= 0 }
}
