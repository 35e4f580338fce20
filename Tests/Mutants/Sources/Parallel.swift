import Dispatch
import Synchronization

/// Does things on so many threads at the same time; the results come in their order.
func parallel<Result: Sendable>(
    _ count: Int, workers: Int, _ work: @Sendable (Int) throws -> Result
) throws -> [Result] {
    let state = Mutex((next: 0, results: [Int: Result](), failure: (any Error)?.none))
    DispatchQueue.concurrentPerform(iterations: workers) { _ in
        while true {
            let index: Int? = state.withLock { state in
                guard state.failure == nil, state.next < count else { return nil }
                defer { state.next += 1 }
                return state.next
            }
            guard let index else { return }
            do {
                let result = try work(index)
                state.withLock { $0.results[index] = result }
            } catch {
                state.withLock { $0.failure = error }
            }
        }
    }
    return try state.withLock { state in
        if let failure = state.failure { throw failure }
        return state.results.sorted { $0.key < $1.key }.map(\.value)
    }
}
