/// Work that is done once, such as stopping. Every caller returns when it is done.
final class SharedTask: Sendable {
    private let task = Guarded(Task<Void, Never>?.none)

    /// Starts the work unless it has been started, and waits for its end.
    func run(_ body: @escaping @Sendable () async -> Void) async {
        let task = self.task.withLock { task in
            let started = task ?? Task(operation: body)
            task = started
            return started
        }
        await task.value
    }
}
