/// Passes each request to its observers: expectations, the timeline, waiting clients.
extension Gateway {
    /// Starts counting for the current scenario.
    mutating func beginWatch() {
        watch.begin(
            scenario, awaited: awaitedRequests,
            before: (log.latestSequence, connections.totals), patterns)
    }

    /// Processes the latest request after its record is complete.
    @inline(never)
    mutating func noteRequest(at now: Timestamp) {
        for entry in watch.takeLatest(of: log) where !noteAwaitedRequest(entry, at: now) { watch.forget(entry: entry) }
    }

    /// Changes an earlier record, and reports that even if the log has dropped it: the log file has it.
    ///
    /// - Parameter clock: the time on the scenario's clock.
    mutating func changeRecord(_ sequence: Int, _ change: RequestUpdate, at clock: Timestamp) {
        changeUnreported(sequence, change, at: clock)
        emit(.update(UpdateEvent(of: sequence, change, clock: clock)))
    }

    /// Changes an earlier record without reporting it.
    mutating func changeUnreported(_ sequence: Int, _ update: RequestUpdate, at clock: Timestamp) {
        guard watch.isNeeded else {
            log.update(sequence, with: update, at: clock)
            return
        }
        let before = watch.waits.seesChanges ? log.withSubject(sequence) { RecordState($0.record) } : nil
        log.update(sequence, with: update, at: clock)
        watch.noteChange(of: sequence, from: before, update, in: log)
    }

    // MARK: Waiting

    /// Starts waiting for `count` requests that match and come after a sequence number. New and changed requests are
    /// counted from now on. Existing ones have to be searched for in the returned log, outside the gateway's lock, and
    /// passed to ``noteFound(_:by:)``. ``cancelWait(_:)`` ends the wait early.
    ///
    /// - Returns: the id of the wait, and the log.
    /// - Throws: ``WaitRefusal`` if there are too many waits.
    package mutating func beginWait(
        for match: RequestMatch, count: Int, after: Int
    ) throws(WaitRefusal) -> (id: Int, log: RequestSnapshot) {
        (try watch.begin(match, count: count, after: after, latest: log.latestSequence, patterns), log.snapshot)
    }

    /// Records what was there when a wait began. From now on, ``takeWoken()`` returns the wait when there are enough
    /// requests.
    ///
    /// - Returns: false if the wait was ended by a reset and has to start again.
    package mutating func noteFound(_ found: FoundRequests, by wait: Int) -> Bool { watch.noteFound(found, by: wait) }

    /// Starts waiting for Live Activities: ``takeWoken()`` returns the wait when one has started or changed, to look again.
    ///
    /// - Throws: ``WaitRefusal`` if there are too many waits.
    package mutating func beginActivityWait() throws(WaitRefusal) -> Int { try watch.beginActivityWait() }

    /// Cancels a wait; does nothing if it was already woken.
    package mutating func cancelWait(_ id: Int) { watch.cancel(id) }

    /// Returns the waits that are satisfied, each once. Call it after anything that decides or changes requests.
    package mutating func takeWoken() -> [WokenWait] { watch.takeWoken() }

    /// The number of waits.
    package var waitCount: Int { watch.waits.count }
}
