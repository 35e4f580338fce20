/// Lets work that takes long end early: asks now and then whether anybody still wants what comes of it.
package struct StopCheck: Sendable {
    /// For work that is never stopped.
    package static let never = StopCheck(isStopped: nil)

    /// Number of steps after which it is asked again.
    private static let stride = 1000

    private let isStopped: (@Sendable () -> Bool)?
    /// Steps until it is asked again; 0 when the answer was that the work is to stop.
    private var left: Int

    /// Whether a step was told to stop.
    var hasStopped: Bool { left == 0 }

    private init(isStopped: (@Sendable () -> Bool)?) {
        self.isStopped = isStopped
        left = isStopped == nil ? .max : Self.stride
    }

    /// - Parameter isStopped: whether the work is to stop; once it is, it stays so.
    package init(_ isStopped: @escaping @Sendable () -> Bool) { self.init(isStopped: isStopped) }

    /// Counts a step of the work; whether it is to stop. Only now and then this asks.
    @inline(__always)
    mutating func step() -> Bool {
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

    /// Asks at once.
    ///
    /// - Throws: `CancellationError` when the work is to stop.
    package func check() throws(CancellationError) {
        if isStopped?() ?? false { throw CancellationError() }
    }
}
