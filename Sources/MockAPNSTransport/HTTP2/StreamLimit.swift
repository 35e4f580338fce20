/// The server's own limit of concurrent streams, because nghttp2 would end the connection where APNs refuses the
/// stream.
///
/// The first limit applies from the client's acknowledgement on, because a client may open streams before it has seen
/// our SETTINGS (RFC 9113, section 5.1.2). Later reductions apply at once, increases when their frame is sent.
struct StreamLimit {
    /// The limit before the first acknowledgement.
    static let unacknowledged = 1000

    private var limit: Int
    private var isInForce = false
    private var unsent: [Int]

    init(_ limit: Int) {
        self.limit = limit
        unsent = [limit]
    }

    /// The limit announced last, sent or not.
    var announced: Int { unsent.last ?? limit }

    /// Records that a SETTINGS frame with this limit was queued.
    mutating func announce(_ newLimit: Int) {
        unsent.append(newLimit)
        limit = min(limit, newLimit)
    }

    /// Applies a limit that is not announced yet, if it is lower.
    mutating func reduce(to newLimit: Int) { limit = min(limit, newLimit) }

    /// Called when the next SETTINGS frame is sent; returns the value it has to carry, or `nil` if none was announced.
    mutating func send() -> Int? {
        guard !unsent.isEmpty else { return nil }
        let sent = unsent.removeFirst()
        // A queued reduction already applies.
        limit = unsent.reduce(sent, min)
        return sent
    }

    /// Records that the client has acknowledged a SETTINGS frame.
    mutating func acknowledge() {
        isInForce = true
    }

    /// Returns whether a client with `open` streams may open one more.
    func allows(open: Int) -> Bool {
        open < (isInForce ? limit : max(limit, Self.unacknowledged))
    }
}
