extension Scenario {
    /// Maximum number of topics that a client certificate gets from a scenario.
    private static let certificateTopicLimit = 100

    /// Returns the topics that a client certificate lacks for this scenario, which names them for its first team or its
    /// devices.
    ///
    /// - Parameter topics: those that the certificate has; each covers its suffixes.
    package func topics(besides topics: [String]) -> [String] {
        let team = authentication.teams.first
        let named = (team?.topics?.names ?? []) + (team?.keys ?? []).flatMap { $0.topics?.names ?? [] }
        var covered = TopicList(topics)
        var missing: [String] = []
        for topic in named + devices.lazy.flatMap(\.topics) where !covered.covers(Array(topic.utf8).span) {
            guard missing.count < Self.certificateTopicLimit else { break }
            missing.append(topic)
            covered = TopicList(topics + missing)
        }
        return missing
    }
}
