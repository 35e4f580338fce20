/// One tally for all requests, or one for each value of a field.
package struct Grouped<Tally: Sendable>: Sendable {
    /// The tally of one value, and its position in order of first appearance.
    package struct Group: Sendable {
        package let index: Int
        package var tally: Tally
    }

    /// The field whose values have separate tallies.
    package let each: RequestField?
    private let empty: Tally
    /// The tally for all requests, if there is no such field.
    package fileprivate(set) var all: Tally
    package private(set) var groups: [RecordValue: Group] = [:]
    /// Whether there were more values than the limit.
    package private(set) var isOverfull = false

    init(_ empty: Tally, each: RequestField?) {
        self.each = each
        self.empty = empty
        all = empty
    }

    /// Changes the tally of a value; `nil` for that of all.
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
    /// Counts a request in the tally for all.
    mutating func addToAll() { all.add(nil) }
}

/// Limits on counting.
package enum TallyLimit {
    /// Maximum number of distinct values of a field or in payloads; beyond it, results are not certain.
    package static let values = 1_000_000
    /// Maximum number of requests that wait, in order, for an earlier one to be settled.
    static let waiting = 100_000
}

/// The number of requests, and of distinct values.
package struct CountTally: Sendable {
    package private(set) var requests = 0
    package private(set) var values: [RecordValue: Int] = [:]
    package private(set) var isOverfull = false

    mutating func add(_ value: RecordValue?) {
        requests += 1
        if let value { add(value, times: 1) }
    }

    mutating func remove(_ value: RecordValue?) {
        requests -= 1
        if let value { add(value, times: -1) }
    }

    private mutating func add(_ value: RecordValue, times number: Int) {
        guard values.count < TallyLimit.values || values[value] != nil else {
            isOverfull = true
            return
        }
        func add(to count: inout Int) -> Bool {
            count &+= number
            return count == 0
        }
        if add(to: &values[value, default: 0]) { values[value] = nil }
    }
}

/// A request that meets some of an expectation's conditions, apart from state that may change.
package struct Candidate: Sendable {
    /// The indices of those conditions, with their conditions on state.
    var conditions: [(index: Int, state: StateTest)]
    /// The conditions that are undecided, with the pattern.
    var undecided: [(index: Int, state: StateTest, pattern: UndecidedPattern)] = []
    let sequence: Int
    /// The real time.
    let time: Timestamp
    var state: RecordState

    /// Whether it may come to meet other conditions.
    var canChange: Bool {
        !state.isFinal && (conditions.contains { $0.state.asks } || undecided.contains { $0.state.asks })
    }

    /// The pattern that currently leaves a condition undecided, if any.
    var undecidedPattern: UndecidedPattern? { undecided.first { $0.state.holds(for: state) }?.pattern }

    /// Returns whether it currently meets the condition with this index.
    func fulfils(_ index: Int) -> Bool {
        conditions.contains { $0.index == index && $0.state.holds(for: state) }
    }
}

/// A tally that takes requests in order, each when it is settled.
package protocol OrderedTally: Sendable {
    /// Takes the next request.
    mutating func take(_ candidate: Candidate)
}

/// Requests that wait for an earlier one to be settled, and the tally of those before.
package struct InOrder<Tally: OrderedTally>: Sendable {
    private var tally: Tally
    private var waiting: ArraySlice<Candidate> = []

    init(_ tally: Tally) { self.tally = tally }

    /// The tally of all requests in their current state.
    package var now: Tally {
        var tally = tally
        for candidate in waiting { tally.take(candidate) }
        return tally
    }

    mutating func take(_ candidate: Candidate) {
        if waiting.isEmpty, !candidate.canChange { return tally.take(candidate) }
        waiting.append(candidate)
        if waiting.count > TallyLimit.waiting { takeFirst() }
    }

    /// Processes the new state of a request that could change.
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

/// Progress through an expected order of requests.
package struct OrderTally: OrderedTally {
    let length: Int
    /// The number of conditions met in succession.
    package private(set) var fulfilled = 0
    /// The sequence number of the request that met the last one; 0 for none.
    package private(set) var latest = 0
    /// Whether no request has met any condition.
    package private(set) var isEmpty = true

    init(length: Int) { self.length = length }

    package mutating func take(_ candidate: Candidate) {
        if isEmpty { isEmpty = !candidate.isCounted }
        guard candidate.fulfils(fulfilled) else { return }
        fulfilled += 1
        latest = candidate.sequence
    }
}

/// The gaps between consecutive requests or connections.
package struct SpacingTally: OrderedTally {
    /// A gap that is not as expected.
    package struct Wrong: Sendable {
        /// The index of the gap, starting at 0.
        package var index: Int
        package var milliseconds: Int64
        /// The numbers on either side.
        package var between: (Int, Int)
    }

    package let spacing: Expectation.Spacing
    package private(set) var count = 0
    package private(set) var wrong = 0
    package private(set) var firstWrong: Wrong?
    private var last: (number: Int, time: Timestamp)?

    init(_ spacing: Expectation.Spacing) { self.spacing = spacing }

    package mutating func take(_ candidate: Candidate) {
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

    /// Whether there is no gap.
    package var isEmpty: Bool { count < 2 }

    /// Whether all gaps, and their number, are as expected.
    package var holds: Bool { wrong == 0 && (spacing.gaps.map { $0 == max(0, count - 1) } ?? true) }
}

extension Expectation.Spacing {
    /// The expected number of gaps; `nil` means any number.
    package var gaps: Int? { atLeast?.gaps ?? atMost?.gaps }

    fileprivate func holds(for gap: Int64, at index: Int) -> Bool {
        if let least = atLeast?.milliseconds(at: index), gap < least { return false }
        if let most = atMost?.milliseconds(at: index), gap > most { return false }
        return true
    }
}

extension Expectation.Spacing.Bound {
    fileprivate var gaps: Int? { if case .list(let list) = self { list.count } else { nil } }

    /// Returns the bound for one gap; `nil` if there are more gaps than bounds.
    func milliseconds(at index: Int) -> Int64? {
        switch self {
        case .all(let bound): bound
        case .list(let list): list.indices.contains(index) ? list[index] : nil
        }
    }
}
