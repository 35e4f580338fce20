import MockAPNSCore

extension Report {
    /// Maximum number of distinct explanations.
    private static let explanationLimit = 3

    /// Returns the remark on a run in which nothing came and nothing was expected.
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
        let faults = connections.map { (id: $0.id, explanation: $0.explanation ?? "No request was sent on it.") }
        return (["No request arrived."] + connectionFaults(faults)).joined(separator: " ")
    }

    /// Returns sentences on what was wrong with connections; equal faults are told once.
    ///
    /// - Parameter connections: the id of each connection, and what was wrong with it.
    package static func connectionFaults(_ connections: [(id: Int, explanation: String)]) -> [String] {
        var groups: [(id: Int, explanation: String, count: Int)] = []
        for (id, explanation) in connections {
            if let index = groups.firstIndex(where: { $0.explanation == explanation }) {
                groups[index].count += 1
            } else {
                groups.append((id, explanation, 1))
            }
        }
        var sentences = groups.prefix(explanationLimit).map { group in
            let others = group.count > 1 ? " (and \(counted(group.count - 1, "other")) like it)" : ""
            return "Connection \(group.id)\(others): \(group.explanation)"
        }
        let rest = groups.dropFirst(explanationLimit).reduce(0) { $0 + $1.count }
        if rest > 0 { sentences.append("There were \(counted(rest, "further connection")).") }
        return sentences
    }
}
