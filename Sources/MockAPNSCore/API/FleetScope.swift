/// The members of a fleet that carry out a call of the admin API.
package enum FleetScope: Sendable {
    /// Each member answers from what it knows.
    case member
    /// The collector answers, from the log of all replicas; a replica does so for its own share with `scope=replica`.
    case collector
    /// A replica answers; the collector refuses.
    case replica
    /// Each member answers, but a collector has nothing for providers.
    case providers
    /// A replica answers for itself; the collector asks all replicas, which know more than it does.
    case question
    /// All replicas change by a call on the collector, which hears of it from them.
    case everyReplica
    /// All replicas and the collector change by a call on the collector.
    case everyMember
    /// The replica that has the connection changes, by a call on it or on the collector; all of them by one on the
    /// collector.
    case connection
    /// The collector and replicas refuse, because the log of a fleet has no gaps; a replica does it with
    /// `scope=replica`.
    case log
    /// All members refuse, because they have no sessions.
    case sessions
}
