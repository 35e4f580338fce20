/// Lets long work end early: checks regularly whether its result is still wanted.
package struct CancellationCheck: Sendable {
    /// A check that never stops.
    package static let never = CancellationCheck(isStopped: nil)

    /// Number of steps between checks.
    private static let stride = 1000

    private let isStopped: (@Sendable () -> Bool)?
    /// Steps until the next check; 0 once the work is to stop.
    private var left: Int

    /// Whether a step was told to stop.
    package var hasStopped: Bool { left == 0 }

    private init(isStopped: (@Sendable () -> Bool)?) {
        self.isStopped = isStopped
        left = isStopped == nil ? .max : Self.stride
    }

    /// - Parameter isStopped: returns whether the work is to stop; once true, it stays true.
    package init(_ isStopped: @escaping @Sendable () -> Bool) { self.init(isStopped: isStopped) }

    /// Counts a step of the work; returns whether it is to stop. Most steps do not check.
    @inline(__always)
    package mutating func step() -> Bool {
        guard left <= 1 else {
            left -= 1
            return false
        }
        return left == 0 || asks()
    }

    @inline(never)
    private mutating func asks() -> Bool {
        let isStopped = isStopped?() ?? false
        left = isStopped ? 0 : self.isStopped == nil ? .max : Self.stride
        return isStopped
    }

    /// Checks immediately.
    ///
    /// - Throws: `CancellationError` if the work is to stop.
    package func check() throws(CancellationError) {
        if isStopped?() ?? false { throw CancellationError() }
    }
}
