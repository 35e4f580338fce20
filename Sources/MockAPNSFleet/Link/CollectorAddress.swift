/// Where the running collector of a fleet can be asked: what it keeps under ``FleetKeys/collector``.
package struct CollectorAddress: Sendable, Hashable {
    /// The address of its admin API.
    package let url: String
    /// The id of its process, which `GET /api/v1/fleet` answers: on another machine, or later, something else may have the
    /// same address.
    package let id: String

    /// Creates an address.
    init(url: String, id: String) { (self.url, self.id) = (url, id) }

    /// Reads what is in the engine, `URL ID`; `nil` for anything else.
    init?(_ bytes: [UInt8]) {
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.init(url: String(parts[0]), id: String(parts[1]))
    }

    /// Returns an id that no other process has.
    static func newID() -> String { String(UInt64.random(in: 1 << 60 ... .max), radix: 16) }

    /// The address as it is in the engine.
    var text: String { "\(url) \(id)" }
}

/// The result of the search for the collector of a fleet.
package enum CollectorSearch: Sendable, Hashable {
    /// It answers.
    case found(CollectorAddress)
    /// None is running.
    case none
    /// One is running, and cannot be asked from here.
    ///
    /// - Parameter problem: why, as part of a sentence.
    case outOfReach(CollectorAddress, problem: String)
}

extension FleetLink {
    /// Looks for the running collector. One that has died leaves its address behind, which expires meanwhile.
    ///
    /// - Parameters:
    ///   - limit: how long an address is tried.
    ///   - problem: asks whether that collector answers at its address, within a time; returns why not, as part of a
    ///     sentence.
    /// - Throws: ``FleetError`` if the engine does not answer.
    package func findCollector(
        _ keys: FleetKeys, within limit: Duration = .milliseconds(Heartbeat.validity + 500),
        _ problem: (CollectorAddress, Duration) async -> String?
    ) async throws(FleetError) -> CollectorSearch {
        let deadline = ContinuousClock.now + limit
        var latest: CollectorSearch?
        while let address = try await values(of: [keys.collector])[0].flatMap({ CollectorAddress($0) }) {
            let left = deadline - .now
            if left <= .zero, let latest { return latest }
            guard let problem = await problem(address, left) else { return .found(address) }
            latest = .outOfReach(address, problem: problem)
            try? await Task.sleep(for: .milliseconds(100))
        }
        return .none
    }
}
