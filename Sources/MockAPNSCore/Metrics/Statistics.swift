/// Counts of decided requests, independent of their records.
///
/// Memory is bounded: one counter for each possible status, reason, outcome, delivery and topic.
package struct Statistics: Sendable {
    /// The number of requests from providers.
    package private(set) var requests = 0
    /// The number of pushes from the admin API; they count nowhere else.
    package private(set) var requestsByAdmin = 0
    /// The number of lines that could not be written to the log file.
    package var logWriteErrors = 0
    /// The time from the last byte of a request to its decision, with the scripted delay of its answer.
    package private(set) var latency = LatencyHistogram()
    /// The rate of requests.
    package private(set) var rate = RequestRate()

    /// The seconds that are over, and the totals at the beginning of the one that is not.
    private var closed = RequestTimeline()
    private var second = (start: Int64.min, classes: [0, 0, 0, 0], latency: LatencyHistogram())

    private var statuses = [UInt64](repeating: 0, count: 1000)
    private var reasons = [UInt64](repeating: 0, count: Reason.allCases.count)
    private var outcomes = [UInt64](repeating: 0, count: Outcome.allCases.count)
    private var topics: [UInt64] = []
    /// By push type, then by delivery status; the last type stands for none.
    private var deliveries = [UInt64](repeating: 0, count: deliveryCount)

    /// The number of combinations of a push type, or none, and a delivery status.
    static let deliveryCount = (PushType.allCases.count + 1) * Delivery.allCases.count

    /// Creates empty statistics.
    package init() {}

    /// Counts a decided request.
    ///
    /// - Parameters:
    ///   - request: its record; statuses of 1000 and above are not counted by status.
    ///   - topic: the index of its topic in the registry's table, if it has one.
    ///   - type: its push type, if it has one.
    ///   - delay: the scripted delay of its answer in milliseconds.
    @inline(__always)
    package mutating func count(
        _ request: borrowing RequestRecord, topic: TopicIndex?, type: PushType?, delay: Int64 = 0
    ) {
        guard request.sender == .provider else {
            requestsByAdmin += 1
            return
        }
        if request.time.seconds > second.start { beginSecond(request.time.seconds) }
        requests &+= 1
        if let status = request.status, status < 1000 { statuses[Int(status)] &+= 1 }
        if let reason = request.reason { reasons[Int(reason.code)] &+= 1 }
        outcomes[Int(request.outcome.code)] &+= 1
        if let topic {
            if Int(topic.rawValue) >= topics.count { makeRoom(for: topic) }
            topics[Int(topic.rawValue)] &+= 1
        }
        if let delivery = request.delivery { count(delivery, of: type) }
        latency.count(Int(request.latencyMicroseconds) &+ Int(delay) &* 1000)
        rate.count(at: request.time)
    }

    /// Creates statistics for another run: only the timeline goes on.
    init(after earlier: Statistics) { closed = earlier.timeline }

    /// What requests came to, second by second, as far as the seconds are known.
    package var timeline: RequestTimeline {
        var timeline = closed
        if let bucket = openSecond { timeline.append(bucket) }
        return timeline
    }

    /// The requests of the second that is not over; `nil` if there are none.
    private var openSecond: RequestTimeline.Bucket? {
        let counts = zip(classes, second.classes).map { max(0, $0 - $1) }
        guard counts.contains(where: { $0 > 0 }) else { return nil }
        return .init(start: second.start, counts: counts, latencies: latency.growth(since: second.latency))
    }

    /// The totals by ``RequestTimeline/classes``.
    private var classes: [Int] {
        let answered = [2, 4, 5].map { digit in statuses[(digit * 100)..<(digit * 100 + 100)].reduce(0) { $0 + Int($1) }
        }
        return answered + [requests - answered.reduce(0, +)]
    }

    @inline(never)
    private mutating func beginSecond(_ start: Int64) {
        if let bucket = openSecond { closed.append(bucket) }
        second = (start, classes, latency)
    }

    /// Counts a changed outcome: a delayed request was answered or canceled.
    package mutating func countChange(from old: Outcome, to new: Outcome) {
        outcomes[Int(old.code)] -= min(1, outcomes[Int(old.code)])
        outcomes[Int(new.code)] += 1
    }

    /// Counts a delivery status that a provider's push has come to.
    @inline(__always)
    mutating func count(_ delivery: Delivery, of type: PushType?) {
        deliveries[Self.index(of: delivery, type)] &+= 1
    }

    private static func index(of delivery: Delivery, _ type: PushType?) -> Int {
        Int(type?.code ?? UInt8(PushType.coded.count)) * Delivery.allCases.count + Int(delivery.code)
    }

    /// Returns the number of pushes of a type, or without one, that have come to a delivery status.
    package func count(of delivery: Delivery, _ type: PushType?) -> Int {
        Int(deliveries[Self.index(of: delivery, type)])
    }

    /// Returns how the totals have grown since an earlier state.
    ///
    /// - Parameter name: returns the name of a topic.
    func growth(since earlier: Statistics, topic name: (TopicIndex) -> String) -> FrameTotals {
        var totals = FrameTotals()
        totals.requests = requests - earlier.requests
        totals.requestsByAdmin = requestsByAdmin - earlier.requestsByAdmin
        totals.logWriteErrors = logWriteErrors - earlier.logWriteErrors
        totals.statuses = Self.growth(of: statuses, since: earlier.statuses)
        totals.reasons = Self.growth(of: reasons, since: earlier.reasons)
        totals.outcomes = Self.growth(of: outcomes, since: earlier.outcomes)
        totals.deliveries = Self.growth(of: deliveries, since: earlier.deliveries)
        totals.topics = Self.growth(of: topics, since: earlier.topics).map {
            FrameTotals.TopicCount(topic: Array(name(TopicIndex(rawValue: UInt16($0.key))).utf8), count: $0.count)
        }
        totals.latencies = latency.growth(since: earlier.latency)
        totals.latencySum = latency.sum - earlier.latency.sum
        totals.latencyMaximum = latency.maximum
        return totals
    }

    private static func growth(of counts: [UInt64], since earlier: [UInt64]) -> [FrameTotals.Count] {
        counts.indices.compactMap { index in
            let before = index < earlier.count ? earlier[index] : 0
            let growth = Int64(bitPattern: counts[index] &- before)
            return growth == 0 ? nil : FrameTotals.Count(key: index, count: Int(growth))
        }
    }

    /// Adds the totals of a replica.
    ///
    /// - Parameter index: returns the index of a topic; `nil` if there are too many.
    mutating func add(_ totals: FrameTotals, topic index: (Span<UInt8>) -> TopicIndex?) {
        requests += totals.requests
        requestsByAdmin += totals.requestsByAdmin
        logWriteErrors += totals.logWriteErrors
        Self.add(totals.statuses, to: &statuses)
        Self.add(totals.reasons, to: &reasons)
        Self.add(totals.outcomes, to: &outcomes)
        Self.add(totals.deliveries, to: &deliveries)
        for count in totals.topics {
            guard let topic = index(count.topic.span) else { continue }
            if Int(topic.rawValue) >= topics.count { makeRoom(for: topic) }
            topics[Int(topic.rawValue)] &+= UInt64(count.count)
        }
        latency.add(totals.latencies, sum: totals.latencySum, maximum: totals.latencyMaximum)
    }

    private static func add(_ growth: [FrameTotals.Count], to counts: inout [UInt64]) {
        for growth in growth where counts.indices.contains(growth.key) {
            counts[growth.key] = UInt64(max(0, Int64(bitPattern: counts[growth.key]) &+ Int64(growth.count)))
        }
    }

    /// Counts a request of a replica for the rate; ``add(_:topic:)`` counts everything else.
    mutating func countRate(at time: Timestamp) {
        rate.add(1, in: time.seconds)
        // The totals of a frame follow its requests, and count for the second that has begun by then.
        if time.seconds > second.start { beginSecond(time.seconds) }
    }

    private mutating func makeRoom(for topic: TopicIndex) {
        let missing = Int(topic.rawValue) + 1 - topics.count
        topics.append(contentsOf: [UInt64](repeating: 0, count: missing))
    }

    /// Returns the number of requests answered with a status.
    package func count(of status: UInt16) -> Int { status < 1000 ? Int(statuses[Int(status)]) : 0 }

    /// Returns the number of requests refused with a reason.
    package func count(of reason: Reason) -> Int { Int(reasons[Int(reason.code)]) }

    /// Returns the number of requests with an outcome.
    package func count(of outcome: Outcome) -> Int { Int(outcomes[Int(outcome.code)]) }

    /// Returns the number of requests with a topic.
    package func count(of topic: TopicIndex) -> Int {
        Int(topic.rawValue) < topics.count ? Int(topics[Int(topic.rawValue)]) : 0
    }

    /// The statuses sent, in ascending order.
    package var seenStatuses: [UInt16] { (0..<1000).filter { statuses[Int($0)] > 0 } }

    /// Returns at most `limit` topics with the most requests, in descending order.
    package func busiestTopics(_ limit: Int) -> [TopicIndex] {
        let seen = topics.indices.filter { topics[$0] > 0 }
        return seen.sorted { (topics[$0], $1) > (topics[$1], $0) }.prefix(limit).map {
            TopicIndex(rawValue: UInt16($0))
        }
    }

    /// The number of requests with any topic.
    var withTopic: Int { Int(topics.reduce(0, +)) }
}
