/// Tells of each request those who watch: expectations, the timeline, waiting clients.
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
        let before = watch.waits.seesChanges ? log.withSubject(sequence) { RecordState($0.record) } : nil
        log.update(sequence, with: update)
        watch.noteChange(of: sequence, from: before, update, in: log)
    }

    // MARK: Waiting

    /// Begins to wait until so many requests fulfil a match and come after a sequence number: what comes or changes from
    /// now on is counted. What is there already has to be looked for in the log of this moment, outside the gateway's
    /// lock, and told with ``noteFound(_:by:)``. ``cancelWait(_:)`` ends it early.
    ///
    /// - Returns: the number under which it waits, and the log.
    /// - Throws: ``WaitRefusal`` when too many wait already.
    package mutating func beginWait(
        for match: RequestMatch, count: Int, after: Int
    ) throws(WaitRefusal) -> (id: Int, log: RequestSnapshot) {
        (try watch.begin(match, count: count, after: after, latest: log.latestSequence, patterns), log.snapshot)
    }

    /// Takes note of what was there already when a wait began. From now on ``takeWoken()`` names it when there is enough.
    ///
    /// - Returns: false when it has ended, by a reset: then it has to begin anew.
    package mutating func noteFound(_ found: FoundRequests, by wait: Int) -> Bool { watch.noteFound(found, by: wait) }

    /// Waits no longer; does nothing when it was woken already.
    package mutating func cancelWait(_ id: Int) { watch.cancel(id) }

    /// Those who have waited long enough, each told of once. To be asked for after whatever decides or changes requests.
    package mutating func takeWoken() -> [WokenWait] { watch.takeWoken() }

    /// How many wait.
    package var waitCount: Int { watch.waits.count }
}
