/// What is due at some time, in order: a binary heap.
///
/// What is due at the same time comes in the order of its kind, then in that in which it was put in. So a push that
/// expires when its device comes back is not delivered any more.
struct DueQueue: Sendable {
    /// What happens.
    enum Event: Sendable, Hashable {
        /// A stored push of the device expires, if it is still the one of that number.
        case expiry(DeviceIndex, sequence: Int)
        /// The token of the device may no longer stand for it.
        case registration(DeviceIndex)
        /// An entry of the timeline.
        case entry(Int)

        fileprivate var rank: UInt64 {
            switch self {
            case .expiry: 0
            case .registration: 1 << 62
            case .entry: 2 << 62
            }
        }
    }

    private struct Element: Sendable {
        let time: Timestamp
        /// The kind in the upper two bits, the number of the insertion below.
        let order: UInt64
        let event: Event

        func isBefore(_ other: Self) -> Bool {
            time == other.time ? order < other.order : time < other.time
        }
    }

    private var heap: [Element] = []
    private var inserted: UInt64 = 0

    /// When the next is due.
    var next: Timestamp? { heap.first?.time }

    /// What is due next, and when.
    var first: (time: Timestamp, event: Event)? { heap.first.map { ($0.time, $0.event) } }

    var count: Int { heap.count }

    /// When the last entry of the timeline is due that waits for its time.
    var lastEntry: Timestamp? {
        heap.filter { if case .entry = $0.event { true } else { false } }.map(\.time).max()
    }

    /// What is at an index from 0 to ``count``, in no order that means anything.
    func event(at index: Int) -> Event { heap[index].event }

    mutating func insert(_ event: Event, at time: Timestamp) {
        inserted += 1
        heap.append(Element(time: time, order: event.rank | inserted, event: event))
        rise(heap.count - 1)
    }

    /// Takes out the first, if it is due at a time.
    mutating func popDue(at now: Timestamp) -> (time: Timestamp, event: Event)? {
        guard let first = heap.first, first.time <= now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink(0)
        }
        return (first.time, first.event)
    }

    /// Keeps only what is still of interest.
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
