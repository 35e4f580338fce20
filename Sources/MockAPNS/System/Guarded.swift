import Synchronization

/// A value protected by a lock.
///
/// This is a `Mutex` whose ordering ThreadSanitizer can see. `make lint` accepts no other lock above the transport. On
/// Linux, the slow path of `Mutex`, taken under contention, is inside the standard library, which is not instrumented,
/// so each contended access would be reported as a race. Reading and writing an atomic inside the lock shows the
/// ordering to the sanitizer, and costs a nanosecond.
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<GuardedContent<Value>>
    private let turn = Atomic(0)

    package init(_ value: consuming sending Value) { mutex = Mutex(GuardedContent(value: value)) }

    package func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { content throws(Failure) in
            _ = turn.load(ordering: .acquiring)
            defer { turn.store(0, ordering: .releasing) }
            return try body(&content.value)
        }
    }
}

/// The content of a lock. It is accessible only through the lock, so it may move between threads even if the value
/// itself may not.
struct GuardedContent<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    var value: Value
}
