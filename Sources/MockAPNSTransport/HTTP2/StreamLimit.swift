/// The limit of concurrent streams as the server keeps it, since nghttp2 would end the connection where APNs refuses
/// the stream.
///
/// The first limit counts from the client's acknowledgement on, as a client may open streams before it has seen our
/// SETTINGS (RFC 9113, section 5.1.2); a later fall counts at once, a raise when its frame is sent.
struct StreamLimit {
    /// Before the first acknowledgement, and in any case, a client has no more than this many.
    static let unacknowledged = 1000

    private var limit: Int
    private var isInForce = false
    private var unsent: [Int]

    init(_ limit: Int) {
        self.limit = limit
        unsent = [limit]
    }

    /// The latest announced limit, sent or not.
    var announced: Int { unsent.last ?? limit }

    /// A SETTINGS frame with this limit was queued.
    mutating func announce(_ newLimit: Int) {
        unsent.append(newLimit)
        limit = min(limit, newLimit)
    }

    /// The next SETTINGS frame leaves: the value it must carry, or `nil` when none was announced.
    mutating func send() -> Int? {
        guard !unsent.isEmpty else { return nil }
        let sent = unsent.removeFirst()
        // A fall that is still queued counts already.
        limit = unsent.reduce(sent, min)
        return sent
    }

    /// The client has acknowledged a SETTINGS frame.
    mutating func acknowledge() {
        isInForce = true
    }

    /// Whether a client that has `open` streams may open one more.
    func allows(open: Int) -> Bool {
        open < (isInForce ? limit : max(limit, Self.unacknowledged))
    }
}
