import Logging
import MockAPNS
import MockAPNSCore

// Whether a replica is alive, and ready.

extension FleetReplica {
    /// Sends a heartbeat each second, and sees how the engine is.
    func live() async {
        var beats = 0
        while !isEnding {
            do throws(FleetError) {
                guard !isSuperseded else { throw .superseded }
                try await sendHeartbeat()
                beats += 1
                if beats % 10 == 0 { try await noteTime() }
                let address = try await links.heartbeat.values(of: [keys.collector])[0]
                if beats == Self.beatsBeforeWarning, address == nil, collector == nil { warnOfMissingCollector() }
                try await lookAtControl(by: links.heartbeat)
                set(
                    problem: lack,
                    collector: address.flatMap { CollectorAddress($0) }?.url)
            } catch {
                let help = "another replica is called \(options.name); give each a name of its own with --replica"
                set(problem: error == .superseded ? help : "\(error)", collector: collector)
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// After how many heartbeats a replica says that there is no collector. One that starts with it is there by then.
    private static let beatsBeforeWarning = 10

    /// A mistyped name makes a fleet of its own.
    private func warnOfMissingCollector() {
        logger.warning(
            "The fleet \(options.fleet) has no collector so far. If it should have one, check --fleet-name and the database of the engine here and there: nothing else shows that this replica is in another fleet."
        )
    }

    /// Why it is not ready although the engine answers, as part of a sentence; `nil` if it is.
    private var lack: String? {
        if anchor.isLost { return StreamLossDetector.loss }
        return knowsAll
            ? obstacle
            : "it was stopped, or could not reach the engine, for so long that it has missed what the others agreed on: \(options.limits.keptControl); \(APICall.reset) on the collector starts everything over"
    }

    /// Why what it decided does not reach the engine, as part of a sentence; `nil` if it does.
    private var obstacle: String? {
        joiningFailure.map { "it has started over, but cannot tell the engine: \($0)" } ?? shipper.problem(at: .now)
    }

    /// Looks whether the engine has lost what was carried out; if so, says so to the others, who may not have read it.
    func lookAtControl(by link: any FleetLink) async throws(FleetError) {
        let reached = applied
        anchor.reach(reached)
        let observation = try await link.look(for: anchor, in: keys.control)
        anchor.note(observation, applied: applied)
        guard anchor.mustBeReported else { return }
        // The engine's clock may have gone back: what it appends now is to be read.
        if !observation.isThere, applied == reached { applied = min(applied, observation.last) }
        try await joinAfterLoss(in: keys.epoch)
    }

    /// Another replica has noticed a loss: since then, a replica that joins cannot know the epoch. This one may have
    /// joined since.
    func noteLoss(in epoch: StreamID) async throws(FleetError) {
        guard epoch >= keys.epoch else { return }
        if epoch > keys.epoch {
            let old = keys.log(options.name)
            if anchor.id != .zero { try await joinAfterLoss(in: epoch) }
            keys.epoch = epoch
            own.epoch = epoch
            try await links.heartbeat.remove([old])
        }
        anchor.noteLoss()
    }

    /// Joins again: a replica that joins from now on has to know the epoch, and what is lost.
    private func joinAfterLoss(in epoch: StreamID) async throws(FleetError) {
        let before = keys.epoch
        var again = own
        again.epoch = epoch
        again.hasLostControl = true
        let joined = try await links.heartbeat.append(
            again.fields, toControl: keys, keeping: .latest(options.limits.control))
        if before == keys.epoch { anchor = StreamLossDetector(joined, isLost: true) }
    }

    func set(problem: String?, collector: String?) {
        let before = known.withLock { known in
            defer { known = Known(problem: problem, collector: collector) }
            return known.problem
        }
        guard !isEnding, (before == nil) != (problem == nil) || problem == StreamLossDetector.loss && before != problem
        else {
            return
        }
        if let problem {
            logger.warning("The replica \(options.name) is not ready, and \(APICall.isReady.path) is 503: \(problem).")
        } else {
            logger.notice("The replica \(options.name) of the fleet \(options.fleet) is ready again.")
        }
    }

    func sendHeartbeat() async throws(FleetError) {
        try await links.heartbeat.set(keys.alive(options.name), to: heartbeat.json, expiringAfter: Heartbeat.validity)
    }

    var heartbeat: Heartbeat {
        var heartbeat = shipper.heartbeat(decided: server.latestEvent.sequence)
        (heartbeat.applied, heartbeat.admin, heartbeat.problem) = (applied, adminURL, obstacle)
        return heartbeat
    }

    func noteTime() async throws(FleetError) {
        let before = WallClock.now().milliseconds
        let engine = try await links.heartbeat.time().milliseconds
        shipper.clockOffset = engine - (before + WallClock.now().milliseconds) / 2
        server.followOrder(clockOffset: shipper.clockOffset)
    }
}
