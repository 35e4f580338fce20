import MockAPNS

/// A request to end a run before its last probe. It may come at any time and from any thread.
package final class ProbeStop: Sendable {
    /// How long an answer may still take that is being waited for: it may name a channel that is to be deleted.
    private static let grace = Duration.seconds(1)

    private struct State {
        var hasCome = false
        /// When to stop waiting; `nil` if nothing is cut short.
        var deadline: ContinuousClock.Instant?
        var wake: (@Sendable () -> Void)?
    }

    private let state = Guarded(State())

    /// Creates a request that has not come yet.
    package init() {}

    /// Ends the run soon. Returns at once.
    package func come() {
        let wake = state.withLock { state in
            state.hasCome = true
            state.deadline = .now + Self.grace
            return state.wake
        }
        wake?()
    }

    /// Whether the run is to end.
    package var hasCome: Bool { state.withLock { $0.hasCome } }

    /// Whether something may have been cut short.
    var isOver: Bool { state.withLock { state in state.deadline.map { $0 <= .now } ?? false } }

    /// Returns when to stop waiting for something that has a deadline of its own.
    func limit(_ deadline: ContinuousClock.Instant) -> ContinuousClock.Instant {
        state.withLock { min(deadline, $0.deadline ?? deadline) }
    }

    /// Sets what is called when the request comes, at once if it has; `nil` sets nothing.
    func onCome(_ wake: (@Sendable () -> Void)?) {
        let isDue = state.withLock { state in
            state.wake = wake
            return state.deadline != nil
        }
        if isDue { wake?() }
    }

    /// Cuts nothing short any more: the rest is to be completed.
    func beginCleanup() {
        state.withLock { state in
            state.deadline = nil
            state.wake = nil
        }
    }
}
