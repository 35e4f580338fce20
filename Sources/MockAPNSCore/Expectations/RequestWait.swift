/// Somebody who waits for requests. It is made from a snapshot, outside the gateway's lock, so that no long log is searched
/// in it.
///
/// ```swift
/// let wait = RequestWait(for: match, count: 2, in: snapshot)
/// if !wait.isOver, let id = gateway.withLock({ $0.begin(wait) }) { … }    // until takeWoken() has the id
/// ```
public struct RequestWait: Sendable {
    let match: RequestMatch
    let count: Int
    let after: Int
    let latestSequence: Int
    let changes: Int
    let removals: Int
    /// Those that are there already.
    public let found: FoundRequests

    /// Waits for so many records that fulfil a match and come after a sequence number.
    public init(for match: RequestMatch, count: Int, after: Int = 0, in snapshot: RequestSnapshot) {
        self.init(for: match, count: count, after: after, in: snapshot, counted: nil)
    }

    private init(
        for match: RequestMatch, count: Int, after: Int, in snapshot: RequestSnapshot, counted: RequestWait?
    ) {
        (self.match, self.count, self.after) = (match, count, after)
        (latestSequence, changes, removals) = (snapshot.latestSequence, snapshot.changes, snapshot.removals)
        let test = RequestTest(match)
        var start = after
        var found = FoundRequests()
        if let counted, counted.removals == removals, counted.latestSequence <= latestSequence,
            counted.changes == changes || !test.state.asks
        {
            start = max(after, counted.latestSequence)
            found = counted.found
        }
        snapshot.forEach(after: start) { subject in
            if test.holds(&subject) { found.append(subject.sequence) }
        }
        self.found = found
    }

    /// The same in a later snapshot; where no record has changed or is forgotten, only those are looked at that came since.
    public func again(in snapshot: RequestSnapshot) -> RequestWait {
        RequestWait(for: match, count: count, after: after, in: snapshot, counted: self)
    }

    var missing: Int { count - found.total }

    /// Whether there are as many as were asked for.
    public var isOver: Bool { missing <= 0 }
}

/// Requests that fulfil a match, by their sequence numbers.
public struct FoundRequests: Sendable, Hashable {
    /// The oldest of them, as many as one answer has.
    public private(set) var sequences: [Int] = []
    /// How many there are.
    public private(set) var total = 0

    mutating func append(_ sequence: Int) {
        total += 1
        if sequences.count < RequestQuery.maximumLimit { sequences.append(sequence) }
    }
}

/// Somebody who has waited long enough.
public struct WokenWait: Sendable {
    /// The number under which it waited.
    public let id: Int
    /// What has come; `nil` where the log is to be looked at again, since records have changed or are gone.
    public let found: FoundRequests?
}

extension RequestSnapshot {
    /// The page of records that were waited for, as text.
    public func page(of found: FoundRequests) -> RequestPage {
        var page = RequestPage()
        var writer = RecordWriter()
        page.dropped = dropped
        page.total = found.total
        for sequence in found.sequences {
            guard let (segment, index) = place(of: sequence) else { continue }
            page.append(segment, at: index, &writer)
        }
        return page
    }
}
