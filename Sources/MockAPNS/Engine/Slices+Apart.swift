import Dispatch
package import MockAPNSCore

/// What cannot be divided into slices, such as reading a scenario, is done beside the threads on which everything else is
/// done.
package enum Slices {
    /// Beside what else something is done.
    package enum Lane: Sendable {
        /// Reading a text of so many bytes. Large ones are read one after another, so that several do not take several times
        /// the memory, and small ones do not wait for them.
        case text(Int)
        /// Reading files, which may be pipes out of which nothing comes.
        case files
    }

    private static let longestSmallText = 1 << 20
    private static let largeTexts = DispatchQueue(label: "mock-apns.large-texts")
    private static let smallTexts = DispatchQueue(label: "mock-apns.small-texts")

    private static func queue(_ lane: Lane) -> DispatchQueue {
        switch lane {
        case .text(...longestSmallText): smallTexts
        case .text: largeTexts
        case .files: .global()
        }
    }

    /// Does something that may take long.
    ///
    /// When the task is cancelled before it has begun, it does not begin. Later it has to find out by itself, and is waited
    /// for, since it may use what the end of the process takes away.
    ///
    /// - Parameter body: gets what tells it to stop. Whatever it throws when it was told is a `CancellationError`.
    package static func apart<Result: Sendable>(
        _ lane: Lane, _ body: @escaping @Sendable (StopCheck) throws -> Result
    ) async throws -> Result {
        let work = WorkApart<Result>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard work.await(with: continuation) else { return }
                queue(lane).async { work.run(body) }
            }
        } onCancel: {
            work.cancel()
        }
    }
}

/// What one waits for that is done on another thread.
private final class WorkApart<Result: Sendable>: Sendable {
    private struct State: Sendable {
        /// Who waits for it to begin.
        var waiting: CheckedContinuation<Result, any Error>?
        var isCancelled = false
    }

    private let state = Guarded(State())

    /// Begins to wait; false when it was cancelled already.
    func await(with continuation: CheckedContinuation<Result, any Error>) -> Bool {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.waiting = continuation }
            return state.isCancelled
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        return !isCancelled
    }

    /// Does it, unless it was cancelled.
    func run(_ body: (StopCheck) throws -> Result) {
        guard let waiting = takeWaiting() else { return }
        let stop = StopCheck { [self] in state.withLock { $0.isCancelled } }
        waiting.resume(
            with: Swift.Result {
                do { return try body(stop) } catch {
                    try stop.check()
                    throw error
                }
            })
    }

    /// Lets whoever waits go on when it has not begun; else it is to stop.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        takeWaiting()?.resume(throwing: CancellationError())
    }

    private func takeWaiting() -> CheckedContinuation<Result, any Error>? {
        state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
    }
}
