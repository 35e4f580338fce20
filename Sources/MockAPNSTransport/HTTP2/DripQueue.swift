/// Plaintext of a connection on its way out in drops of a fixed size, whatever the frames in it are.
///
/// Ask ``HTTP2Session/send(into:limit:)`` for more only when the queue is short, and read no more from the client while
/// it is long: the queue itself has no bound.
package struct DripQueue: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0

    /// Taken bytes up to this number stay in memory.
    private static let keptTaken = 16_384

    /// Makes an empty queue.
    package init() {}

    /// How many bytes wait.
    package var count: Int { bytes.count - start }

    /// Whether none wait.
    package var isEmpty: Bool { start == bytes.count }

    /// Adds bytes behind those that wait.
    package mutating func append(_ more: [UInt8]) {
        bytes += more
    }

    /// Takes the next drop.
    ///
    /// - Parameter size: at least 1.
    /// - Returns: so many bytes; fewer when no more wait.
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
