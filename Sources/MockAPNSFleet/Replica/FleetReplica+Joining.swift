import Logging
import MockAPNS
import MockAPNSCore

// How a replica becomes a member.

extension FleetReplica {
    /// Carries out what the others have changed so far, then joins.
    ///
    /// - Returns: why it cannot join: its name is taken, another replica differs in what has to be equal, or the run of
    ///   the fleet has ended.
    func begin() async throws(FleetError) -> MockAPNSServer.StartError? {
        try await noteTime()
        try await links.heartbeat.checkCommands(keys)
        guard try await isNameFree() else {
            return .unavailable(
                "There is already a replica \"\(options.name)\" in the fleet \(options.fleet); give each its own name with --replica."
            )
        }
        let last = try await links.ship.lastID(of: keys.log(options.name))
        let now = UInt64(max(1, WallClock.now().milliseconds + shipper.clockOffset))
        shipper = newShipper(started: max(now, last.milliseconds + 1))
        own = JoinMessage(
            replica: options.name, started: shipper.started, version: MockAPNSVersion.text,
            scenario: Digest.text(of: server.scenarioText),
            authority: Digest.text(of: server.identity.certificateAuthority))
        own.signingKeys = Digest.text(of: server.signingKeys)
        own.options = server.overridingOptions
        try await catchUp()
        if let rejection = rejectionOfLateness() { return rejection }
        // Where nothing can be written, the heartbeats of the others have expired, too.
        try await links.heartbeat.set(keys.nothing, to: [], expiringAfter: 1)
        if let rejection = try await rejectionOfEndedRun() { return rejection }
        try await adoptBeginning()
        if let rejection = try await rejection(before: .max) { return rejection }
        try await sendHeartbeat()
        // From here on, the others wait for this replica when they change something.
        anchor = StreamLossDetector(
            try await links.heartbeat.append(
                own.fields, toControl: keys, keeping: .latest(options.limits.control)),
            isLost: anchor.isLost)
        try await catchUp(through: anchor.id)
        // Events before the clocks agreed are not in its log either.
        shipper = newShipper(started: own.started, after: server.latestReset)
        server.note(member)
        if let rejection = rejectionOfLateness() { return rejection }
        // Another one may have joined at the same moment.
        return try await rejection(before: anchor.id)
    }

    /// Lets a replica that was started with the scenario that the others play by now join them: what they began with has
    /// left nothing behind, and is not here to be compared.
    private func adoptBeginning() async throws(FleetError) {
        guard scenario != .zero, Digest.text(of: server.scenarioText) == own.scenario,
            let other = try await roster.living().first(where: { $0.replica != own.replica })
        else { return }
        (own.scenario, own.played) = (other.scenario, other.played)
    }

    /// Returns the frames of this replica from here on.
    ///
    /// - Parameter number: the number of the latest event that is not to be shipped.
    func newShipper(started: UInt64, after number: Int = 0) -> FrameShipper {
        FrameShipper(
            started: started, clockOffset: shipper.clockOffset, after: number, storedLimit: options.limits.frames)
    }

    /// Whether it knows all that the fleet has agreed on.
    var knowsAll: Bool { history.isWhole(in: keys.epoch) }

    /// Returns why this replica cannot join if it does not know all that the fleet has agreed on.
    private func rejectionOfLateness() -> MockAPNSServer.StartError? {
        // After a loss, no replica knows all, and none is ready.
        guard !knowsAll, !anchor.isLost else { return nil }
        return .unavailable(
            "No replica can join the fleet \(options.fleet) any more, since what its replicas agreed on first was dropped: \(options.limits.keptControl). Start all replicas before the pushes, give a new run its own name with --fleet-name, or start this one over with \(APICall.reset) on its collector."
        )
    }

    /// This replica as the log names it.
    private var member: FleetMember {
        FleetMember(fleet: options.fleet, replica: options.name, started: own.started, epoch: keys.epoch)
    }

    /// Returns why this replica cannot be one of the fleet: it differs from a live one.
    ///
    /// - Parameter entry: only those that joined before this entry count.
    private func rejection(before entry: StreamID) async throws(FleetError) -> MockAPNSServer.StartError? {
        for other in try await roster.living(before: entry) where other.replica != own.replica {
            guard let difference = own.difference(from: other) else { continue }
            return .malformed("The replica \"\(other.replica)\" of the fleet \(options.fleet) \(difference).")
        }
        return nil
    }

    /// Returns why this replica cannot join if all that have joined since the last reset have ended: their requests would
    /// count as those of this run, and their changes would still apply.
    private func rejectionOfEndedRun() async throws(FleetError) -> MockAPNSServer.StartError? {
        // An engine that hung or was started again may have lost the heartbeats; there is another each second.
        let deadline = ContinuousClock.now + .seconds(2)
        while true {
            let ended = await roster.joined(in: keys.epoch).map { "\"\($0.replica)\"" }
            guard !ended.isEmpty, try await roster.living().isEmpty else { return nil }
            guard ContinuousClock.now < deadline else { return await overMessage(ended) }
            try? await Task.sleep(for: .milliseconds(100))
            try await catchUp()
        }
    }

    private func overMessage(_ ended: [String]) async -> MockAPNSServer.StartError {
        let began = keys.epoch == .zero ? await roster.began : keys.epoch
        let names = ended.prefix(3).joined(separator: ", ") + (ended.count > 3 ? " and \(ended.count - 3) more" : "")
        let (replicas, have) = ended.count == 1 ? ("replica", "has") : ("replicas", "have")
        return .unavailable(
            "The run of the fleet \(options.fleet) that began at \(Timestamp(milliseconds: Int64(clamping: began.milliseconds)).text) is over: its \(replicas) \(names) \(have) ended. Give a new run its own name with --fleet-name, or start this one over with \(APICall.reset) on its collector."
        )
    }

    /// Waits until no other replica of this name is live; returns whether that is so. One that was killed counts as
    /// live for a while.
    private func isNameFree() async throws(FleetError) -> Bool {
        let deadline = ContinuousClock.now + .milliseconds(Heartbeat.validity + 1000)
        while try await links.heartbeat.values(of: [keys.alive(options.name)])[0] != nil {
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return true
    }

    /// Joins again with everything that starts over: replicas that join later need not know what was before.
    ///
    /// - Parameters:
    ///   - start: the entry of the control stream that starts everything over.
    ///   - old: the stream of the frames shipped before it.
    func joinAgain(from start: StreamEntry, removing old: String) async {
        server.note(member)
        while !isEnding {
            do throws(FleetError) {
                try await links.heartbeat.keepScenario(server.scenarioText, of: keys.epoch, keys)
                anchor = StreamLossDetector(
                    try await links.heartbeat.append(own.fields, toControl: keys, keeping: .from(start.id)))
                try await links.heartbeat.remove([old])
                joiningFailure = nil
                try await sendHeartbeat()
                return
            } catch {
                joiningFailure = error
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}
