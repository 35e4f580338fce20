/// The replica that a record of a fleet's log comes from, and its number there.
struct RecordOrigin: Sendable, Hashable {
    /// The index of the replica's name.
    var replica: UInt16
    var sequence: Int
}

/// What a collector remembers of the replicas, to translate their numbers into its own.
struct ReplicaIndex: Sendable {
    struct Replica: Sendable {
        /// The index of its name in ``ReplicaIndex/names``.
        var name: UInt16
        /// The ids of its connections in the collector.
        var connections: [UInt32: Int] = [:]
        /// The sequence number of the first of ``sequences`` in the replica.
        private var first = 1
        /// The sequence numbers in the collector of consecutive records; 0 for one that is missing.
        private var sequences: ArraySlice<Int> = []

        init(name: UInt16) { self.name = name }

        /// Notes the number of a record; earlier records than the last `limit` are forgotten.
        mutating func note(_ sequence: Int, as own: Int, limit: Int) {
            if sequences.isEmpty { first = sequence }
            let gap = sequence - first - sequences.count
            guard gap >= 0 else { return }
            if gap > limit {
                sequences = []
                first = sequence
            } else {
                sequences.append(contentsOf: repeatElement(0, count: gap))
            }
            sequences.append(own)
            if sequences.count > 2 * limit {
                first += sequences.count - limit
                sequences = ArraySlice(sequences.suffix(limit))
            }
        }

        /// Returns the number in the collector; `nil` if it is not known, or no longer.
        func own(_ sequence: Int) -> Int? {
            let index = sequences.startIndex + sequence - first
            guard sequences.indices.contains(index), sequences[index] > 0 else { return nil }
            return sequences[index]
        }
    }

    /// Maximum length of a replica's name in bytes.
    static let nameLimit = 63

    /// The names of the replicas; one that was started again has the same name.
    private(set) var names: [[UInt8]] = []
    var replicas: [Replica] = []
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
    /// - Returns: whether to wait for that one.
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
