import MockAPNSTransport
package import NIOCore
import Synchronization

/// Notices when so many connections have closed that their memory is worth giving back to the system: half of the most
/// that there were.
struct ConnectionPeak {
    /// Fewer are not worth the time.
    static let leastClosed = 256

    private var most = 0

    /// A connection was opened; so many are open.
    mutating func noteOpening(of count: Int) { most = max(most, count) }

    /// A connection was closed; so many are left.
    ///
    /// - Returns: whether half of the most have closed. The rest counts as the most from then on.
    mutating func noteClosing(to count: Int) -> Bool {
        guard most - count >= Self.leastClosed, count <= most / 2 else { return false }
        most = count
        return true
    }
}

/// Connections to something beside the providers' listeners, such as the admin port: many of them take memory, too.
package final class OtherConnections: Sendable {
    private struct State {
        var open = 0
        var peak = ConnectionPeak()
    }

    private let state = Guarded(State())
    private let giveBackMemory: @Sendable () -> Void

    init(giveBackMemory: @escaping @Sendable () -> Void) { self.giveBackMemory = giveBackMemory }

    /// A connection was opened.
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

extension Engine {
    /// Long enough for the others of a crowd to close too.
    private static let delayAfterPeak = TimeAmount.seconds(10)

    /// Gives memory back to the system, once for all who ask until then.
    func giveBackMemorySoon() {
        guard !givesBackMemory.exchange(true, ordering: .acquiringAndReleasing) else { return }
        loop.scheduleTask(in: Self.delayAfterPeak) { [weak self] in
            self?.givesBackMemory.store(false, ordering: .releasing)
            Task.detached(priority: .background) { FreedMemory.giveBack() }
        }
    }
}
