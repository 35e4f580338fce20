import NIOCore

/// Sends the answers of an event loop at the end of each round, when all readable sockets have been read.
///
/// A write may wake its client, which makes it more expensive. A client with several connections, as most providers
/// have, is woken once per round instead of once per connection. No answer waits for more than ``limit`` connections,
/// and nothing waits if the loop has only one connection.
final class LoopRounds {
    /// Maximum number of connections whose answers wait.
    private static let limit = 16

    /// The number of connections of the loop.
    var connections = 0
    private var waiting: [ChannelHandlerContext] = []
    /// Buffers for ciphertext, used in rotation so that none is reused while it waits.
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

    /// Returns a buffer with the bytes that are written into it, which has room for `count`. It allocates only if more
    /// buffers are waiting than are flushed at once.
    func buffer(for count: Int, _ write: (inout OutputRawSpan) -> Void) -> ByteBuffer {
        latestBuffer = (latestBuffer + 1) % buffers.count
        buffers[latestBuffer].clear()
        buffers[latestBuffer].writeWithOutputRawSpan(minimumWritableBytes: count, initializingWith: write)
        return buffers[latestBuffer]
    }
}
