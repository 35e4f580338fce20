/// Lets requests through that have neither `:authority` nor `host`. RFC 9113 (section 8.3.1) permits them; nghttp2
/// resets their streams, and has no option for that alone.
///
/// On a connection whose first request names no host, each header block is extended by a `host` that only nghttp2 gets
/// to see: END_HEADERS moves from HEADERS to a CONTINUATION of ours. Clients name the host in all requests or in none,
/// so on every other connection this happens once, with an empty CONTINUATION.
struct HostCompletion {
    /// Whether the first request named no host.
    private var isNeeded = false
    /// The stream whose header block we have to end; 0 for none.
    var openStream: Int32 = 0
    /// The start of a frame header, kept until it is complete because it may have to be changed.
    var held: [UInt8] = []

    /// `host: -` as a never-indexed literal (RFC 7541, section 6.2.3), which leaves the compression table as it is.
    private static let host: [UInt8] = [0x1F, 0x17, 0x01, 0x2D]

    /// Whether a header block waits for its end.
    var isBlockOpen: Bool { openStream != 0 }

    /// Returns whether the next request has to be looked at.
    ///
    /// - Parameter isFirst: whether it is the first one of the connection.
    func isAwaited(isFirst: Bool) -> Bool { isFirst || isNeeded }

    /// Returns whether a header block has to be ended by ``end(of:)``. One that goes on in frames of the client is left
    /// alone.
    func completes(_ frame: FrameWalker.Frame, isFirst: Bool) -> Bool {
        isAwaited(isFirst: isFirst) && frame.start >= 0 && frame.flags & 4 != 0
    }

    /// Returns the CONTINUATION frame that ends the header block of a request.
    ///
    /// - Parameter request: what has been read of it; `nil` if nothing is kept.
    mutating func end(of request: ReceivedRequest?) -> [UInt8] {
        let stream = openStream
        openStream = 0
        let namesNoHost = request.map { $0.fault == nil && !$0.namesHost } ?? false
        if namesNoHost { isNeeded = true }
        let fields = namesNoHost ? Self.host : []
        var frame: [UInt8] = [0, 0, UInt8(fields.count), 9, 4]
        for shift: Int32 in [24, 16, 8, 0] { frame.append(UInt8(truncatingIfNeeded: stream >> shift)) }
        return frame + fields
    }
}
