/// The streams that a client has skipped by opening a higher one: it may not open them any more (RFC 9113, section
/// 5.1.1). nghttp2 takes them for closed streams.
struct SkippedStreams {
    private var ranges: [Range<Int32>] = []
    /// Usual clients skip none. Of one that keeps skipping, the latest are remembered.
    private static let most = 64

    /// Records the streams between two that were opened one after the other.
    mutating func insert(after last: Int32, before next: Int32) {
        if ranges.count == Self.most { ranges.removeFirst() }
        ranges.append(last + 1..<next)
    }

    /// Returns whether a stream of a client was skipped, as far as is remembered.
    func contains(_ stream: Int32) -> Bool {
        // nghttp2 ends the connection for even ones, which are the server's.
        stream & 1 == 1 && ranges.contains { $0.contains(stream) }
    }
}
