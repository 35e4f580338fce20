import NIOCore

/// Timers on one of the server's event loops, for work that belongs to no connection.
struct Timers: Sendable {
    private let loop: any EventLoop
    /// Closed before the loops end.
    private let gate: Gate

    init(on loop: any EventLoop, through gate: Gate) {
        self.loop = loop
        self.gate = gate
    }

    /// Starts a timer; returns `nil` without one if the server has stopped.
    @discardableResult
    func schedule(in time: TimeAmount, _ body: @escaping @Sendable () -> Void) -> Timer? {
        gate.use { Timer(task: loop.scheduleTask(in: time, body), gate: gate) }
    }
}

/// One of a server's timers.
struct Timer: Sendable {
    fileprivate let task: Scheduled<Void>
    fileprivate let gate: Gate

    /// Cancels the timer. Once the loops have ended, so have their timers, and even to cancel one needs a loop.
    func cancel() { gate.use { task.cancel() } }
}
