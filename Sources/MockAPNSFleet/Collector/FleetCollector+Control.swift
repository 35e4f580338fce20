package import MockAPNS
import MockAPNSCore

// Carries out the collector's part of the calls that all members carry out in one order.

extension FleetCollector {
    /// Carries out what has been read of the control stream, as far as everything before it is in the log.
    func followControl() async {
        while let (entry, arrival) = control.first {
            if anchor.id == .zero { anchor = StreamLossDetector(entry.id) }
            switch ControlMessage(entry) {
            case .join(let join):
                await roster.note(join, at: entry.id)
                let epoch = keys.epoch
                take(join, entry.id)
                if keys.epoch != epoch { anchor = StreamLossDetector(entry.id) }
                if join.hasLostControl, join.epoch == keys.epoch { anchor = StreamLossDetector(entry.id, isLost: true) }
            case .missed(let replica, let started):
                if let index = index(of: replica, started: started) { replicas[index].noteMissed() }
            case .withdraw(let replica, let started):
                await roster.forget(replica, started: started)
                if let index = index(of: replica, started: started) { replicas[index].withdraw() }
            case .call(let call) where concernsThis(call):
                guard
                    call.startsOver || hasAnswers(to: entry.id) || haveReplicasStartedOver
                        || isOver(options.limits.earlier, since: arrival)
                else { return }
                do throws(FleetError) { try await carryOut(call, entry) } catch { return }
            // The replicas ship what they decide.
            case .call, .mark, .pushes, .counts, nil: break
            }
            control.removeFirst()
            applied = max(applied, entry.id)
        }
        control = []
    }

    /// Notes whether the engine has dropped some of the control stream before entries that were read.
    func noteDropped(before entries: [StreamEntry]) async throws(FleetError) {
        guard let first = entries.first, position == .zero || entries.count >= readCount,
            try await links.ask.hasDropped(after: position, keys)
        else { return }
        history.start = first.id
    }

    /// Whether it knows all that the fleet has agreed on.
    var knowsAll: Bool { history.isWhole(in: keys.epoch) }

    /// The message if it does not, without a full stop.
    var lateness: String {
        "not all replicas are known here, because what the fleet agreed on was dropped before it was read: \(options.limits.keptControl); ask a collector that ran throughout, or start the run over with \(APICall.reset) on one"
    }

    /// Whether a call changes this collector. Without an admin API, as for a verdict of its own scenario, there is nothing
    /// to change.
    private func concernsThis(_ call: FleetCall) -> Bool { server.performer != nil && call.name.scope == .everyMember }

    /// The call that waits for earlier decisions of replicas; `nil` if none does. Later decisions come after it here,
    /// too.
    var waitingCall: StreamID? {
        control.first { entry, _ in
            guard case .call(let call) = ControlMessage(entry) else { return false }
            return concernsThis(call)
        }?.entry.id
    }

    /// Whether replicas have started over since, so that what they had decided before does not come any more.
    private var haveReplicasStartedOver: Bool {
        control.contains { entry, _ in
            guard case .join(let join) = ControlMessage(entry) else { return false }
            return join.epoch > keys.epoch
        }
    }

    /// Whether what had to come within a limit has not, although there was nothing more to read.
    private func isOver(_ limit: Duration, since start: ContinuousClock.Instant) -> Bool {
        !isBehind && .now - max(start, latestProgress) > limit
    }

    private func carryOut(_ call: FleetCall, _ entry: StreamEntry) async throws(FleetError) {
        guard seen[entry] == nil else { return }
        proceed(through: entry.id)
        guard let perform = server.performer else { return }
        if call.name == .reset {
            try await links.ask.restoreScenario(of: entry.id, on: server, keys, unless: Self.noScenario)
        }
        // Frames that arrive meanwhile belong to the log only if nothing starts over.
        isHeldBack = call.startsOver
        server.setFleetTime(entry.time)
        let answer = await perform(call)
        server.setFleetTime(nil)
        isHeldBack = false
        seen[entry] = answer
        if call.startsOver { latestStart = (entry.id, answer) }
        guard answer.isSuccess else { return }
        if call.startsOver {
            let old = logs.map(\.key)
            startOver(entry.id)
            // Live replicas do so as well, but there may be none.
            try? await links.ask.remove(old)
            anchor = StreamLossDetector(entry.id)
            note(nil)
        } else if call.name == .playScenario {
            (sharesScenario, whyNoVerdictHolds) = (true, nil)
            for index in replicas.indices { replicas[index].pass(by: entry.id) }
        }
    }

    package func call(_ call: FleetCall) async -> FleetAnswer {
        guard let call = localized(call) else {
            return FleetAnswer(.refused("no replica has reported that connection"))
        }
        // Before its first read, it does not know what it has missed.
        let deadline = ContinuousClock.now + options.limits.call
        while isControlBehind, !isEnding, .now < deadline { try? await Task.sleep(for: .milliseconds(2)) }
        if !call.startsOver, let obstacle = isRunOver ? FleetCoordinator.runIsOver : knowsAll ? nil : lateness {
            return FleetAnswer(failure: "Nothing was done: \(obstacle).")
        }
        do throws(FleetError) {
            let outcome = try await coordinator.make(call) { await self.applied }
            if !call.startsOver, call.name.method != .get, await !hasEffects(on: Set(outcome.reports.keys)) {
                return FleetAnswer(
                    failure:
                        "All replicas of the fleet have done it, but the collector has not heard of the effects in time. Read the state with GET."
                )
            }
            // Replicas other than the one named have nothing to report.
            let meant = call.replica.flatMap { outcome.reports[$0] }
            guard let report = meant ?? outcome.report else {
                // With no replica, starting over concerns the collector alone.
                if let (entry, answer) = latestStart, entry == outcome.id { return answer }
                throw .undone(FleetCoordinator.noLiveReplica)
            }
            return await coordinator.answer(of: report, to: call, outcome.id)
        } catch {
            return FleetAnswer(error)
        }
    }

    /// Waits until what the calls so far have led to is in the log here.
    ///
    /// - Parameter names: the replicas that have carried out the latest call. Another may have died, which is not known yet.
    /// - Returns: whether it is, within the limit of a call.
    private func hasEffects(on names: Set<String>) async -> Bool {
        let deadline = ContinuousClock.now + options.limits.call
        guard
            let mark = try? await links.ask.append(
                [("k", Array("mark".utf8))], toControl: keys, keeping: .latest(options.limits.control))
        else { return false }
        while applied < mark || !hasAnswers(to: mark, of: names) {
            guard .now < deadline, !isEnding else { return false }
            try? await Task.sleep(for: .milliseconds(2))
        }
        proceed(through: mark)
        return true
    }

    /// Whether replicas have been part of the run, and all have ended, by their own word or without.
    var isRunOver: Bool {
        let known = replicas.filter { !$0.hasWithdrawn }
        return !known.isEmpty && known.allSatisfy { $0.state != .alive }
    }

    /// Returns the call with the id of a connection as the replica knows it; `nil` if no replica has that connection.
    private func localized(_ call: FleetCall) -> FleetCall? {
        guard call.name.scope == .connection, let id = Int(call.values[0]) else { return call }
        guard let (replica, own) = server.replicaConnection(id) else { return nil }
        return FleetCall(call.name, ["\(own)"], query: "", body: call.body, replica: replica)
    }
}
