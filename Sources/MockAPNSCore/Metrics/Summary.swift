/// The totals of a server at a point in time, for `GET /api/v1/summary`, `/metrics` and the end of `serve`.
package struct Summary: Sendable {
    /// Maximum number of topics listed; requests of all others are counted together.
    package static let topicLimit = 100

    /// A count with its name.
    package struct Count: Sendable, Hashable {
        /// The status, reason, outcome or topic.
        package var name: String
        /// The number of requests.
        package var count: Int
    }

    /// A count of pushes of one type with one delivery status.
    package struct DeliveryCount: Sendable, Hashable {
        package var pushType: String
        package var state: Delivery
        package var count: Int
    }

    /// The number of requests from providers.
    package var requests: Int
    /// The number of pushes from the admin API; they count nowhere else.
    package var requestsByAdmin: Int
    /// Counts by status of the answer, in ascending order; only those sent.
    package var byStatus: [Count]
    /// Counts by reason of the rejection, in the order of the table of reasons; all of them.
    package var byReason: [(reason: Reason, count: Int)]
    /// Counts by outcome; all of them.
    package var byOutcome: [Count]
    /// Counts by push type, empty without one, and delivery status; only those that there were. A push counts for each
    /// status that it has had.
    package var byDelivery: [DeliveryCount]
    /// Counts by topic, the busiest first.
    package var byTopic: [Count]
    /// The number of requests with topics not listed.
    package var otherTopics: Int
    /// Requests per second in the last ten seconds.
    package var perSecond: Double
    /// The highest number of requests in one second.
    package var peakPerSecond: Int
    /// The time from the last byte of a request to its decision, with the scripted delay of its answer.
    package var latency: LatencyHistogram
    /// The number of connections opened so far.
    package var connectionsOpened: Int
    /// The number of open connections.
    package var connectionsOpen: Int
    /// The number of records the log has dropped because of its limit.
    package var dropped: Int
    /// The number of lines that could not be written to the log file.
    package var logWriteErrors: Int
    /// The number of attempts to ship requests that failed; `nil` for a server that is no replica of a fleet.
    package var fleetShipErrors: Int?
    /// The number of known devices.
    package var devices: Int
    /// The number of self-registered devices evicted to make room.
    package var devicesEvicted: Int
    /// How full the bounded collections are.
    package var limits: [LimitUse] = []
    /// Whether pushes are passed on to another APNs.
    package var isRelay = false
    /// How the answers of another APNs differ; empty if nothing was passed on.
    package var relay = RelayDifferences()

    /// Creates the totals from their sources.
    package init(
        _ statistics: Statistics, devices: borrowing DeviceRegistry, connectionsOpened: Int, connectionsOpen: Int,
        dropped: Int, at now: Timestamp
    ) {
        requests = statistics.requests
        requestsByAdmin = statistics.requestsByAdmin
        byStatus = statistics.seenStatuses.map { Count(name: String($0), count: statistics.count(of: $0)) }
        byReason = Reason.allCases.map { (reason: $0, count: statistics.count(of: $0)) }
        byOutcome = Outcome.allCases.map { Count(name: $0.name, count: statistics.count(of: $0)) }
        byDelivery = (PushType.allCases.map(Optional.some) + [nil]).flatMap { type in
            Delivery.allCases.map { state in
                DeliveryCount(pushType: type?.name ?? "", state: state, count: statistics.count(of: state, type))
            }
        }.filter { $0.count > 0 }
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

    /// The rate with one decimal place.
    var perSecondText: String {
        let tenths = Int(perSecond * 10 + 0.5)
        return "\(tenths / 10).\(tenths % 10)"
    }
}
