/// A collector's memory of the replicas, to translate their numbers into its own.
struct ReplicaIndex: Sendable {
    struct Replica: Sendable {
        /// The index of its name in ``ReplicaIndex/names``.
        var name: UInt16
        /// The ids of its connections in the collector.
        var connections: [UInt32: Int] = [:]
        /// The sequence numbers of records in the replica, ascending, and in the collector.
        private var sequences: [(there: Int, own: Int)] = []

        init(name: UInt16) { self.name = name }

        /// Notes the number of a record. Of those noted, the last `limit` are remembered at least.
        mutating func note(_ sequence: Int, as own: Int, limit: Int) {
            guard sequence > sequences.last?.there ?? 0 else { return }
            sequences.append((sequence, own))
            if sequences.count > 2 * limit { sequences.removeFirst(limit + 1) }
        }

        /// Returns the number in the collector; `nil` if it is not known, or no longer.
        func own(_ sequence: Int) -> Int? {
            var (low, high) = (0, sequences.count)
            while low < high {
                let middle = low + (high - low) / 2
                if sequences[middle].there < sequence { low = middle + 1 } else { high = middle }
            }
            return low < sequences.count && sequences[low].there == sequence ? sequences[low].own : nil
        }
    }

    /// Maximum length of a replica's name in bytes.
    static let nameLimit = 63

    /// The names of the replicas; one that was started again has the same name.
    private(set) var names: [[UInt8]] = []
    var replicas: [Replica] = []
    /// The applications of rules that they have reported.
    var rules = CollectedRules()
    /// The pushes that they have stored.
    var held = UnsettledStoredPushes()
    /// The sequence numbers in the collector of pushes that have a number in the fleet's order.
    private var ordered: [Int: Int] = [:]
    /// The pushes that were replaced by one that has not come yet, by the number of that one.
    private var replaced: [Int: [Int]] = [:]

    /// Notes the number of a push in the fleet's order.
    ///
    /// - Parameter limit: the number of pushes that are remembered at least.
    /// - Returns: the pushes that it has replaced, as far as that is known already.
    mutating func note(_ number: Int, as own: Int, limit: Int) -> [Int] {
        if ordered.count > 2 * limit {
            let oldest = ordered.keys.sorted()[limit]
            ordered = ordered.filter { $0.key >= oldest }
            replaced = replaced.filter { $0.key >= oldest }
        }
        ordered[number] = own
        return replaced.removeValue(forKey: number) ?? []
    }

    /// Returns the number in the collector of a push that a replica names, by its own number there or by that in the
    /// fleet's order; `nil` if it is not known, or no longer.
    func own(_ reference: Int, of replica: Int) -> Int? {
        reference < FleetOrder.firstNumber ? replicas[replica].own(reference) : ordered[reference]
    }

    /// Notes that a push was replaced by one that may not have come yet.
    ///
    /// - Returns: whether that one has not come yet.
    mutating func noteReplaced(_ own: Int, by reference: Int) -> Bool {
        guard reference >= FleetOrder.firstNumber, ordered[reference] == nil else { return false }
        replaced[reference, default: []].append(own)
        return true
    }

    /// Adds the replica with the next number.
    mutating func add(_ name: String) {
        let bytes = Array(name.utf8.prefix(Self.nameLimit))
        let index = names.firstIndex(of: bytes) ?? names.count
        if index == names.count { names.append(bytes) }
        replicas.append(Replica(name: UInt16(clamping: index)))
    }
}
