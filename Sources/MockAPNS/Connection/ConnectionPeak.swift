package import NIOCore

/// Detects when enough connections have closed that their memory is worth returning to the system: half of the peak.
struct ConnectionPeak {
    /// The minimum number of closed connections that is worth the time.
    static let leastClosed = 256

    private var most = 0

    /// Records an opened connection; `count` are open now.
    mutating func noteOpening(of count: Int) { most = max(most, count) }

    /// Records a closed connection; `count` are left.
    ///
    /// - Returns: whether half of the peak have closed. The number left is the new peak.
    mutating func noteClosing(to count: Int) -> Bool {
        guard most - count >= Self.leastClosed, count <= most / 2 else { return false }
        most = count
        return true
    }
}

/// Connections to other listeners than the providers', such as the admin port. Many of them take memory as well.
package final class OtherConnections: Sendable {
    private struct State {
        var open = 0
        var peak = ConnectionPeak()
    }

    private let state = Guarded(State())
    private let giveBackMemory: @Sendable () -> Void

    init(giveBackMemory: @escaping @Sendable () -> Void) { self.giveBackMemory = giveBackMemory }

    /// Records an opened connection.
    package func add(_ channel: any Channel) {
        state.withLock { state in
            state.open += 1
            state.peak.noteOpening(of: state.open)
        }
        channel.closeFuture.whenComplete { [self] _ in
            let isAfterPeak = state.withLock { state in
                state.open -= 1
                return state.peak.noteClosing(to: state.open)
            }
            if isAfterPeak { giveBackMemory() }
        }
    }
}
