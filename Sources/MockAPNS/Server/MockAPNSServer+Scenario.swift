package import MockAPNSCore
import MockAPNSJudge
package import MockAPNSScenario
import NIOCore

// The scenario being played: reloading it, replacing it, starting over.

extension MockAPNSServer {
    /// Reloads the scenario file, certificates and keys. A scenario whose text has changed is played from its
    /// beginning; new connections use the certificates. An identity created in memory is kept. The replica of a fleet
    /// keeps its scenario, which all replicas play.
    ///
    /// - Returns: whether a scenario started over.
    /// - Throws: ``StartError``; nothing has changed then.
    @discardableResult
    public func reload() throws -> Bool { try reload(.never) }

    /// Reloads like ``reload()``, in the background. Ends early if its task is canceled.
    @discardableResult
    package func reloadApart() async throws -> Bool {
        try await BackgroundWork.run(.files) { [self] stop in try reload(stop) }
    }

    private func reload(_ stop: CancellationCheck) throws -> Bool {
        let new = try LoadedScenario(configuration, stop)
        // Without a file, a scenario set through the API is kept.
        let isOther = fleet == nil && configuration.scenario != nil && new.text != loaded.withLock { $0.text }
        // Everything is read before anything is replaced.
        let ofSessions = try sessions.all.map { session throws(StartError) in
            (server: session.server, trust: try session.server.currentTrust())
        }
        if isOther { try play(new) } else { try replace(currentTrust()) }
        for (server, trust) in ofSessions { try server.replace(trust) }
        return isOther
    }

    /// Reads the keys and certificates for the scenario being played, whose text is returned with them.
    private func currentTrust() throws(StartError) -> (trust: Engine.Trust, text: [UInt8]) {
        let loaded = loaded.withLock { $0 }
        return (try trust(for: loaded), loaded.text)
    }

    /// Replaces the keys and certificates. If another scenario is played by now, they are read again for it.
    private func replace(_ new: (trust: Engine.Trust, text: [UInt8])) throws(StartError) {
        var new = new
        while true {
            let isReplaced = try loaded.withLock { loaded throws(StartError) in
                guard loaded.text == new.text else { return false }
                try engine.replace(new.trust)
                return true
            }
            if isReplaced { return }
            new = try currentTrust()
        }
    }

    /// Reads another scenario and plays it from its beginning, in the background, as a large one takes a second. The
    /// log and open connections are kept. Nothing is played if the task is canceled before it was read.
    ///
    /// - Parameters:
    ///   - text: the scenario. Paths in it are relative to the folder of the scenario that the server was started with.
    ///   - isAnew: whether everything starts over, as with ``reset()``.
    /// - Throws: ``ScenarioRefusal``, ``StartError`` if a file that it names cannot be used, and ``ControlError/taken(_:)``
    ///   if its topics do not fit beside those known so far; nothing has changed then.
    package func play(_ text: [UInt8], anew isAnew: Bool = false) async throws {
        await reportCounters()
        try await BackgroundWork.run(.text(text.count)) { [self] stop in
            let scenario = try read(text, stop) {
                Scenario.read($0, trustedKeyIDs: configuration.trustedKeys.map(\.keyID), stop: stop)
            }
            try play(LoadedScenario(scenario, text: text, folder: loaded.withLock { $0.folder }), anew: isAnew)
        }
    }

    /// Reads the request to open a session, in the background.
    ///
    /// - Throws: ``ScenarioRefusal``.
    package func sessionRequest(_ text: [UInt8]) async throws -> SessionRequest {
        try await BackgroundWork.run(.text(text.count)) { [self] stop in
            try read(text.isEmpty ? Array("{}".utf8) : text, stop) {
                SessionRequest.read($0, trustedKeyIDs: configuration.trustedKeys.map(\.keyID), stop: stop)
            }
        }
    }

    private func read<Result>(
        _ text: [UInt8], _ stop: CancellationCheck, _ make: (JSONText.Value) -> (Result?, [ScenarioMistake])
    ) throws -> Result {
        let value: JSONText.Value
        do throws(JSONText.Mistake) { value = try JSONText.read(text, stop: stop) } catch {
            throw ScenarioRefusal.notJSON(Scenario.mistakeOfYAML(text) ?? error)
        }
        let (result, mistakes) = make(value)
        try stop.check()
        guard let result else { throw ScenarioRefusal.mistakes(mistakes) }
        return result
    }

    private func play(_ new: LoadedScenario, anew isAnew: Bool = false) throws {
        let topics = isAnew ? [] : new.scenario.devices.flatMap(\.topics)
        guard engine.gateway.withLock({ $0.devices.topics.hasRoom(for: topics) }) else {
            throw ControlError.taken(
                "The topics of the scenario's devices do not fit beside those known so far; \(TopicTable.limit) topics with \(TopicTable.byteLimit) bytes are the maximum. Start over: \(APICall.playScenario)?reset=true, or \(APICall.reset) before it."
            )
        }
        let trust = try trust(for: new)
        let configuration = GatewayConfiguration(configuration, new.scenario, seed: drawnSeed)
        // Under one lock, so that of two concurrent calls, one takes effect completely.
        try loaded.withLock { loaded throws(StartError) in
            try engine.replace(trust)
            loaded = new
            engine.transact { gateway, lines, transaction in
                repeatedPushes.endAll()
                if isAnew {
                    gateway.restart(new.scenario, configuration, at: transaction.real)
                    lines.restart(at: transaction.real)
                } else {
                    gateway.play(new.scenario, configuration, at: transaction.real)
                }
                engine.takeEnded(&gateway)
            }
        }
        judgeEnded()
    }

    /// Judges what has ended, in the background: a reset does not wait for it, unless too many are already waiting.
    private func judgeEnded() {
        guard engine.keepsEarlierResults || engine.lintsRun else { return }
        guard engine.earlierResults.withLock({ $0.unsettledCount }) < EarlierResults.unsettledLimit else {
            return engine.judgeEnded()
        }
        Task.detached { [engine] in engine.judgeEnded() }
    }

    /// Returns the keys and certificates for a scenario; the current identity is kept.
    func trust(for loaded: LoadedScenario) throws(StartError) -> Engine.Trust {
        try .read(
            configuration, loaded, inMemory: engine.trust.withLock { $0.ownIdentity },
            revoked: engine.revokedSerials, logger: engine.logger)
    }

    /// The text of the scenario being played; `{}` if there is none.
    package var scenarioText: [UInt8] { loaded.withLock { $0.text } }

    /// The scenario being played.
    package var scenario: Scenario { engine.gateway.withLock { $0.scenario } }

    /// Moves a manual clock to the end of the timeline, so that everything in it has happened, once no provider goes on.
    /// A real clock stays.
    package func finishTimeline() async {
        await engine.transactAndSettle { gateway, lines, transaction in
            gateway.noteEndOfProviders()
            transaction.note(gateway.advanceToEndOfTimeline(), &lines)
        }
        for session in sessions.all { await session.server.finishTimeline() }
    }

    /// Waits until no connection is open, or the time has passed.
    package func untilConnectionsEnd(within time: Duration) async {
        await engine.connections.untilEmpty(within: TimeAmount(time), on: engine.timers)
    }

    /// Restores the state after the start: log, devices, rules, clock, counters, and random numbers from the seed. Open
    /// connections are kept with their ids, but without numbers, and count in no total.
    public func reset() {
        engine.transact { gateway, lines, transaction in
            repeatedPushes.endAll()
            gateway.reset(at: transaction.real)
            lines.restart(at: transaction.real)
            engine.takeEnded(&gateway)
        }
        judgeEnded()
    }
}

/// Why a text is not a valid scenario.
package enum ScenarioRefusal: Error {
    /// It is not JSON.
    case notJSON(JSONText.Mistake)
    /// It is JSON, but contains mistakes.
    case mistakes([ScenarioMistake])
}
