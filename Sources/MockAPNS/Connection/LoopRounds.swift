import NIOCore

/// Lets the answers of one event loop leave at the end of each of its rounds, when all sockets that had something to read
/// were read.
///
/// A write may wake its client, and costs the more then. A client with several connections, as most providers are, is woken
/// once in a round instead of once for each connection. No answer waits for more than ``limit`` connections, and that of the
/// loop's only connection does not wait.
final class LoopRounds {
    /// Maximum number of connections whose answers wait.
    private static let limit = 16

    /// How many connections the loop has.
    var connections = 0
    private var waiting: [ChannelHandlerContext] = []
    /// Buffers for ciphertext, taken in turn, so that none is taken again while it waits.
    private var buffers = [ByteBuffer](repeating: ByteBuffer(), count: limit)
    private var latestBuffer = 0

    /// Flushes a channel at the end of this round.
    func flushLater(_ context: ChannelHandlerContext) {
        guard connections > 1 else { return context.flush() }
        waiting.append(context)
        switch waiting.count {
        case 1: context.eventLoop.assumeIsolated().execute { self.flush() }
        case Self.limit: flush()
        default: break
        }
    }

    private func flush() {
        for context in waiting { context.flush() }
        waiting.removeAll(keepingCapacity: true)
        latestBuffer = 0
    }

    /// A buffer with these bytes. It costs an allocation only where more wait than are flushed at once.
    func buffer(holding bytes: RawSpan) -> ByteBuffer {
        latestBuffer = (latestBuffer + 1) % buffers.count
        buffers[latestBuffer].clear()
        buffers[latestBuffer].writeBytes(bytes)
        return buffers[latestBuffer]
    }
}
