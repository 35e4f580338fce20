/// One tally for all requests, or one for each value of a field.
struct Grouped<Tally: Sendable>: Sendable {
    /// The tally of one value, and its position in the order in which the values came.
    struct Group: Sendable {
        let index: Int
        var tally: Tally
    }

    /// The field whose values have tallies of their own.
    let each: RequestField?
    private let empty: Tally
    /// The tally of all, where there is no such field.
    fileprivate(set) var all: Tally
    private(set) var groups: [RecordValue: Group] = [:]
    /// Whether there were more values than are told apart.
    private(set) var isOverfull = false

    init(_ empty: Tally, each: RequestField?) {
        self.each = each
        self.empty = empty
        all = empty
    }

    /// Lets a value have its tally, from which something may be missing.
    mutating func admit(_ value: RecordValue) { with(value) { _ in } }

    /// Changes the tally of a value; `nil` is that of all.
    mutating func with(_ value: RecordValue?, _ change: (inout Tally) -> Void) {
        guard let value else { return change(&all) }
        let count = groups.count
        guard count < TallyLimit.values || groups[value] != nil else {
            isOverfull = true
            return
        }
        let new = Group(index: count, tally: empty)
        change(&groups[value, default: new].tally)
    }
}

extension Grouped<CountTally> {
    /// Counts a request for all.
    mutating func addToAll() { all.add(nil) }
}

/// How much is told apart.
enum TallyLimit {
    /// Maximum number of values of a field, or in payloads; with more, nothing is known for sure.
    static let values = 1_000_000
    /// Maximum number of requests that wait, in their order, for an earlier one that is not settled yet.
    static let waiting = 100_000
}

/// How many requests there are, and of how many different values.
struct CountTally: Sendable {
    private(set) var requests = 0
    private(set) var values: [RecordValue: Int] = [:]
    private(set) var isOverfull = false

    mutating func add(_ value: RecordValue?) {
        requests += 1
        guard let value else { return }
        guard values.count < TallyLimit.values || values[value] != nil else {
            isOverfull = true
            return
        }
        values[value, default: 0] += 1
    }

    mutating func remove(_ value: RecordValue?) {
        requests -= 1
        guard let value, let count = values[value] else { return }
        values[value] = count == 1 ? nil : count - 1
    }
}

/// A request that fulfils some of an expectation's conditions in all that does not change.
struct Candidate: Sendable {
    /// Which of the conditions, and what they ask of that which may change.
    var conditions: [(index: Int, state: StateTest)]
    /// Of which of them that is undecided, and because of which pattern.
    var undecided: [(index: Int, state: StateTest, pattern: UndecidedPattern)] = []
    let sequence: Int
    /// By the real clock.
    let time: Timestamp
    var state: RecordState

    /// Whether it may come to fulfil others.
    var canChange: Bool {
        !state.isFinal && (conditions.contains { $0.state.asks } || undecided.contains { $0.state.asks })
    }

    /// The pattern because of which it is undecided, as it is now, whether it fulfils one of the conditions.
    var undecidedPattern: UndecidedPattern? { undecided.first { $0.state.holds(for: state) }?.pattern }

    /// Whether it fulfils the condition with that index, as it is now.
    func fulfils(_ index: Int) -> Bool {
        conditions.contains { $0.index == index && $0.state.holds(for: state) }
    }
}

/// What takes requests in their order, each when it is known what became of it.
protocol OrderedTally: Sendable {
    /// Takes the next request.
    mutating func take(_ candidate: Candidate)
}

/// The requests that wait for an earlier one to become what it will be, and what is made of those before.
struct InOrder<Tally: OrderedTally>: Sendable {
    private var tally: Tally
    private var waiting: ArraySlice<Candidate> = []

    init(_ tally: Tally) { self.tally = tally }

    /// What is made of all as they are now.
    var now: Tally {
        var tally = tally
        for candidate in waiting { tally.take(candidate) }
        return tally
    }

    mutating func take(_ candidate: Candidate) {
        if waiting.isEmpty, !candidate.canChange { return tally.take(candidate) }
        waiting.append(candidate)
        if waiting.count > TallyLimit.waiting { takeFirst() }
    }

    /// A request that could change is this now.
    mutating func change(_ sequence: Int, to state: RecordState) {
        var (low, high) = (waiting.startIndex, waiting.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if waiting[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        guard low < waiting.endIndex, waiting[low].sequence == sequence else { return }
        waiting[low].state = state
        while let first = waiting.first, !first.canChange { takeFirst() }
        if waiting.isEmpty { waiting = [] }
    }

    private mutating func takeFirst() { if let first = waiting.popFirst() { tally.take(first) } }
}

/// How far requests have come in an order.
struct OrderTally: OrderedTally {
    let length: Int
    /// How many conditions were fulfilled, one after the other.
    private(set) var fulfilled = 0
    /// The number of the request that fulfilled the last of them; 0 for none.
    private(set) var latest = 0

    init(length: Int) { self.length = length }

    mutating func take(_ candidate: Candidate) {
        guard fulfilled < length, candidate.fulfils(fulfilled) else { return }
        fulfilled += 1
        latest = candidate.sequence
    }
}

/// The gaps between neighbours.
struct SpacingTally: OrderedTally {
    /// A gap that is not as it should be.
    struct Wrong: Sendable {
        /// 0 for the first gap.
        var index: Int
        var milliseconds: Int64
        /// The numbers of the neighbours.
        var between: (Int, Int)
    }

    let spacing: Expectation.Spacing
    private(set) var count = 0
    private(set) var wrong = 0
    private(set) var firstWrong: Wrong?
    private var last: (number: Int, time: Timestamp)?

    init(_ spacing: Expectation.Spacing) { self.spacing = spacing }

    mutating func take(_ candidate: Candidate) {
        if candidate.fulfils(0) { take(candidate.sequence, at: candidate.time) }
    }

    /// Takes the next one, by its number.
    mutating func take(_ number: Int, at time: Timestamp) {
        if let last {
            let gap = max(0, time.milliseconds - last.time.milliseconds)
            if !spacing.holds(for: gap, at: count - 1) {
                wrong += 1
                if firstWrong == nil {
                    firstWrong = Wrong(index: count - 1, milliseconds: gap, between: (last.number, number))
                }
            }
        }
        count += 1
        last = (number, time)
    }

    /// Whether all gaps are right, and as many as they should be.
    var holds: Bool { wrong == 0 && (spacing.gaps.map { $0 == max(0, count - 1) } ?? true) }
}

extension Expectation.Spacing {
    /// How many gaps there should be; `nil`: any number.
    var gaps: Int? { atLeast?.gaps ?? atMost?.gaps }

    fileprivate func holds(for gap: Int64, at index: Int) -> Bool {
        if let least = atLeast?.milliseconds(at: index), gap < least { return false }
        if let most = atMost?.milliseconds(at: index), gap > most { return false }
        return true
    }
}

extension Expectation.Spacing.Bound {
    fileprivate var gaps: Int? { if case .list(let list) = self { list.count } else { nil } }

    /// The bound of one gap; `nil` for one too many.
    func milliseconds(at index: Int) -> Int64? {
        switch self {
        case .all(let bound): bound
        case .list(let list): list.indices.contains(index) ? list[index] : nil
        }
    }
}
