/// The totals of a server at a time, for `GET /api/v1/summary`, for `/metrics` and for the end of `serve`.
public struct Summary: Sendable {
    /// Maximum number of topics that are named; the requests of all others are counted together.
    public static let topicLimit = 100

    /// A count and what it is of.
    public struct Count: Sendable, Hashable {
        /// The status, reason, outcome or topic.
        public var name: String
        /// How many requests.
        public var count: Int
    }

    /// How many requests were decided.
    public var requests: Int
    /// By the status of the answer, in ascending order; only those that were sent.
    public var byStatus: [Count]
    /// By the reason of the rejection, in the order of the table of reasons; all of them.
    public var byReason: [(reason: Reason, count: Int)]
    /// By outcome; all of them.
    public var byOutcome: [Count]
    /// By topic, the busiest first.
    public var byTopic: [Count]
    /// The requests of topics that are not named.
    public var otherTopics: Int
    /// Requests per second in the last ten seconds.
    public var perSecond: Double
    /// The most requests in one second.
    public var peakPerSecond: Int
    /// From the last byte of a request to its decision.
    public var latency: LatencyHistogram
    /// How many connections were opened so far.
    public var connectionsOpened: Int
    /// How many are open.
    public var connectionsOpen: Int
    /// How many records the log has dropped because of its bound.
    public var dropped: Int
    /// How many lines could not be written to the log's file.
    public var logWriteErrors: Int
    /// How many devices are known.
    public var devices: Int
    /// How many devices that had registered themselves had to make room.
    public var devicesEvicted: Int

    /// The totals from those who keep them.
    public init(
        _ statistics: Statistics, devices: borrowing DeviceRegistry, connectionsOpened: Int, connectionsOpen: Int,
        dropped: Int, at now: Timestamp
    ) {
        requests = statistics.requests
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
