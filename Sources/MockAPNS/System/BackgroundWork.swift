import Dispatch
package import MockAPNSCore

/// Runs work that cannot be divided into slices, such as reading a scenario, on separate threads.
package enum BackgroundWork {
    /// The queue that work goes to.
    package enum Lane: Sendable {
        /// Reading a text of this many bytes. Large texts are read one after another, to bound memory, and small ones
        /// do not wait for them.
        case text(Int)
        /// Reading files, which may be pipes that never deliver anything.
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

    /// Runs work that may take long.
    ///
    /// If the task is canceled before the work starts, it never starts. Once started, the work has to check for
    /// cancellation itself, and is waited for, because it may use resources that go away when the process ends.
    ///
    /// - Parameter body: gets a check that tells it to stop. Any error it throws after that becomes a
    ///   `CancellationError`.
    package static func run<Result: Sendable>(
        _ lane: Lane, _ body: @escaping @Sendable (CancellationCheck) throws -> Result
    ) async throws -> Result {
        let work = PendingWork<Result>()
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

/// Work on another thread that a task waits for.
private final class PendingWork<Result: Sendable>: Sendable {
    private struct State: Sendable {
        /// The task that waits, until the work starts.
        var waiting: CheckedContinuation<Result, any Error>?
        var isCancelled = false
    }

    private let state = Guarded(State())

    /// Starts waiting; returns false if the work was already canceled.
    func await(with continuation: CheckedContinuation<Result, any Error>) -> Bool {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.waiting = continuation }
            return state.isCancelled
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        return !isCancelled
    }

    /// Runs the work, unless it was canceled.
    func run(_ body: (CancellationCheck) throws -> Result) {
        guard let waiting = takeWaiting() else { return }
        let stop = CancellationCheck { [self] in state.withLock { $0.isCancelled } }
        waiting.resume(
            with: Swift.Result {
                do { return try body(stop) } catch {
                    try stop.check()
                    throw error
                }
            })
    }

    /// Resumes the waiting task if the work has not started; otherwise tells the work to stop.
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
