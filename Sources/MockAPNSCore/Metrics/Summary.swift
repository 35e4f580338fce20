/// The totals of a server at a time, for `GET /api/v1/summary`, for `/metrics` and for the end of `serve`.
package struct Summary: Sendable {
    /// Maximum number of topics that are named; the requests of all others are counted together.
    package static let topicLimit = 100

    /// A count and what it is of.
    package struct Count: Sendable, Hashable {
        /// The status, reason, outcome or topic.
        package var name: String
        /// How many requests.
        package var count: Int
    }

    /// How many requests of providers were decided.
    package var requests: Int
    /// How many pushes of the admin API were decided; they count nowhere else.
    package var requestsByAdmin: Int
    /// By the status of the answer, in ascending order; only those that were sent.
    package var byStatus: [Count]
    /// By the reason of the rejection, in the order of the table of reasons; all of them.
    package var byReason: [(reason: Reason, count: Int)]
    /// By outcome; all of them.
    package var byOutcome: [Count]
    /// By topic, the busiest first.
    package var byTopic: [Count]
    /// The requests of topics that are not named.
    package var otherTopics: Int
    /// Requests per second in the last ten seconds.
    package var perSecond: Double
    /// The most requests in one second.
    package var peakPerSecond: Int
    /// From the last byte of a request to its decision.
    package var latency: LatencyHistogram
    /// How many connections were opened so far.
    package var connectionsOpened: Int
    /// How many are open.
    package var connectionsOpen: Int
    /// How many records the log has dropped because of its bound.
    package var dropped: Int
    /// How many lines could not be written to the log's file.
    package var logWriteErrors: Int
    /// How many devices are known.
    package var devices: Int
    /// How many devices that had registered themselves had to make room.
    package var devicesEvicted: Int

    /// The totals from those who keep them.
    package init(
        _ statistics: Statistics, devices: borrowing DeviceRegistry, connectionsOpened: Int, connectionsOpen: Int,
        dropped: Int, at now: Timestamp
    ) {
        requests = statistics.requests
        requestsByAdmin = statistics.requestsByAdmin
        byStatus = statistics.seenStatuses.map { Count(name: String($0), count: statistics.count(of: $0)) }
        byReason = Reason.allCases.map { (reason: $0, count: statistics.count(of: $0)) }
        byOutcome = Outcome.allCases.map { Count(name: $0.name, count: statistics.count(of: $0)) }
        byTopic = []
        for topic in statistics.busiestTopics(Self.topicLimit) {
            byTopic.append(Count(name: devices.topics.text(topic), count: statistics.count(of: topic)))
        }
        otherTopics = statistics.withTopic - byTopic.reduce(0) { $0 + $1.count }
        perSecond = statistics.rate.perSecond(at: now)
        peakPerSecond = statistics.rate.peak
        latency = statistics.latency
        self.connectionsOpened = connectionsOpened
        self.connectionsOpen = connectionsOpen
        self.dropped = dropped
        logWriteErrors = statistics.logWriteErrors
        self.devices = devices.count
        devicesEvicted = devices.evicted
    }

    /// The rate with one digit after the point.
    var perSecondText: String {
        let tenths = Int(perSecond * 10 + 0.5)
        return "\(tenths / 10).\(tenths % 10)"
    }
}
