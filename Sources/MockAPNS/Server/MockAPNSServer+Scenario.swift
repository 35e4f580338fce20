package import MockAPNSCore
import NIOCore

// What is played: reading it again, replacing it, beginning anew.

extension MockAPNSServer {
    /// Reads the scenario's file, certificates and keys again. A scenario whose text has changed is played from its
    /// beginning; new connections use the certificates. An identity made in memory stays.
    ///
    /// - Returns: whether a scenario began anew.
    /// - Throws: ``StartError``; what was in force stays in force.
    @discardableResult
    public func reload() throws -> Bool { try reload(.never) }

    /// As ``reload()``, beside everything else. Ends soon when its task is cancelled.
    @discardableResult
    package func reloadApart() async throws -> Bool {
        try await Slices.apart(.files) { [self] stop in try reload(stop) }
    }

    private func reload(_ stop: StopCheck) throws -> Bool {
        let new = try LoadedScenario(configuration, stop)
        let played = loaded.withLock { $0 }
        // Without a file, what the API has put in force stays.
        let isOther = configuration.scenario != nil && new.text != played.text
        // All is read before anything is replaced.
        let ofSessions = try sessions.all.map { session throws(StartError) in
            let server = session.server
            return (engine: server.engine, trust: try server.trust(for: server.loaded.withLock { $0 }))
        }
        if isOther { try play(new) } else { engine.replace(try trust(for: played)) }
        for (engine, trust) in ofSessions { engine.replace(trust) }
        return isOther
    }

    /// Reads another scenario and plays it from its beginning, beside everything else: a large one takes a second. The log
    /// and open connections stay. Nothing is played when the task is cancelled before it was read.
    ///
    /// - Parameters:
    ///   - text: the scenario. Paths in it are relative to the folder of the scenario that the server was started with.
    ///   - isAnew: whether everything begins anew, as by ``reset()``.
    /// - Throws: ``ScenarioRefusal``, and ``StartError`` when a file that it names cannot be used; what was in force
    ///   stays in force.
    package func play(_ text: [UInt8], anew isAnew: Bool = false) async throws {
        await reportCounters()
        try await Slices.apart(.text(text.count)) { [self] stop in
            let scenario = try read(text, stop) {
                Scenario.read($0, trustedKeyIDs: configuration.trustedKeys.map(\.keyID), stop: stop)
            }
            try play(LoadedScenario(scenario, text: text, folder: loaded.withLock { $0.folder }), anew: isAnew)
        }
    }

    /// Reads what a session is to be opened with, beside everything else.
    ///
    /// - Throws: ``ScenarioRefusal``.
    package func sessionRequest(_ text: [UInt8]) async throws -> SessionRequest {
        try await Slices.apart(.text(text.count)) { [self] stop in
            try read(text.isEmpty ? Array("{}".utf8) : text, stop) {
                SessionRequest.read($0, trustedKeyIDs: configuration.trustedKeys.map(\.keyID), stop: stop)
            }
        }
    }

    private func read<Result>(
        _ text: [UInt8], _ stop: StopCheck, _ make: (JSONText.Value) -> (Result?, [ScenarioMistake])
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

    private func play(_ new: LoadedScenario, anew isAnew: Bool = false) throws(StartError) {
        let trust = try trust(for: new)
        let configuration = GatewayConfiguration(configuration, new.scenario, seed: drawnSeed)
        // Under one lock, so that of two that come at once all of one is in force at the end.
        loaded.withLock { loaded in
            loaded = new
            engine.replace(trust)
            engine.transact { gateway, lines, transaction in
                if isAnew {
                    gateway.playAnew(new.scenario, configuration, at: transaction.real)
                    lines.restart(at: transaction.real)
                } else {
                    gateway.play(new.scenario, configuration, at: transaction.real)
                }
                engine.takeEnded(&gateway)
            }
        }
        judgeEnded()
    }

    /// Judges what has ended, when there is time for it: who resets is not kept waiting.
    private func judgeEnded() {
        guard engine.keepsEarlierResults else { return }
        Task.detached { [engine] in engine.judgeEnded() }
    }

    /// Keys and certificates for a scenario; the identity in force stays.
    func trust(for loaded: LoadedScenario) throws(StartError) -> Engine.Trust {
        try .read(configuration, loaded, inMemory: engine.trust.withLock { $0.ownIdentity }, logger: engine.logger)
    }

    /// The text of the scenario that is played; `{}` without one.
    package var scenarioText: [UInt8] { loaded.withLock { $0.text } }

    /// The scenario that is played.
    package var scenario: Scenario { engine.gateway.withLock { $0.scenario } }

    /// Moves a manual clock to the last point of the timeline, so that everything in it has happened; a real clock goes
    /// its own way.
    package func finishTimeline() async {
        await engine.transactAndSettle { gateway, lines, transaction in
            transaction.note(gateway.advanceToEndOfTimeline(), &lines)
        }
        for session in sessions.all { await session.server.finishTimeline() }
    }

    /// Waits until no connection is open, but no longer than that.
    package func untilConnectionsEnd(within time: Duration) async {
        await engine.connections.untilEmpty(within: TimeAmount(time), on: engine.loop)
    }

    /// Makes everything as freshly started: log, devices, rules, clock, counters, and random numbers from the seed again.
    /// Open connections stay and keep their ids; they have no numbers any more and count in no total.
    public func reset() {
        engine.transact { gateway, lines, transaction in
            gateway.reset(at: transaction.real)
            lines.restart(at: transaction.real)
            engine.takeEnded(&gateway)
        }
        judgeEnded()
    }
}

/// Why a text is no scenario.
package enum ScenarioRefusal: Error {
    /// It is not JSON.
    case notJSON(JSONText.Mistake)
    /// It is JSON with mistakes.
    case mistakes([ScenarioMistake])
}
