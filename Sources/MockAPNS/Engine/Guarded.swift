import Synchronization

/// A value behind a lock.
///
/// It is a `Mutex` whose order ThreadSanitizer sees as well: on Linux the slow path of `Mutex`, taken when two threads
/// want it at once, is inside the standard library, which is not instrumented, so each such meeting would be reported as
/// a race. Reading and writing one atomic inside the lock tells the sanitizer of the order, and costs a nanosecond.
struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<GuardedContent<Value>>
    private let turn = Atomic(0)

    init(_ value: consuming sending Value) { mutex = Mutex(GuardedContent(value: value)) }

    func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { content throws(Failure) in
            _ = turn.load(ordering: .acquiring)
            defer { turn.store(0, ordering: .releasing) }
            return try body(&content.value)
        }
    }
}

/// What is behind a lock. Only the lock leads to it, so it may go from one thread to another even if the value may not.
struct GuardedContent<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    var value: Value
}
