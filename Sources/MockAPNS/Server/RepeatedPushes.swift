/// The pushes of the API that are repeated at an interval, as far as they are in progress.
///
/// They end with a reset, with another scenario, and when their server or session stops.
package final class RepeatedPushes: Sendable {
    /// Maximum number in progress at a time.
    package static let limit = 100

    private struct State: Sendable {
        /// The tasks that repeat a push; `nil` before the first push was decided.
        var tasks: [Int: Task<Void, Never>?] = [:]
        var latestID = 0
        var refused = 0
        /// Whether the server has stopped.
        var isClosed = false
    }

    private let state = Guarded(State())

    /// The number in progress.
    var count: Int { state.withLock { $0.tasks.count } }

    /// The number refused because there were too many.
    var refused: Int { state.withLock { $0.refused } }

    /// Makes a place for one; returns `nil` if there is none.
    func reserve() -> Int? {
        state.withLock { state in
            guard !state.isClosed, state.tasks.count < Self.limit else {
                state.refused += 1
                return nil
            }
            state.latestID += 1
            state.tasks.updateValue(nil, forKey: state.latestID)
            return state.latestID
        }
    }

    /// Starts to repeat a push, unless its place was given up meanwhile.
    func start(_ place: Int, _ body: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard state.tasks[place] != nil else { return }
            let task = Task.detached { [weak self] in
                await body()
                self?.giveUp(place)
            }
            state.tasks.updateValue(task, forKey: place)
        }
    }

    /// Gives up a place.
    func giveUp(_ place: Int) { state.withLock { _ = $0.tasks.removeValue(forKey: place) } }

    /// Ends all, and admits no more.
    func close() {
        state.withLock { $0.isClosed = true }
        endAll()
    }

    /// Ends all.
    func endAll() {
        let tasks = state.withLock { state in
            defer { state.tasks = [:] }
            return state.tasks.values.compactMap(\.self)
        }
        for task in tasks { task.cancel() }
    }
}
