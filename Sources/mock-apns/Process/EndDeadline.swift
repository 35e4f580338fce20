/// The one time limit for everything that a command does once it is asked to end. Container runtimes kill what takes ten
/// seconds.
struct EndDeadline {
    /// A little less than 5 s, which leave time for the end of the process itself.
    private let end = ContinuousClock.now + .milliseconds(4500)

    /// The time that is left.
    var left: Duration { end - .now }

    /// Runs a body.
    ///
    /// - Parameter reserve: the time for what comes later.
    /// - Returns: its result, or `nil` as soon as its time is over. It goes on then, until the process ends.
    func result<Result: Sendable>(
        reserving reserve: Duration = .zero, _ body: @escaping @Sendable () async -> Result
    ) async -> Result? {
        let (results, result) = AsyncStream<Result?>.makeStream()
        let run = Task { result.yield(await body()) }
        let limit = Task { [end] in
            guard (try? await Task.sleep(until: end - reserve, clock: .continuous)) != nil else { return }
            result.yield(nil)
        }
        defer {
            run.cancel()
            limit.cancel()
        }
        for await result in results { return result }
        return nil
    }
}
