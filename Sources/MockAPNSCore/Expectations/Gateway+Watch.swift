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

    /// Waits for requests until as many are there as are missing. Whoever waits is named by ``takeWoken()`` then; a reset
    /// wakes all.
    ///
    /// - Returns: the number under which it waits; `nil` when nothing is missing by now.
    public mutating func begin(_ wait: RequestWait) -> Int? {
        var wait = wait
        if log.latestSequence != wait.latestSequence || log.changes != wait.changes || log.removals != wait.removals {
            wait = wait.again(in: log.snapshot)
        }
        guard !wait.isOver else { return nil }
        return watch.begin(wait)
    }

    /// Waits no longer; nothing when it was woken already.
    public mutating func cancelWait(_ id: Int) { watch.cancel(id) }

    /// Those who have waited long enough, each told of once. To be asked for after whatever decides or changes requests.
    public mutating func takeWoken() -> [WokenWait] { watch.takeWoken() }
}
