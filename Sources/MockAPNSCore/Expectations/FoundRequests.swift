/// Requests that fulfil a match, by their sequence numbers.
package struct FoundRequests: Sendable, Hashable {
    /// Those that are named, in the order of the answer; by default the oldest, as many as one answer has.
    package private(set) var sequences: [Int] = []
    /// How many there are.
    package private(set) var total = 0
    /// Of how many it is undecided, because of a regular expression.
    package internal(set) var undecided = 0
    /// Maximum number of those that are named.
    private let limit: Int

    init(limit: Int = RequestQuery.maximumLimit) { self.limit = limit }

    /// This total, of which these are named.
    init(_ sequences: [Int], total: Int) {
        self.init()
        (self.sequences, self.total) = (sequences, total)
    }

    mutating func append(_ sequence: Int) { count(sequence, isNamed: true) }

    /// Counts a request, and names it if that is wanted and there is room.
    mutating func count(_ sequence: Int, isNamed: Bool) {
        total += 1
        if isNamed, sequences.count < limit { sequences.append(sequence) }
    }

    /// The latest of those that are named, the latest one first.
    func newest(_ count: Int) -> FoundRequests {
        var newest = FoundRequests(limit: count)
        newest.sequences = sequences.suffix(count).reversed()
        (newest.total, newest.undecided) = (total, undecided)
        return newest
    }

    /// These, and then those.
    static func + (first: FoundRequests, second: FoundRequests) -> FoundRequests {
        var all = first
        all.total += second.total
        all.undecided += second.undecided
        all.sequences += second.sequences.prefix(max(0, first.limit - first.sequences.count))
        return all
    }
}

extension RequestSnapshot {
    /// The records that fulfil a match and come after a sequence number.
    package func found(_ match: RequestMatch, after: Int) -> FoundRequests {
        search(for: match, after: after).finish()
    }
}
