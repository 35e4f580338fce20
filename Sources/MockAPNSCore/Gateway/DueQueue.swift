/// A priority queue of due events: a binary heap.
///
/// Events due at the same time are ordered by kind, then by insertion. So a push that expires at the moment its device
/// comes back online is no longer delivered.
struct DueQueue: Sendable {
    /// An event that becomes due.
    enum Event: Sendable, Hashable {
        /// A stored push expires, if the device still stores the push with this sequence number.
        case expiry(DeviceIndex, sequence: Int)
        /// The registration of the device may change, so that its token is no longer valid.
        case registration(DeviceIndex)
        /// The time of a Live Activity of the device is over, if it has not ended before.
        case endOfActivity(DeviceIndex)
        /// A timeline entry, by index.
        case entry(Int)

        fileprivate var rank: UInt64 {
            switch self {
            case .expiry: 0
            case .registration, .endOfActivity: 1 << 62
            case .entry: 2 << 62
            }
        }
    }

    private struct Element: Sendable {
        let time: Timestamp
        /// The kind in the upper two bits, the insertion number in the rest.
        let order: UInt64
        let event: Event

        func isBefore(_ other: Self) -> Bool {
            time == other.time ? order < other.order : time < other.time
        }
    }

    private var heap: [Element] = []
    private var inserted: UInt64 = 0

    /// When the first event is due.
    var next: Timestamp? { heap.first?.time }

    /// The first event, and when it is due.
    var first: (time: Timestamp, event: Event)? { heap.first.map { ($0.time, $0.event) } }

    var count: Int { heap.count }

    /// When the last timeline entry that waits for its time is due.
    var lastEntry: Timestamp? {
        heap.filter { if case .entry = $0.event { true } else { false } }.map(\.time).max()
    }

    /// Returns the event at an index from 0 up to ``count``, in arbitrary order.
    func event(at index: Int) -> Event { heap[index].event }

    mutating func insert(_ event: Event, at time: Timestamp) {
        inserted += 1
        heap.append(Element(time: time, order: event.rank | inserted, event: event))
        rise(heap.count - 1)
    }

    /// Removes and returns the first event if it is due at `now`.
    mutating func popDue(at now: Timestamp) -> (time: Timestamp, event: Event)? {
        guard let first = heap.first, first.time <= now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink(0)
        }
        return (first.time, first.event)
    }

    /// Removes all events that are no longer needed.
    mutating func filter(_ isNeeded: (Event) -> Bool) {
        heap.removeAll { !isNeeded($0.event) }
        var index = heap.count / 2
        while index > 0 {
            index -= 1
            sink(index)
        }
    }

    private mutating func rise(_ index: Int) {
        var index = index
        let element = heap[index]
        while index > 0, element.isBefore(heap[(index - 1) / 2]) {
            heap[index] = heap[(index - 1) / 2]
            index = (index - 1) / 2
        }
        heap[index] = element
    }

    private mutating func sink(_ index: Int) {
        var index = index
        let element = heap[index]
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(element) else { break }
            heap[index] = heap[child]
            index = child
        }
        heap[index] = element
    }
}
