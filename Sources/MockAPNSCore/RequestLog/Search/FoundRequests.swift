/// Matching requests, by their sequence numbers.
package struct FoundRequests: Sendable, Hashable {
    /// The requests listed, in the order of the answer; by default the oldest, as many as fit in one answer.
    package private(set) var sequences: [Int] = []
    /// The total number.
    package private(set) var total = 0
    /// The number left undecided by a regular expression.
    package internal(set) var undecided = 0
    /// Maximum number of requests listed.
    private let limit: Int

    /// Creates a result without any.
    package init(limit: Int = RequestQuery.maximumLimit) { self.limit = limit }

    /// Creates a result with this total and these requests listed.
    init(_ sequences: [Int], total: Int) {
        self.init()
        (self.sequences, self.total) = (sequences, total)
    }

    mutating func append(_ sequence: Int) { count(sequence, isNamed: true) }

    /// Counts a request, and lists it if requested and there is room.
    mutating func count(_ sequence: Int, isNamed: Bool) {
        total += 1
        if isNamed, sequences.count < limit { sequences.append(sequence) }
    }

    /// Returns the latest of those listed, newest first.
    func newest(_ count: Int) -> FoundRequests {
        var newest = FoundRequests(limit: count)
        newest.sequences = sequences.suffix(count).reversed()
        (newest.total, newest.undecided) = (total, undecided)
        return newest
    }

    /// Appends the second result to the first.
    static func + (first: FoundRequests, second: FoundRequests) -> FoundRequests {
        var all = first
        all.total += second.total
        all.undecided += second.undecided
        all.sequences += second.sequences.prefix(max(0, first.limit - first.sequences.count))
        return all
    }
}
