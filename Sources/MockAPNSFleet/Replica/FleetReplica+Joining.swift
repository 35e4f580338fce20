import Logging
import MockAPNS
import MockAPNSCore

// How a replica becomes a member.

extension FleetReplica {
    /// Carries out what the others have changed so far, then joins.
    ///
    /// - Returns: why it cannot join: its name is taken, or another replica differs in what all must have in common.
    func begin() async throws(FleetError) -> MockAPNSServer.StartError? {
        try await noteTime()
        try await links.life.checkCommands(keys)
        guard try await isNameFree() else {
            return .unavailable(
                "There is already a replica \"\(options.name)\" in the fleet \(options.fleet); give each its own name with --replica."
            )
        }
        let last = try await links.ship.lastID(of: keys.log(options.name))
        let now = UInt64(max(1, WallClock.now().milliseconds + shipper.clockOffset))
        shipper = FrameShipper(
            options.records, started: max(now, last.milliseconds + 1), clockOffset: shipper.clockOffset)
        own = JoinMessage(
            replica: options.name, started: shipper.started, version: MockAPNSVersion.text,
            scenario: Digest.text(of: server.scenarioText),
            authority: Digest.text(of: server.identity.certificateAuthority))
        own.signingKeys = Digest.text(of: server.signingKeys)
        own.options = server.overridingOptions
        own.records = options.records
        try await desk.begin()
        try await catchUp()
        let living = try await desk.living()
        for other in living where other.replica != own.replica {
            guard let difference = own.difference(from: other) else { continue }
            return .malformed("The replica \"\(other.replica)\" of the fleet \(options.fleet) \(difference).")
        }
        if living.isEmpty, let refusal = await goOn() { return refusal }
        try await tellAlive()
        // From here on, the others wait for this replica when they change something.
        anchor = ControlAnchor(
            try await links.life.append(own.fields, to: keys.control, id: nil, keepingFrom: nil),
            isLost: anchor.isLost)
        try await catchUp(through: anchor.id)
        return nil
    }

    /// Goes on where replicas were that have all ended: in a run that was interrupted, or by mistake in an earlier one.
    ///
    /// - Returns: why it cannot: one of them was started with another scenario. `nil` if it can.
    private func goOn() async -> MockAPNSServer.StartError? {
        let ended = await desk.joined
        if let other = ended.first(where: { $0.scenario != own.scenario }) {
            return .malformed(
                "The fleet \(options.fleet) is that of an earlier run: its replica \"\(other.replica)\", which has ended, was started with another scenario. Give each run a name of its own with --fleet-name."
            )
        }
        if !ended.isEmpty {
            logger.notice(
                "The fleet \(options.fleet) goes on from replicas that have ended (\(ended.map(\.replica).joined(separator: ", "))); their requests count, and what was changed holds. For another run, use another --fleet-name."
            )
        }
        return nil
    }

    /// Waits until no other replica of this name lives; returns whether that is so. One that was killed does for a
    /// while.
    private func isNameFree() async throws(FleetError) -> Bool {
        let deadline = ContinuousClock.now + .milliseconds(SignOfLife.validity + 1000)
        while try await links.life.values(of: [keys.alive(options.name)])[0] != nil {
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return true
    }

    /// Joins again with everything that starts over: who joins from here on need not know what was before.
    ///
    /// - Parameters:
    ///   - start: the entry of the control stream that starts everything over.
    ///   - old: the stream of the frames shipped before it.
    func joinAgain(from start: StreamEntry, removing old: String) async {
        while !isEnding {
            do throws(FleetError) {
                try await desk.keep(server.scenarioText, of: keys.epoch)
                anchor = ControlAnchor(
                    try await links.life.append(own.fields, to: keys.control, id: nil, keepingFrom: start.id))
                try await links.life.remove([old])
                try await tellAlive()
                return
            } catch {
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}
