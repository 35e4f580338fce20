import MockAPNSCore
import Synchronization

/// What a replica has yet to append to the control stream by itself, in order.
final class OrderQueue: Sendable {
    /// What goes into one entry.
    enum Item: Sendable {
        case pushes([OrderedPush], deadline: ContinuousClock.Instant)
        case counts([(entry: Int, requests: Int)], scenario: StreamID)
    }

    private struct State: Sendable {
        var items: ArraySlice<Item> = []
        var deadlines: ArraySlice<(ids: [Int], deadline: ContinuousClock.Instant)> = []
    }

    /// How long a push waits for its place in the order.
    static let patience = Duration.seconds(1)

    private let state = Mutex(State())
    private let signals = (
        items: AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)),
        deadlines: AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    )

    /// Tells when there may be items.
    var newItems: AsyncStream<Void> { signals.items.stream }
    /// Tells when there may be deadlines.
    var newDeadlines: AsyncStream<Void> { signals.deadlines.stream }

    /// Adds pushes that wait for their place. Returns at once.
    func add(_ pushes: [OrderedPush]) {
        let deadline = ContinuousClock.now + Self.patience
        state.withLock { state in
            // One read may bring more than an entry takes.
            for start in stride(from: 0, to: pushes.count, by: OrderedPush.batchLimit) {
                let end = min(start + OrderedPush.batchLimit, pushes.count)
                state.items.append(.pushes(Array(pushes[start..<end]), deadline: deadline))
            }
            state.deadlines.append((pushes.map(\.id), deadline))
        }
        signals.items.continuation.yield()
        signals.deadlines.continuation.yield()
    }

    /// Adds requests that were counted.
    func add(_ counts: [(entry: Int, requests: Int)], scenario: StreamID) {
        state.withLock { $0.items.append(.counts(counts, scenario: scenario)) }
        signals.items.continuation.yield()
    }

    /// Returns what goes into the next entry: pushes that wait one after another go into one.
    func next() -> Item? {
        state.withLock { state in
            guard let first = state.items.popFirst() else { return nil }
            guard case .pushes(var pushes, let deadline) = first else { return first }
            while case .pushes(let more, _)? = state.items.first, pushes.count + more.count <= OrderedPush.batchLimit {
                pushes += more
                state.items.removeFirst()
            }
            return .pushes(pushes, deadline: deadline)
        }
    }

    /// The first deadline of a push that may still wait.
    var firstDeadline: ContinuousClock.Instant? { state.withLock { $0.deadlines.first?.deadline } }

    /// Returns the ids of the pushes whose deadline has passed, once.
    func takeExpired(at now: ContinuousClock.Instant?) -> [Int] {
        state.withLock { state in
            var ids: [Int] = []
            while let first = state.deadlines.first, now.map({ first.deadline <= $0 }) ?? true {
                ids += first.ids
                state.deadlines.removeFirst()
            }
            if state.deadlines.isEmpty { state.deadlines = [] }
            return ids
        }
    }

    /// Ends both streams.
    func finish() {
        signals.items.continuation.finish()
        signals.deadlines.continuation.finish()
    }
}
