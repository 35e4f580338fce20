package import MockAPNSCore

extension Scenario {
    /// Returns the workload with the team that each push comes from, if the story needs several.
    ///
    /// - Parameter file: returns the path of a key, by its id and source.
    package func signedWorkload(
        _ file: (_ keyID: String, _ source: KeySource) throws -> String
    ) rethrows -> [WorkloadEntry] {
        guard needs.contains(.teams) else { return workload }
        var signers: [WorkloadEntry.Signer?] = []
        for (team, sources) in zip(authentication.teams, keySources) {
            guard let key = team.keys.first, let source = sources.first else {
                signers.append(nil)
                continue
            }
            signers.append(
                .init(teamID: team.teamID, keyID: key.keyID, key: try file(key.keyID, source)))
        }
        return workload.map { entry in
            var entry = entry
            let topic = Array((entry.push.topic ?? "").utf8)
            let index = authentication.teams.firstIndex { $0.topics?.covers(topic.span) ?? true }
            entry.push.signer = index.flatMap { signers[$0] }
            return entry
        }
    }
}

extension RequestSnapshot {
    /// The remark on a failed story for which a driver has to keep its connection, if each request came on a connection
    /// of its own; `nil` otherwise.
    package var remarkOnConnections: String? {
        let connections = LogSearch(
            self, [UInt32](),
            take: { subject, connections in
                if subject.record.sender == .provider { connections.append(subject.record.connectionID) }
            }
        ).finish()
        guard connections.count > 1, Set(connections).count == connections.count else { return nil }
        return
            "each of the \(connections.count) requests came on a connection of its own, but this story needs a driver that keeps one: --skip keepsConnection leaves out such stories"
    }
}
