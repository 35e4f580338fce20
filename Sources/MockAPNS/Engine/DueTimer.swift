import MockAPNSCore
import NIOCore
import Synchronization

/// Wakes the server when the next thing is due on a real clock: an expiry, an entry of the timeline.
final class DueTimer: Sendable {
    private let loop: any EventLoop
    private let task = Guarded(Scheduled<Void>?.none)
    /// The time that is set, in milliseconds, to be compared without the lock; `max` is none.
    private let milliseconds = Atomic(Int64.max)

    init(_ loop: any EventLoop) { self.loop = loop }

    /// Whether another time is set, or another than none.
    func isSet(otherThan time: Timestamp?) -> Bool {
        milliseconds.load(ordering: .relaxed) != time?.milliseconds ?? .max
    }

    /// Wakes at that time, and at none that was set before.
    func set(_ time: Timestamp?, _ wake: @escaping @Sendable () -> Void) {
        self.task.withLock { task in
            milliseconds.store(time?.milliseconds ?? .max, ordering: .relaxed)
            task?.cancel()
            task = nil
            guard let time else { return }
            let delay = max(0, time.milliseconds - WallClock.now().milliseconds)
            task = loop.scheduleTask(in: .milliseconds(delay)) { [self] in
                // Whatever is due then, it is looked for again afterwards.
                milliseconds.store(.max, ordering: .relaxed)
                wake()
            }
        }
    }
}
