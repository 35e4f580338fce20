/// An open connection: what the log tells of it, and what the gateway remembers to decide about its requests.
package struct OpenConnection: Sendable {
    /// The id, unique across all connections of the server, starting at 1.
    let id: Int
    /// The number of the connection in the run; `nil` if it was open at a reset.
    var number: Int?
    /// The facts at its opening; none if its opening is not in a recorded log.
    let facts: ConnectionFacts
    /// When it opened; `nil` if its opening is not in a recorded log.
    let openedAt: Timestamp?
    /// Its position among the openings of the run, starting at 1; 0 if its opening is not in a recorded log.
    var opening = 0
    /// The number of requests decided so far, of any kind.
    var requests = 0
    /// The transport's counters as last reported.
    var counters: ConnectionCounters?

    // MARK: Deciding

    /// The index of the client's server name in the log.
    package var serverName: UInt16 = 0
    /// Whether the connection belongs to the sandbox.
    var isSandbox = true
    /// The stream limit announced last.
    var streamLimit = 0
    /// Whether an accepted push leaves the stream limit alone: it is already the full limit, or a scenario holds it.
    var hasFullLimit = false
    /// Whether the limit was lowered after a rejection, so that only an accepted push raises it again.
    var isSlowedDown = false
    /// Whether an admin API request arrived on it.
    var hasCalledAdmin = false
    /// Its life: the orders and events so far.
    var life = ConnectionLife.open
    /// The weighted number of error answers so far.
    var errors = 0
    /// Whether a scenario or the API holds the stream limit.
    var heldLimit = HeldStreamLimit()
    var tokens = TokensOnConnection()
    var updates = ProviderTokenUpdateRate()
    /// The team the connection is bound to.
    var teamID: String?
    /// The key of the first valid provider token; it determines which keys may follow.
    var key: Authentication.Key?
    /// The last positive result for a provider token, valid until something changes.
    var authorization: CachedAuthorization?

    init(id: Int, number: Int?, facts: ConnectionFacts, openedAt: Timestamp?) {
        (self.id, self.number, self.facts, self.openedAt) = (id, number, facts, openedAt)
    }
}
