import MockAPNSCore
import NIOCore
import Synchronization

/// Wakes the server when the next event is due on a real clock: an expiry or a timeline entry.
final class DueTimer: Sendable {
    private let timers: Timers
    private let task = Guarded(Timer?.none)
    /// The time that is set, in milliseconds, for comparing it without the lock; `max` for none.
    private let milliseconds = Atomic(Int64.max)

    init(_ timers: Timers) { self.timers = timers }

    /// Returns whether a different time is set, treating none as a time of its own.
    func isSet(otherThan time: Timestamp?) -> Bool {
        milliseconds.load(ordering: .relaxed) != time?.milliseconds ?? .max
    }

    /// Sets the time to wake at and cancels any earlier one.
    func set(_ time: Timestamp?, _ wake: @escaping @Sendable () -> Void) {
        self.task.withLock { task in
            milliseconds.store(time?.milliseconds ?? .max, ordering: .relaxed)
            task?.cancel()
            task = nil
            guard let time else { return }
            let delay = max(0, time.milliseconds - WallClock.now().milliseconds)
            task = timers.schedule(in: .milliseconds(delay)) { [self] in
                // The next due time is set again afterwards.
                milliseconds.store(.max, ordering: .relaxed)
                wake()
            }
        }
    }
}
