/// What became of the pushes that have reached a device, in the order in which it happened.
package struct DeviceHistory: Sendable {
    /// Maximum number of entries; the oldest go.
    static let limit = 1000
    /// The size of an entry in bytes, by which the memory of all devices' histories is bounded.
    static let entrySize = MemoryLayout<Entry>.stride

    /// An entry.
    package struct Entry: Sendable, Hashable {
        /// The sequence number of the push.
        package var sequence: Int
        /// Its number in the order of a fleet; 0 for one that was decided without the others.
        var number = 0
        /// When it happened, on the scenario's clock.
        package var clock: Timestamp
        /// What happened.
        package var state: HistoryState
        /// What happened, and why, in a sentence.
        package var why: String
        /// What could be seen of it.
        var shows = ScreenKind.nothing
        /// The circumstances in which the push arrived.
        var circumstances = Circumstances()
    }

    /// The entries, newest last.
    package private(set) var entries: [Entry] = []

    /// Adds what a device, its user or a later push does with a push.
    mutating func add(_ reaction: Reaction, to push: borrowing KeptPush, at clock: Timestamp? = nil) {
        add(
            Entry(
                sequence: push.sequence, number: push.number, clock: clock ?? push.time, state: reaction.state,
                why: reaction.why, shows: reaction.shows, circumstances: push.circumstances))
    }

    /// Adds an entry.
    mutating func add(_ entry: Entry) {
        entries.append(entry)
        // Many at a time, so that the others are moved once on average.
        if entries.count >= 2 * Self.limit { trim(to: Self.limit) }
    }

    /// Forgets the oldest entries.
    mutating func trim(to limit: Int) { entries.removeFirst(max(0, entries.count - limit)) }

    /// Says of a push, once more is known, that it had no effect.
    mutating func ignore(_ sequence: Int, _ why: String) {
        guard let index = entries.lastIndex(where: { $0.sequence == sequence }), entries[index].state == .shown else {
            return
        }
        (entries[index].state, entries[index].why, entries[index].shows) = (.ignored, why, .nothing)
    }

    /// Appends what happened later.
    mutating func append(_ later: DeviceHistory) {
        entries = Array((entries + later.entries).suffix(Self.limit))
    }

    /// The latest entries, newest last.
    package var latest: ArraySlice<Entry> { entries.suffix(Self.limit) }

    /// Returns what the device did with a push in the end, and what its user and later pushes have done with it since;
    /// `nil` if it is not known.
    func reaction(to sequence: Int) -> (Entry, later: [Entry])? {
        let own = entries.filter { $0.sequence == sequence }
        guard let index = own.lastIndex(where: \.state.isReaction) else { return nil }
        return (own[index], Array(own[(index + 1)...]))
    }
}

extension HistoryState {
    /// Whether it is the device's own doing, not that of its user or of a later push.
    fileprivate var isReaction: Bool {
        switch self {
        case .shown, .woke, .heldByBudget, .dropped, .ignored: true
        case .replaced, .dismissed, .opened: false
        }
    }
}
