/// The log that a merged request or connection comes from, and its number there.
struct RecordOrigins: Sendable {
    /// The paths of the logs.
    let logs: [String]
    /// The origins of the requests, by merged number, starting at 1.
    var requests: [(log: Int, number: Int)] = []
    /// The origins of the connections, by merged number, starting at 1.
    var connections: [(log: Int, number: Int)] = []

    /// Returns the origins without the first connections, which have no numbers.
    func leavingOut(connections count: Int) -> Self {
        var rest = self
        rest.connections.removeFirst(count)
        return rest
    }

    /// Returns a name such as `7 of b.jsonl`.
    func name(ofRequest sequence: Int) -> String { name(requests, sequence) }

    /// Returns a name such as `2 of b.jsonl`.
    func name(ofConnection number: Int) -> String { name(connections, number) }

    private func name(_ origins: [(log: Int, number: Int)], _ merged: Int) -> String {
        guard origins.indices.contains(merged - 1) else { return "\(merged)" }
        let origin = origins[merged - 1]
        return "\(origin.number) of \(logs[origin.log])"
    }

    /// Returns a near miss with the number of the request in its own log.
    func named(_ miss: NearMiss) -> NearMiss {
        guard requests.indices.contains(miss.sequence - 1) else { return miss }
        let origin = requests[miss.sequence - 1]
        var named = miss
        (named.sequence, named.log) = (origin.number, logs[origin.log])
        return named
    }
}
