/// What the server was ordered to do to a connection, as far as it decides about later requests.
struct ConnectionOrders: Sendable {
    /// Requests on streams above this one are not processed.
    private(set) var ceiling = UInt32.max
    /// The lowest last-stream id of the GOAWAY frames sent.
    private(set) var lastStream = UInt32.max
    /// The highest stream of a request that was processed.
    var highestStream: UInt32 = 0
    /// How the server ends the connection, once that is decided.
    private(set) var end: ClosedBy?
    /// Whether nothing more can be sent.
    private(set) var isClosed = false
    /// Error conditions so far, weighted.
    var errors = 0
    /// Whether a scenario holds the limit of streams, so that answers do not change it.
    private(set) var holdsLimit = false
    /// What was before a scenario changed the limit for a while.
    private var before: (limit: Int, isHeld: Bool)?
    /// How many such times have not ended yet.
    private var heldTimes = 0

    /// A GOAWAY was decided.
    mutating func goAway(_ frames: [GoAway], then: ConnectionAction.Then, by closedBy: ClosedBy) {
        for frame in frames { lastStream = min(lastStream, UInt32(clamping: frame.lastStream)) }
        ceiling = min(ceiling, lastStream)
        switch then {
        case .stayOpen: break
        case .drain: end = closedBy
        case .close(let ending): close(ending, by: closedBy)
        }
    }

    /// The end was decided: no later request is processed.
    mutating func close(_ ending: ConnectionAction.Ending, by closedBy: ClosedBy) {
        end = ending == .silent ? .silent : closedBy
        isClosed = true
        ceiling = 0
    }

    /// An expired provider token was shown.
    mutating func wedge() { ceiling = 0 }

    /// The limit of streams was ordered.
    ///
    /// - Parameters:
    ///   - limit: the limit until then.
    ///   - isForAWhile: whether it will be put back.
    mutating func holdLimit(insteadOf limit: Int, isForAWhile: Bool) {
        if isForAWhile {
            heldTimes += 1
            if before == nil { before = (limit, holdsLimit) }
        } else {
            before = nil
        }
        holdsLimit = true
    }

    /// The time of a limit has passed: the one to put back, unless another is still held.
    mutating func limitTimePassed() -> Int? {
        heldTimes = max(0, heldTimes - 1)
        guard heldTimes == 0, let before else { return nil }
        self.before = nil
        holdsLimit = before.isHeld
        return before.limit
    }
}
