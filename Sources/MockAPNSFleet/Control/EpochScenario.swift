import MockAPNS
import MockAPNSCore

// The scenario that an epoch begins with is kept in the engine, since the call that once played it may leave the control
// stream.

extension FleetLink {
    /// Keeps the scenario that an epoch begins with.
    func keepScenario(_ text: [UInt8], of epoch: StreamID, _ keys: FleetKeys) async throws(FleetError) {
        do throws(FleetError) {
            _ = try await append([("d", text)], to: keys.scenarios, id: epoch, keeping: .from(epoch))
        } catch .superseded {
            // A later epoch has begun.
        }
    }

    /// Before a reset, plays the scenario that its epoch begins with on a member that has not seen it.
    ///
    /// - Parameter other: a scenario in whose place the member goes on with its own; `nil` for none.
    /// - Throws: ``FleetError`` if the engine does not answer.
    func restoreScenario(
        of epoch: StreamID, on server: MockAPNSServer, _ keys: FleetKeys, unless other: [UInt8]? = nil
    ) async throws(FleetError) {
        let found = try await read([(keys.scenarios, epoch.previous)], count: 1, within: 0)
        guard let kept = found.first?.entries.first, kept.id == epoch, let text = kept.value("d"),
            text != server.scenarioText, text != other
        else { return }
        // A scenario that all others play can be played, unless it needs a file that only they have.
        try? await server.play(text)
    }
}
