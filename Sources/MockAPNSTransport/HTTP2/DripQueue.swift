/// Outgoing plaintext of a connection, sent a fixed number of bytes at a time, regardless of frames.
///
/// Call ``HTTP2Session/send(into:limit:)`` for more only while the queue is short, and stop reading from the client
/// while it is long: the queue itself has no limit.
package struct DripQueue: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0

    /// Maximum number of bytes already taken that stay in memory.
    private static let keptTaken = 16_384

    /// Creates an empty queue.
    package init() {}

    /// The number of bytes waiting.
    package var count: Int { bytes.count - start }

    /// Whether no bytes are waiting.
    package var isEmpty: Bool { start == bytes.count }

    /// Appends bytes.
    package mutating func append(_ more: [UInt8]) {
        bytes += more
    }

    /// Takes the next bytes.
    ///
    /// - Parameter size: at least 1.
    /// - Returns: this many bytes, or fewer if there are no more.
    package mutating func next(_ size: Int) -> [UInt8] {
        precondition(size > 0, "a drop has at least one byte")
        let end = size < count ? start + size : bytes.count
        let drop = Array(bytes[start..<end])
        start = end
        if isEmpty {
            self = DripQueue()
        } else if start > Self.keptTaken {
            bytes.removeFirst(start)
            start = 0
        }
        return drop
    }
}
