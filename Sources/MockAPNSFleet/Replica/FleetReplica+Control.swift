import MockAPNS
import MockAPNSCore

// Carries out the calls that all replicas carry out in one order.

extension FleetReplica {
    /// Maximum number of entries of the control stream read at once; each may hold many pushes.
    private static let readCount = 32

    /// Carries out what is in the control stream: what the others have changed so far.
    ///
    /// - Parameter last: the entry up to which no caller waits for this replica; `nil` for all present.
    func catchUp(through last: StreamID? = nil) async throws(FleetError) {
        while last.map({ applied < $0 }) ?? true {
            let entries = try await nextEntries(within: 0)
            guard !entries.isEmpty else {
                if last == nil { return }
                throw .malformed("the control stream has lost its latest entry")
            }
            for entry in entries {
                // The clocks of all replicas agree from the first one on.
                if applied <= ControlStream.beginning { server.begin(at: entry.time) }
                try await carryOut(entry, isLate: last.map { entry.id <= $0 } ?? true)
            }
        }
    }

    /// Carries out what is appended to the control stream until the replica ends.
    func followControl() async {
        while !isEnding {
            do throws(FleetError) {
                // The engine behind a new connection may have lost what was carried out.
                if await !links.control.isConnected {
                    asked = .zero
                    try await lookAtControl(by: links.control)
                }
                for entry in try await nextEntries(within: 1000) { try await carryOut(entry) }
            } catch {
                if !isEnding { try? await Task.sleep(for: .milliseconds(200)) }
            }
        }
    }

    /// Notes that the collector holds back what others have shipped until it knows what this replica has decided. One that
    /// may take its time ships when that is over.
    private func note(asked entries: [StreamEntry]) {
        asked = entries.last?.id ?? asked
        guard options.delay <= FleetMerge.patience, entries.contains(where: { $0.value(options.name) != nil }) else {
            return
        }
        isAsked = true
        shipSoon()
    }

    /// Returns what comes next in the control stream, and notes whether the engine has dropped some of it, and what the
    /// collector asks for.
    ///
    /// - Parameter time: the maximum time to wait, in milliseconds.
    private func nextEntries(within time: Int) async throws(FleetError) -> ArraySlice<StreamEntry> {
        let position = applied
        let found = try await links.control.read(
            [(keys.control, position), (keys.asked, asked)], count: Self.readCount, within: time)
        if let entries = found.first(where: { $0.key == keys.asked })?.entries { note(asked: entries) }
        guard let entries = found.first(where: { $0.key == keys.control })?.entries, let first = entries.first else {
            return []
        }
        if position == .zero || entries.count == Self.readCount,
            try await links.control.hasDropped(after: position, keys)
        {
            let later = ControlHistory(start: first.id)
            // Once, before it decides anything without them.
            if knowsAll, !later.isWhole(in: keys.epoch), !anchor.isLost, anchor.id != .zero {
                _ = try await links.heartbeat.append(
                    own.missed, toControl: keys, keeping: .latest(options.limits.control))
            }
            history = later
        }
        guard first.id == ControlStream.beginning else { return entries[...] }
        applied = max(applied, first.id)
        return entries.dropFirst()
    }

    /// - Parameter isLate: whether the entry is older than this replica; then no caller waits for this replica.
    /// - Throws: ``FleetError`` if it cannot be carried out yet. Nothing has changed then.
    private func carryOut(_ entry: StreamEntry, isLate: Bool = false) async throws(FleetError) {
        let message = ControlMessage(entry)
        // Before the clock stands: the engine may take its time.
        switch message {
        case .call(let call) where call.name == .reset && seen[entry] == nil:
            try await links.heartbeat.restoreScenario(of: entry.id, on: server, keys)
        case .join(let join) where join.hasLostControl && !own.isOfSameProcess(as: join):
            try await noteLoss(in: join.epoch)
        default: break
        }
        server.setFleetTime(entry.time)
        hasAskedForTime = false
        defer { server.setFleetTime(nil) }
        switch message {
        case .join(let join): await roster.note(join, at: entry.id)
        case .withdraw(let replica, let started): await roster.forget(replica, started: started)
        case .mark:
            mark = entry.id
            shipSoon()
        // No client waits for the answer.
        case .call(let call) where isLate && call.name.method == .get: mark = entry.id
        case .call(let call):
            mark = entry.id
            let known = seen[entry]
            let answer: FleetAnswer
            if let known {
                answer = known
            } else {
                isStartingOver = call.startsOver
                if !isLate, !call.startsOver, call.name.scope == .everyMember { endFrame() }
                answer = await perform(call)
            }
            // From here on, the engine is waited for, which may be gone: the clock goes on.
            server.setFleetTime(nil)
            if known == nil {
                seen[entry] = answer
                if call.startsOver, answer.isSuccess { await startOver(entry) }
                isStartingOver = false
                if call.beginsScenario, answer.isSuccess { scenario = entry.id }
            }
            // A caller that waits for it may go on without this.
            if !isLate { await report(entry.id, answer, to: call) }
        case .pushes(let ordered): decide(ordered, entry)
        case .counts(let ordered): count(ordered)
        // It is only told to those who judge.
        case .missed, nil: break
        }
        applied = max(applied, entry.id)
        budget.note(entry)
    }

    private func perform(_ call: FleetCall) async -> FleetAnswer {
        if let replica = call.replica, replica != options.name { return FleetAnswer(status: 404, body: []) }
        guard let perform = server.performer else {
            return FleetAnswer(.refused("the replica \(options.name) has no admin API"))
        }
        // A device may have registered itself on another replica.
        if call.name == .changeDevice { server.registerIfUnknown(call.values[0]) }
        return await perform(call)
    }

    /// Starts over when the log is empty: under other keys.
    ///
    /// - Parameter entry: the entry by which all members do. It is their epoch, so the one before need not be known.
    private func startOver(_ entry: StreamEntry) async {
        let old = keys.log(options.name)
        keys.epoch = entry.id
        budget = ControlBudget(limit: options.limits.control)
        shipper = newShipper(started: shipper.started, after: server.latestReset)
        (own.epoch, own.played) = (entry.id, Digest.text(of: server.scenarioText))
        // A replica that is about to join does so with this epoch.
        guard anchor.id != .zero else { return anchor = StreamLossDetector() }
        await joinAgain(from: entry, removing: old)
        set(problem: nil, collector: collector)
    }
}
