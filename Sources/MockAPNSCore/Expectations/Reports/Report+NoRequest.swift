extension Report {
    /// Maximum number of distinct explanations.
    private static let explanationLimit = 3

    /// Returns what is said of a run in which nothing came and nothing was expected.
    ///
    /// - Parameter why: why no request came.
    package static func emptyRun(_ why: String) -> String {
        "Nothing was pushed and nothing expected. \(why) The command finds the server through MOCK_APNS_URL; "
            + "\"expect\" in a scenario says what has to arrive."
    }

    /// Returns why no request came, judging by the connections.
    ///
    /// - Parameter connections: the id of each connection, and what was wrong with it.
    package static func whyNoRequest(_ connections: [(id: Int, explanation: String?)]) -> String {
        guard !connections.isEmpty else { return "There were no requests and no connections." }
        var groups: [(id: Int, explanation: String, count: Int)] = []
        for (id, explanation) in connections {
            let explanation = explanation ?? "No request was sent on it."
            if let index = groups.firstIndex(where: { $0.explanation == explanation }) {
                groups[index].count += 1
            } else {
                groups.append((id, explanation, 1))
            }
        }
        var sentences = ["No request arrived."]
        for group in groups.prefix(explanationLimit) {
            let others = group.count > 1 ? " (and \(counted(group.count - 1, "other")) like it)" : ""
            sentences.append("Connection \(group.id)\(others): \(group.explanation)")
        }
        let rest = groups.dropFirst(explanationLimit).reduce(0) { $0 + $1.count }
        if rest > 0 { sentences.append("There were \(counted(rest, "further connection")).") }
        return sentences.joined(separator: " ")
    }
}
