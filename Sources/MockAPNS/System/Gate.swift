/// Lets work through until it is closed. Closing waits for the work that is already inside.
///
/// A gate for work that needs the event loops: NIO loses work passed to a loop that has ended, so that waiting for it
/// never ends, and later versions will end the process.
final class Gate: Sendable {
    private struct State: Sendable {
        var inside = 0
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    /// Runs the body if the gate is open; returns `nil` without running it if it is closed.
    func use<Result>(_ body: () throws -> Result) rethrows -> Result? {
        guard enter() else { return nil }
        defer { leave() }
        return try body()
    }

    /// Runs the body if the gate is open; returns `nil` without running it if it is closed.
    func use<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> sending Result
    ) async rethrows -> sending Result? {
        guard enter() else { return nil }
        defer { leave() }
        return try await body()
    }

    /// Closes the gate; returns when nothing is inside any more.
    func close() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                state.isClosed = true
                if state.inside > 0 { state.closers.append(continuation) }
                return state.inside == 0
            }
            if isEmpty { continuation.resume() }
        }
    }

    private func enter() -> Bool {
        state.withLock { state in
            if !state.isClosed { state.inside += 1 }
            return !state.isClosed
        }
    }

    private func leave() {
        let closers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.inside -= 1
            guard state.inside == 0 else { return [] }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }
}
