/// The devices' time: which clock drives it, what is due when, and how many requests the timeline waits for.
///
/// It only keeps account. What happens when something is due, ``Gateway`` decides.
struct Scheduler: Sendable {
    /// Which clock drives the devices' time.
    private(set) var clock = DeviceClock.real
    private var due = DueQueue()
    /// For each entry of the timeline, how many requests it still waits for; 0 for one that waits for none.
    private var awaited: [Int] = []
    /// At this length the queue is looked through for what is no longer of interest.
    private var tidyLength = Self.leastTidyLength
    private static let leastTidyLength = 1024

    /// Nothing is due.
    init() {}

    /// Nothing is due yet.
    ///
    /// - Parameter timeline: what may wait for requests.
    init(_ clock: DeviceClock, _ timeline: [TimelineEntry]) {
        self.clock = clock
        awaited = timeline.map { $0.after?.count ?? 0 }
    }

    /// Sets a manual clock; a real one moves by itself.
    mutating func setClock(to time: Timestamp) { if clock.isManual { clock = .manual(time) } }

    // MARK: What is due

    /// When the next thing is due on a real clock; `nil` when nothing is, or when the clock is a manual one.
    var nextOnRealClock: Timestamp? { clock.isManual ? nil : due.next }

    /// When the last entry of the timeline is due that waits for its time.
    var lastEntry: Timestamp? { due.lastEntry }

    mutating func schedule(_ event: DueQueue.Event, at time: Timestamp) { due.insert(event, at: time) }

    /// Takes out what is due first, if it is due at a time.
    mutating func popDue(at now: Timestamp) -> (time: Timestamp, event: DueQueue.Event)? { due.popDue(at: now) }

    /// What is due next that is still of interest, and when; what comes before it is dropped.
    mutating func next(
        _ devices: borrowing DeviceRegistry, _ mailboxes: borrowing MailboxStore
    ) -> (time: Timestamp, event: DueQueue.Event)? {
        while let next = due.first {
            var isOfInterest = next.event.isOfInterest(devices, mailboxes)
            if case .registration(let device) = next.event {
                isOfInterest = devices.registration(of: device).beginning == next.time
            }
            if isOfInterest { return next }
            _ = due.popDue(at: next.time)
        }
        return nil
    }

    /// Drops events that are no longer of interest, when there are many.
    mutating func tidy(_ devices: borrowing DeviceRegistry, _ mailboxes: borrowing MailboxStore) {
        guard due.count > tidyLength else { return }
        var needed: Set<DueQueue.Event> = []
        for index in 0..<due.count {
            let event = due.event(at: index)
            if event.isOfInterest(devices, mailboxes) { needed.insert(event) }
        }
        due.filter { needed.contains($0) }
        tidyLength = max(Self.leastTidyLength, 2 * due.count)
    }

    // MARK: Requests that the timeline waits for

    /// The entries of the timeline that wait for requests.
    var waitingEntries: [Int] { awaited.indices.filter { awaited[$0] > 0 } }

    /// Takes note of a request that an entry waits for; how many more it waits for then. `nil` where it waited for none.
    mutating func countRequest(for entry: Int) -> Int? {
        guard awaited[entry] > 0 else { return nil }
        awaited[entry] -= 1
        return awaited[entry]
    }
}

extension DueQueue.Event {
    /// Whether anything may come of it.
    fileprivate func isOfInterest(_ devices: borrowing DeviceRegistry, _ mailboxes: borrowing MailboxStore) -> Bool {
        switch self {
        case .entry: true
        case .registration(let device): devices.registration(of: device) != .registered
        case .expiry(let device, let sequence): mailboxes.stores(sequence, for: device)
        }
    }
}
