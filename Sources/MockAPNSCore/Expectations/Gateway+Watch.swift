/// Telling of requests those who watch: expectations, the timeline, whoever waits.
extension Gateway {
    /// Begins to count for the scenario that is played.
    mutating func beginWatch() {
        watch.begin(
            scenario, awaited: awaitedRequests,
            before: (log.latestSequence, connections.count, connections.pings),
            latestConnection: connections.latestID, patterns)
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

    /// Begins to wait until so many requests fulfil a match and come after a sequence number: what comes or changes from
    /// now on is counted. What is there already has to be looked for in the log of this moment, outside the gateway's
    /// lock, and told with ``noteFound(_:by:)``. ``cancelWait(_:)`` ends it early.
    ///
    /// - Returns: the number under which it waits, and the log.
    public mutating func beginWait(
        for match: RequestMatch, count: Int, after: Int
    ) -> (id: Int, log: RequestSnapshot) {
        (watch.begin(RequestTest(match, patterns), count: count, after: after), log.snapshot)
    }

    /// So much was there already when a wait began. From now on ``takeWoken()`` names it when there is enough.
    ///
    /// - Returns: false when it has ended, by a reset: then it has to begin anew.
    public mutating func noteFound(_ found: FoundRequests, by wait: Int) -> Bool { watch.noteFound(found, by: wait) }

    /// Waits no longer; does nothing when it was woken already.
    public mutating func cancelWait(_ id: Int) { watch.cancel(id) }

    /// Those who have waited long enough, each told of once. To be asked for after whatever decides or changes requests.
    public mutating func takeWoken() -> [WokenWait] { watch.takeWoken() }
}
