import MockAPNS
import MockAPNSCore

/// The entries that a replica has yet to append to the control stream by itself, in order.
final class OrderQueue: Sendable {
    /// The content of one entry.
    enum Item: Sendable {
        case pushes([OrderedPush], deadline: ContinuousClock.Instant)
        case counts([(entry: Int, requests: Int)], scenario: StreamID)
    }

    /// Pushes that came together.
    private struct Batch: Sendable {
        var pushes: [OrderedPush] = []
        /// About the number of their bytes.
        var size = 0
        var deadline: ContinuousClock.Instant
    }

    private struct State: Sendable {
        var pushes: ArraySlice<Batch> = []
        /// The sums of requests counted while an entry was on its way.
        var counts: (requests: [Int: Int], scenario: StreamID)?
        var deadlines: ArraySlice<(ids: [Int], deadline: ContinuousClock.Instant)> = []
        var isFinished = false
    }

    /// Maximum number of bytes of the pushes in an entry, about, unless it is a single one. Each entry costs the engine and
    /// every replica much more than a push, so under load it holds many.
    static let byteLimit = 96_000

    /// How long a push waits for its position in the order.
    private let limit: Duration
    private let state = Guarded(State())
    private let signals = (
        items: AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)),
        deadlines: AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    )

    init(limit: Duration = FleetLimits().push) { self.limit = limit }

    /// Tells when there may be items.
    var newItems: AsyncStream<Void> { signals.items.stream }
    /// Tells when there may be deadlines.
    var newDeadlines: AsyncStream<Void> { signals.deadlines.stream }

    /// Adds pushes that wait for their position. Returns at once.
    ///
    /// - Returns: false if the replica is leaving, so that they get none.
    @discardableResult
    func add(_ pushes: [OrderedPush]) -> Bool {
        let deadline = ContinuousClock.now + limit
        let isTaken = state.withLock { state in
            guard !state.isFinished else { return false }
            var batch = Batch(deadline: deadline)
            for push in pushes {
                // One read may bring more than an entry takes.
                if !batch.pushes.isEmpty, batch.size + push.size > Self.byteLimit {
                    state.pushes.append(batch)
                    batch = Batch(deadline: deadline)
                }
                batch.pushes.append(push)
                batch.size += push.size
            }
            if !batch.pushes.isEmpty { state.pushes.append(batch) }
            state.deadlines.append((pushes.map(\.id), deadline))
            return true
        }
        signals.items.continuation.yield()
        signals.deadlines.continuation.yield()
        return isTaken
    }

    /// Adds requests that were counted for a scenario; those for an earlier one are of no use any more. Even with no
    /// counts, the entry tells the time.
    func add(_ counts: [(entry: Int, requests: Int)], scenario: StreamID) {
        state.withLock { state in
            var requests = state.counts?.scenario == scenario ? state.counts?.requests ?? [:] : [:]
            for (entry, count) in counts { requests[entry, default: 0] += count }
            state.counts = (requests, scenario)
        }
        signals.items.continuation.yield()
    }

    /// Returns what goes into the next entry: the counts, or all pushes that wait, as many as one takes.
    func next() -> Item? {
        state.withLock { state in
            if let (requests, scenario) = state.counts {
                state.counts = nil
                let counts = requests.sorted { $0.key < $1.key }.map { (entry: $0.key, requests: $0.value) }
                return .counts(counts, scenario: scenario)
            }
            guard var batch = state.pushes.popFirst() else { return nil }
            while let more = state.pushes.first, batch.size + more.size <= Self.byteLimit {
                batch.pushes += more.pushes
                batch.size += more.size
                state.pushes.removeFirst()
            }
            return .pushes(batch.pushes, deadline: batch.deadline)
        }
    }

    /// The first deadline of a push that may still wait.
    var firstDeadline: ContinuousClock.Instant? { state.withLock { $0.deadlines.first?.deadline } }

    /// Returns the ids of the pushes whose deadline has passed, once. Pushes among them that are in no entry yet go
    /// into none.
    ///
    /// - Parameter now: the time; `nil` takes all.
    func takeExpired(at now: ContinuousClock.Instant?) -> [Int] {
        state.withLock { state in
            state.pushes = state.pushes.drop { batch in now.map { batch.deadline <= $0 } ?? true }
            if state.pushes.isEmpty { state.pushes = [] }
            var ids: [Int] = []
            while let first = state.deadlines.first, now.map({ first.deadline <= $0 }) ?? true {
                ids += first.ids
                state.deadlines.removeFirst()
            }
            if state.deadlines.isEmpty { state.deadlines = [] }
            return ids
        }
    }

    /// Ends both streams, and takes no more pushes.
    func finish() {
        state.withLock { $0.isFinished = true }
        signals.items.continuation.finish()
        signals.deadlines.continuation.finish()
    }
}
