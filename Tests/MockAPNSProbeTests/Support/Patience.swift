import Foundation
import MockAPNS
import MockAPNSProbe
import Testing

extension Duration {
    /// How long a test waits for what has to come: a machine may be slow, and busy with other tests.
    static let patience = Duration.seconds(300)
}

/// Runs all probes against a server of its own.
func probeOwnServer() async throws -> [ProbeResult] {
    let own = try await OwnServer.start()
    do {
        let results = try await ProbeRun(own.target, timeout: .patience).run(ProbeList.all.probes) { _ in
        }
        await own.server.stop(waiting: .zero)
        return results
    } catch {
        await own.server.stop(waiting: .zero)
        throw error
    }
}

extension Trait where Self == ConditionTrait {
    /// For what moves so much that a sanitizer takes minutes over it.
    static var withoutSanitizer: Self {
        .disabled(
            if: ProcessInfo.processInfo.environment["MOCK_APNS_SANITIZER"] != nil,
            "All probes for each of thirty faults take a sanitizer minutes.")
    }
}
