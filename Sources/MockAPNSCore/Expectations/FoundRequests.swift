/// Requests that fulfil a match, by their sequence numbers.
public struct FoundRequests: Sendable, Hashable {
    /// The oldest of them, as many as one answer has.
    public private(set) var sequences: [Int] = []
    /// How many there are.
    public private(set) var total = 0
    /// Of how many it is undecided, because of a regular expression.
    public internal(set) var undecided = 0

    mutating func append(_ sequence: Int) {
        total += 1
        if sequences.count < RequestQuery.maximumLimit { sequences.append(sequence) }
    }

    /// These, and then those.
    static func + (first: FoundRequests, second: FoundRequests) -> FoundRequests {
        var all = first
        all.total += second.total
        all.undecided += second.undecided
        all.sequences += second.sequences.prefix(RequestQuery.maximumLimit - first.sequences.count)
        return all
    }
}

extension RequestSnapshot {
    /// The records that fulfil a match and come after a sequence number.
    public func found(_ match: RequestMatch, after: Int) -> FoundRequests {
        var found = FoundRequests()
        let test = RequestTest(match)
        forEach(after: after) { subject in
            if test.holds(&subject) { found.append(subject.sequence) }
        }
        found.undecided = test.undecided
        return found
    }

    /// The page of records that were found, as text.
    public func page(of found: FoundRequests) -> RequestPage {
        var page = RequestPage()
        var writer = RecordWriter()
        page.dropped = dropped
        page.total = found.total
        page.undecided = found.undecided
        for sequence in found.sequences {
            guard let (segment, index) = place(of: sequence) else { continue }
            page.append(segment, at: index, &writer)
        }
        return page
    }
}
