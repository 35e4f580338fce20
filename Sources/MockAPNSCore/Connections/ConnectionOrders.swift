/// The orders given for a connection, as far as they affect later requests.
struct ConnectionOrders: Sendable {
    /// The highest stream that is still processed.
    private(set) var ceiling = UInt32.max
    /// The lowest last-stream id of the GOAWAY frames sent.
    private(set) var lastStream = UInt32.max
    /// The highest stream of a processed request.
    var highestStream: UInt32 = 0
    /// How the server closes the connection, once decided.
    private(set) var end: ClosedBy?
    /// Whether nothing more can be sent.
    private(set) var isClosed = false
    /// The weighted number of error answers so far.
    var errors = 0
    /// Whether a scenario holds the stream limit, so that answers do not change it.
    private(set) var holdsLimit = false
    /// The state before a scenario changed the limit temporarily.
    private var before: (limit: Int, isHeld: Bool)?

    /// Records a GOAWAY.
    mutating func goAway(_ frames: [GoAway], then: ConnectionAction.Then, by closedBy: ClosedBy) {
        for frame in frames { lastStream = min(lastStream, UInt32(clamping: frame.lastStream)) }
        ceiling = min(ceiling, lastStream)
        switch then {
        case .stayOpen: break
        case .drain: end = closedBy
        case .close(let ending): close(ending, by: closedBy)
        }
    }

    /// Records that the connection is closed: no later request is processed.
    mutating func close(_ ending: ConnectionAction.Ending, by closedBy: ClosedBy) {
        end = ending == .silent ? .silent : closedBy
        isClosed = true
        ceiling = 0
    }

    /// Records an expired provider token: no later request is processed.
    mutating func wedge() { ceiling = 0 }

    /// Records an ordered stream limit.
    ///
    /// - Parameters:
    ///   - limit: the limit until now.
    ///   - isForAWhile: whether that limit is restored later.
    mutating func holdLimit(insteadOf limit: Int, isForAWhile: Bool) {
        if !isForAWhile {
            before = nil
        } else if before == nil {
            before = (limit, holdsLimit)
        }
        holdsLimit = true
    }

    /// Records that all temporary limits have run out. Returns the limit to restore, if there is one.
    mutating func limitTimePassed() -> Int? {
        guard let before else { return nil }
        self.before = nil
        holdsLimit = before.isHeld
        return before.limit
    }
}
