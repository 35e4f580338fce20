/// Keeps device time: the clock, the due events, and how many requests each timeline entry waits for.
///
/// It only does the bookkeeping. ``Gateway`` decides what happens when an event is due.
struct Scheduler: Sendable {
    /// The clock that drives device time.
    private(set) var clock = DeviceClock.real
    private var due = DueQueue()
    /// The number of requests each timeline entry still waits for; 0 for entries that wait for none.
    private var awaited: [Int] = []
    /// The queue length at which stale events are removed.
    private var tidyLength = Self.leastTidyLength
    private static let leastTidyLength = 1024

    /// Creates a scheduler with no events.
    init() {}

    /// Creates a scheduler with no events yet.
    ///
    /// - Parameter timeline: the entries that may wait for requests.
    init(_ clock: DeviceClock, _ timeline: [TimelineEntry]) {
        self.clock = clock
        awaited = timeline.map { $0.after?.count ?? 0 }
    }

    /// Sets a manual clock. Does nothing with a real one.
    mutating func setClock(to time: Timestamp) { if clock.isManual { clock = .manual(time) } }

    // MARK: Due events

    /// When the next event is due on a real clock; `nil` if there is none or the clock is manual.
    var nextOnRealClock: Timestamp? { clock.isManual ? nil : due.next }

    /// When the last timeline entry that waits for its time is due.
    var lastEntry: Timestamp? { due.lastEntry }

    mutating func schedule(_ event: DueQueue.Event, at time: Timestamp) { due.insert(event, at: time) }

    /// Removes and returns the first event if it is due at `now`.
    mutating func popDue(at now: Timestamp) -> (time: Timestamp, event: DueQueue.Event)? { due.popDue(at: now) }

    /// Returns the next event that is still relevant, and when it is due. Drops stale events before it.
    mutating func next(_ state: borrowing ServiceState) -> (time: Timestamp, event: DueQueue.Event)? {
        while let next = due.first {
            let isOfInterest =
                switch next.event {
                case .registration(let device): state.devices.registration(of: device).beginning == next.time
                case .endOfActivity(let device): !state.subscriptions.ending(on: device, at: next.time).isEmpty
                case .expiry, .entry: next.event.isOfInterest(state)
                }
            if isOfInterest { return next }
            _ = due.popDue(at: next.time)
        }
        return nil
    }

    /// Removes stale events if there are many.
    mutating func tidy(_ state: borrowing ServiceState) {
        guard due.count > tidyLength else { return }
        var needed: Set<DueQueue.Event> = []
        for index in 0..<due.count {
            let event = due.event(at: index)
            if event.isOfInterest(state) { needed.insert(event) }
        }
        due.filter { needed.contains($0) }
        tidyLength = max(Self.leastTidyLength, 2 * due.count)
    }

    // MARK: Requests that the timeline waits for

    /// The timeline entries that wait for requests.
    var waitingEntries: [Int] { awaited.indices.filter { awaited[$0] > 0 } }

    /// Counts requests for an entry and returns how many more it waits for; `nil` if it was not waiting.
    mutating func count(_ requests: Int, for entry: Int) -> Int? {
        guard awaited.indices.contains(entry), awaited[entry] > 0 else { return nil }
        awaited[entry] = max(0, awaited[entry] - requests)
        return awaited[entry]
    }
}

extension DueQueue.Event {
    /// Whether the event can still have an effect.
    fileprivate func isOfInterest(_ state: borrowing ServiceState) -> Bool {
        switch self {
        case .entry: true
        case .registration(let device): state.devices.registration(of: device) != .registered
        case .endOfActivity(let device): state.subscriptions.concern(device)
        case .expiry(let device, let sequence): state.mailboxes.stores(sequence, for: device)
        }
    }
}
