/// A replica's state of the pushes that all replicas of a fleet decide in one order; in a relay, the pushes that wait for
/// the upstream.
package struct FleetOrder: Sendable {
    /// Numbers in the fleet's order begin here, above all sequence numbers: where both may stand, they are told apart.
    package static let firstNumber = 1 << 48

    /// Whether there is a fleet whose order pushes may have to wait for.
    var isOn = false
    /// The clock of the order; `nil` on a server without a fleet.
    var clock: FleetClock?
    /// Whether a push is being decided that another replica records and answers.
    private(set) var isOfAnother = false
    /// What the receiving replica's own rules did about the push being decided; `nil` between pushes.
    private(set) var deciding: OrderedPush.OwnRules?
    /// The number of the latest push decided in the order.
    private(set) var latestNumber = firstNumber - 1
    /// The pushes to this replica that wait for their position, by their ids.
    private(set) var waiting: [Int: OrderedPush] = [:]
    /// The ids of those that began to wait since the server last asked.
    private var new: [Int] = []
    private var latestID = 0
    private var hasPostponed = false
    /// The names of the devices that the scenario expects something of.
    private(set) var expected: Set<[UInt8]> = []
    /// The pushes of this replica that devices keep: their sequence numbers, and their numbers in the order.
    private var kept: [(sequence: Int, number: Int)] = []
    /// The requests counted here for entries of the timeline, until all replicas count them.
    private var counted: [Int: Int] = [:]

    /// Starts over with an empty log. Pushes that wait go on waiting: their providers have no answer yet.
    mutating func beginRun() {
        latestNumber = Self.firstNumber - 1
        kept = []
    }

    /// Begins another scenario.
    mutating func begin(_ scenario: borrowing Scenario) {
        counted = [:]
        for id in waiting.keys { waiting[id]?.content.ownRules.counted = [] }
        expected = []
        for expectation in scenario.expectations {
            guard case .device(let index, _) = expectation.form, let name = scenario.devices[index].name else {
                continue
            }
            expected.insert(Array(name.utf8))
        }
    }

    // MARK: Waiting

    /// Lets a push wait for its position in the order.
    mutating func postpone(_ push: consuming OrderedPush.Content) {
        latestID += 1
        waiting[latestID] = OrderedPush(push, id: latestID)
        new.append(latestID)
        hasPostponed = true
    }

    /// Returns whether the latest request was postponed, once.
    mutating func takeHasPostponed() -> Bool {
        defer { hasPostponed = false }
        return hasPostponed
    }

    /// Returns the pushes that began to wait since the last call.
    mutating func takeNew() -> [OrderedPush] {
        hasPostponed = false
        guard !new.isEmpty else { return [] }
        defer { new = [] }
        return new.compactMap { waiting[$0] }
    }

    /// Returns a push that waits, and lets it wait no longer.
    mutating func stopWaiting(_ id: Int) -> OrderedPush? { waiting.removeValue(forKey: id) }

    /// Notes that no client waits for the answer any more.
    mutating func cancel(_ id: Int) { waiting[id]?.isCancelled = true }

    // MARK: Deciding

    /// Begins to decide the next push in the order.
    ///
    /// - Parameters:
    ///   - ownRules: what the rules of its own replica have done about it.
    ///   - isOwn: whether this replica records it.
    mutating func beginDeciding(after ownRules: OrderedPush.OwnRules, isOwn: Bool) {
        latestNumber += 1
        isOfAnother = !isOwn
        deciding = ownRules
    }

    mutating func endDeciding() { (isOfAnother, deciding) = (false, nil) }

    /// The number of the push that is being decided.
    var number: Int? { deciding == nil ? nil : latestNumber }

    /// Returns the number by which a device keeps the push that is being decided: the sequence number of its record, if
    /// that is here.
    mutating func reference(toKeep sequence: Int) -> Int {
        guard deciding != nil else { return sequence }
        if isOfAnother { return latestNumber }
        kept.append((sequence, latestNumber))
        return sequence
    }

    /// Returns which of the records after one have a number in the order, and forgets those up to it.
    mutating func kept(after sequence: Int) -> [(sequence: Int, number: Int)] {
        let shipped = kept.prefix { $0.sequence <= sequence }.count
        kept.removeFirst(shipped)
        return kept
    }

    // MARK: The timeline

    /// Counts a request that an entry of the timeline waits for.
    mutating func count(for entry: Int) { counted[entry, default: 0] += 1 }

    /// Returns the requests counted since the last call, by the entries that wait for them.
    mutating func takeCounted() -> [(entry: Int, requests: Int)] {
        guard !counted.isEmpty else { return [] }
        defer { counted = [:] }
        return counted.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
