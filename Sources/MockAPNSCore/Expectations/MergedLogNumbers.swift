/// The log that a merged request or connection comes from, and its number there.
package struct MergedLogNumbers: Sendable {
    /// The paths of the logs.
    package let logs: [String]
    /// The origins of the requests, by merged number, starting at 1.
    package var requests: [(log: Int, number: Int)] = []
    /// The origins of the connections, by merged number, starting at 1.
    package var connections: [(log: Int, number: Int)] = []

    /// Creates the origins of no records yet.
    package init(logs: [String]) { self.logs = logs }

    /// Returns the origins without the first connections, which have no numbers.
    package func leavingOut(connections count: Int) -> Self {
        var rest = self
        rest.connections.removeFirst(count)
        return rest
    }

    /// Returns a name such as `7 of b.jsonl`.
    package func name(ofRequest sequence: Int) -> String { name(requests, sequence) }

    /// Returns a name such as `2 of b.jsonl`.
    package func name(ofConnection number: Int) -> String { name(connections, number) }

    private func name(_ origins: [(log: Int, number: Int)], _ merged: Int) -> String {
        guard origins.indices.contains(merged - 1) else { return "\(merged)" }
        let origin = origins[merged - 1]
        return "\(origin.number) of \(logs[origin.log])"
    }
}
