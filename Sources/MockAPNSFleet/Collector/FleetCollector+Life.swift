import Logging
import MockAPNS
import MockAPNSCore

// Which replicas live, and whether the engine answers.

extension FleetCollector {
    func watch() async {
        while !isEnding {
            do throws(FleetError) {
                try await look(at: now)
                anchor.note(try await links.ask.look(for: anchor, in: keys.control), applied: applied)
                if let address, !isEnding { try await tell(address) }
                note(nil)
            } catch {
                note(error)
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// Keeps the address of the admin API in the engine for a while. One whose verdicts all fail leaves that to another.
    func tell(_ address: CollectorAddress) async throws(FleetError) {
        let own = Array(address.text.utf8)
        if !knowsAll || whyNoVerdictHolds != nil, let known = try await links.ask.values(of: [keys.collector])[0],
            known != own
        {
            return
        }
        try await links.ask.set(keys.collector, to: own, expiringAfter: Heartbeat.validity)
    }

    /// Removes the address, unless it is that of another collector, so that no member waits until it expires.
    func withdrawAddress() async throws(FleetError) {
        guard let address, try await links.ask.values(of: [keys.collector])[0] == Array(address.text.utf8) else {
            return
        }
        try await links.ask.remove([keys.collector])
    }

    /// Sees which replicas live.
    ///
    /// - Parameter now: a monotonic time in milliseconds.
    func look(at now: Int64) async throws(FleetError) {
        let names = Set(replicas.filter { $0.state != .ended }.map(\.name)).sorted()
        let heartbeats = try await links.ask.values(of: names.map { keys.alive($0) })
        if failure != nil { noteAllSeen() }
        for (name, bytes) in zip(names, heartbeats) {
            let heartbeat = bytes.flatMap { Heartbeat($0) }
            let log = logs.firstIndex { $0.name == name }
            let isRead = !isControlBehind && log.map { !merge.isBehind($0) } ?? true
            for index in replicas.indices where replicas[index].name == name && replicas[index].state != .ended {
                if let heartbeat, heartbeat.started == replicas[index].started {
                    replicas[index].note(heartbeat, at: now)
                } else if isRead, replicas[index].isSilent(at: now), replicas[index].state == .alive {
                    // An unread frame may say that it has ended.
                    logger.warning(
                        "The replica \(replicas[index].label) \(CollectedReplica.silence). Verdicts fail and name it.")
                    replicas[index].state = .dead
                }
            }
            noteLiving(name)
        }
    }

    func note(_ error: FleetError?) {
        guard !isEnding else { return }
        let isNews = (failure == nil) != (error == nil)
        failure = error
        showReadiness()
        guard isNews else { return }
        if let error {
            logger.warning("The engine of the fleet cannot be used now, and \(APICall.isReady.path) is 503: \(error).")
        } else {
            noteAllSeen()
            logger.notice("The engine of the fleet can be used again.")
        }
    }

    /// Lets others know whether it is ready.
    func showReadiness() {
        let problem = failure.map { "\($0)" } ?? lack
        readiness.withLock { $0 = problem }
    }

    /// Why it is not ready although the engine answers, as part of a sentence; `nil` if it is.
    private var lack: String? {
        if anchor.isLost { return StreamLossDetector.loss }
        if !knowsAll { return lateness }
        return hasRead ? problemOfReplicas : Self.unread
    }

    static let unread = "it has not yet read all that the engine has"

    /// Why the requests of a live replica do not arrive, as part of a sentence; `nil` if all arrive.
    private var problemOfReplicas: String? {
        replicas.lazy.filter { $0.state == .alive }.compactMap { replica in
            replica.heartbeat?.problem.map { "the replica \(replica.label) is stuck: \($0)" }
        }.first
    }

    /// Counts all live replicas as seen now: while the engine cannot be used, none can send a heartbeat.
    private func noteAllSeen() {
        for index in replicas.indices where replicas[index].state == .alive { replicas[index].seen = now }
    }
}
