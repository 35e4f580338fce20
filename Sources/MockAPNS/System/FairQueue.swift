import NIOCore

/// Limits concurrent searches to the number of processors minus one, because the threads are shared by all servers of
/// the process and everything else in it.
final class FairQueue: Sendable {
    static let shared = FairQueue(turns: max(1, System.coreCount - 1))

    private struct State: Sendable {
        var freeTurns: Int
        /// Waiting for their first turn.
        var beginning = Line()
        /// Waiting for a further turn.
        var goingOn = Line()
    }

    /// A first-in, first-out queue of waiting tasks.
    private struct Line: Sendable {
        private var waiting: [CheckedContinuation<Void, Never>] = []
        /// The entries before this index have been removed.
        private var first = 0

        mutating func append(_ continuation: CheckedContinuation<Void, Never>) { waiting.append(continuation) }

        mutating func popFirst() -> CheckedContinuation<Void, Never>? {
            guard first < waiting.count else { return nil }
            defer {
                first += 1
                if first == waiting.count { (waiting, first) = ([], 0) }
                if first > 1000, 2 * first > waiting.count {
                    waiting.removeFirst(first)
                    first = 0
                }
            }
            return waiting[first]
        }
    }

    private let state: Guarded<State>

    init(turns: Int) { state = Guarded(State(freeTurns: turns)) }

    /// Waits for a turn.
    func wait(isFirst: Bool) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.freeTurns > 0 {
                    state.freeTurns -= 1
                    return true
                }
                if isFirst { state.beginning.append(continuation) } else { state.goingOn.append(continuation) }
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Ends a turn and passes it on to the next in line.
    func leave() {
        let next = state.withLock { state in
            let next = state.beginning.popFirst() ?? state.goingOn.popFirst()
            if next == nil { state.freeTurns += 1 }
            return next
        }
        next?.resume()
    }
}
