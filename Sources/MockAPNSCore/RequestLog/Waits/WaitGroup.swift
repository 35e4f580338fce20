/// Waits for the same requests. Each request is tested and counted once for all of them.
struct WaitGroup {
    /// The condition that the group waits for.
    struct Key: Hashable {
        let match: RequestMatch
        /// Only requests with a higher sequence number count, if that number is still in the future; otherwise 0.
        let after: Int
    }

    /// The counts since the group was created.
    struct Counts {
        /// The number of requests that came to match, minus those that no longer do.
        var total = 0
        /// The number of new requests that matched.
        var arrivals = 0
        /// The number of times an existing record started or stopped matching.
        var changes = 0
    }

    let key: Key
    let test: RequestTest
    /// The group's entry in the index.
    let entry: WaitIndex.Entry
    private(set) var counts = Counts()
    /// The members: the sequence number each waits after, and the number of arrivals when its wait began.
    private var members: [Int: (after: Int, start: Int)] = [:]
    /// The members that are satisfied when the total reaches the key.
    private var due: [Int: Set<Int>] = [:]
    /// The highest sequence number that a member waits after.
    private var highestAfter = 0
    /// The latest arrivals that an answer may list: their numbers among all arrivals, and their sequence numbers.
    private var arrived: [(arrival: Int, sequence: Int)] = []
    /// Beyond this number, arrivals that no answer can list are removed.
    private var arrivedLimit = 4 * RequestQuery.maximumLimit
    /// The number of arrivals when the youngest wait began.
    private var latestStart = 0
    private var round = 0

    init(_ key: Key, _ test: RequestTest, entry: WaitIndex.Entry) {
        (self.key, self.test, self.entry) = (key, test, entry)
    }

    var isEmpty: Bool { members.isEmpty }

    mutating func join(_ id: Int, after: Int) {
        members[id] = (after, counts.arrivals)
        highestAfter = max(highestAfter, after)
        latestStart = counts.arrivals
    }

    /// - Parameter total: the total that would satisfy the member, if known.
    mutating func leave(_ id: Int, due total: Int) {
        members[id] = nil
        stopExpecting(id, at: total)
    }

    /// Records that a member is satisfied when the total reaches this number, or already exceeds it.
    mutating func expect(_ id: Int, at total: Int) { due[max(total, counts.total), default: []].insert(id) }

    mutating func stopExpecting(_ id: Int, at total: Int) {
        due[total]?.remove(id)
        if due[total]?.isEmpty ?? false { due[total] = nil }
    }

    /// Removes and returns the members that are now satisfied.
    mutating func takeDue() -> Set<Int>? { due.removeValue(forKey: counts.total) }

    /// Returns the members that wait only for requests after this one.
    func members(after sequence: Int) -> [Int] {
        highestAfter < sequence ? [] : members.filter { $0.value.after >= sequence }.map(\.key)
    }

    /// Returns the arrivals since then, as far as an answer lists them.
    func arrived(since start: Counts) -> FoundRequests {
        var (low, high) = (0, arrived.count)
        while low < high {
            let middle = (low + high) / 2
            if arrived[middle].arrival <= start.arrivals { low = middle + 1 } else { high = middle }
        }
        return FoundRequests(
            arrived[low...].prefix(RequestQuery.maximumLimit).map(\.sequence),
            total: counts.arrivals - start.arrivals)
    }

    /// Removes arrivals that no answer can list. Each answer lists a limited number after its wait began.
    private mutating func forgetArrivals() {
        let starts = members.values.map(\.start).sorted()
        var next = 0
        arrived.removeAll { arrival, _ in
            while next < starts.count, starts[next] < arrival { next += 1 }
            return next == 0 || arrival - starts[next - 1] > RequestQuery.maximumLimit
        }
        arrivedLimit = max(4 * RequestQuery.maximumLimit, 2 * arrived.count)
    }

    /// Processes a new request; returns whether it matches.
    mutating func take(_ subject: inout RecordSubject, round: Int) -> Bool {
        guard self.round != round else { return false }
        self.round = round
        guard subject.sequence > key.after, test.holds(&subject) else { return false }
        counts.total += 1
        counts.arrivals += 1
        if counts.arrivals - latestStart <= RequestQuery.maximumLimit {
            if arrived.count >= arrivedLimit { forgetArrivals() }
            arrived.append((counts.arrivals, subject.sequence))
        }
        return true
    }

    /// Processes a changed record; returns the change in the total.
    mutating func change(_ subject: inout RecordSubject, from before: RecordState, round: Int) -> Int {
        guard self.round != round else { return 0 }
        self.round = round
        let held = test.state.holds(for: before)
        let holds = test.state.holds(for: RecordState(subject.record))
        guard held != holds, subject.sequence > key.after, test.testDecision(&subject).isTrue,
            test.testSent(&subject).isTrue
        else { return 0 }
        counts.total += holds ? 1 : -1
        counts.changes += 1
        return holds ? 1 : -1
    }
}
