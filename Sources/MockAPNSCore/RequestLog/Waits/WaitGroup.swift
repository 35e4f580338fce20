/// Waits for the same requests: what comes is tested and counted once for all of them.
struct WaitGroup {
    /// What is waited for.
    struct Key: Hashable {
        let match: RequestMatch
        /// Only requests with a higher number count, where that is one to come; else 0.
        let after: Int
    }

    /// What was counted since the group began.
    struct Counts {
        /// How many requests came to fulfil the match, less those that have ceased to.
        var total = 0
        /// How many new requests fulfilled it.
        var arrivals = 0
        /// How often a record that was there already began or ceased to fulfil it.
        var changes = 0
    }

    let key: Key
    let test: RequestTest
    /// Where it stands in the index.
    let entry: WaitIndex.Entry
    private(set) var counts = Counts()
    /// Who waits: after which sequence number, and how many had arrived when the wait began.
    private var members: [Int: (after: Int, start: Int)] = [:]
    /// Who has enough when the total is so much.
    private var due: [Int: Set<Int>] = [:]
    /// The highest of the sequence numbers after which somebody waits.
    private var highestAfter = 0
    /// The latest arrivals, as far as an answer names them: their numbers among all arrivals, and in the log.
    private var arrived: [(arrival: Int, sequence: Int)] = []
    /// When there are more, those that nobody is told of are forgotten.
    private var arrivedLimit = 4 * RequestQuery.maximumLimit
    /// After this arrival the youngest wait began.
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

    /// - Parameter total: at which there would be enough, where that is known.
    mutating func leave(_ id: Int, due total: Int) {
        members[id] = nil
        stopExpecting(id, at: total)
    }

    /// Somebody has enough when the total is this, or is over it now.
    mutating func expect(_ id: Int, at total: Int) { due[max(total, counts.total), default: []].insert(id) }

    mutating func stopExpecting(_ id: Int, at total: Int) {
        due[total]?.remove(id)
        if due[total]?.isEmpty ?? false { due[total] = nil }
    }

    /// Those who have enough now.
    mutating func takeDue() -> Set<Int>? { due.removeValue(forKey: counts.total) }

    /// Who waits only for requests after this one.
    func members(after sequence: Int) -> [Int] {
        highestAfter < sequence ? [] : members.filter { $0.value.after >= sequence }.map(\.key)
    }

    /// What came since then, as far as an answer names it.
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

    /// Forgets arrivals that no answer names: each names so many after its wait began.
    private mutating func forgetArrivals() {
        let starts = members.values.map(\.start).sorted()
        var next = 0
        arrived.removeAll { arrival, _ in
            while next < starts.count, starts[next] < arrival { next += 1 }
            return next == 0 || arrival - starts[next - 1] > RequestQuery.maximumLimit
        }
        arrivedLimit = max(4 * RequestQuery.maximumLimit, 2 * arrived.count)
    }

    /// A request was recorded; whether it is one that is waited for.
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

    /// A record was changed; by how much the total changes.
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
