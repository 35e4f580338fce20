/// What is counted of requests as they are decided, whatever becomes of their records.
///
/// The memory is bounded: a counter for each status, reason, outcome and topic that there can be.
package struct Statistics: Sendable {
    /// How many requests of providers were decided.
    package private(set) var requests = 0
    /// How many pushes of the admin API were decided; nothing else is counted of them.
    package private(set) var requestsByAdmin = 0
    /// How many lines could not be written to the log's file.
    package var logWriteErrors = 0
    /// From the last byte of a request to its decision.
    package private(set) var latency = LatencyHistogram()
    /// How many requests there are in a second.
    package private(set) var rate = RequestRate()

    private var statuses = [UInt64](repeating: 0, count: 1000)
    private var reasons = [UInt64](repeating: 0, count: Reason.allCases.count)
    private var outcomes = [UInt64](repeating: 0, count: Outcome.allCases.count)
    private var topics: [UInt64] = []

    /// Statistics of nothing.
    package init() {}

    /// Counts a request that was decided.
    ///
    /// - Parameters:
    ///   - request: its record; a status from 1000 on is not counted by status.
    ///   - topic: its topic's number in the registry's table, if it has one.
    @inline(__always)
    package mutating func count(_ request: borrowing RequestRecord, topic: TopicIndex?) {
        guard request.sender == .provider else {
            requestsByAdmin += 1
            return
        }
        requests &+= 1
        if let status = request.status, status < 1000 { statuses[Int(status)] &+= 1 }
        if let reason = request.reason { reasons[Int(reason.rawValue)] &+= 1 }
        outcomes[Int(request.outcome.rawValue)] &+= 1
        if let topic {
            if Int(topic.rawValue) >= topics.count { makeRoom(for: topic) }
            topics[Int(topic.rawValue)] &+= 1
        }
        latency.count(Int(request.latencyMicroseconds))
        rate.count(at: request.time)
    }

    /// Counts that a request came to another end than was first said: a delayed one was answered, or taken back.
    package mutating func countChange(from old: Outcome, to new: Outcome) {
        outcomes[Int(old.rawValue)] -= min(1, outcomes[Int(old.rawValue)])
        outcomes[Int(new.rawValue)] += 1
    }

    private mutating func makeRoom(for topic: TopicIndex) {
        let missing = Int(topic.rawValue) + 1 - topics.count
        topics.append(contentsOf: [UInt64](repeating: 0, count: missing))
    }

    /// How many requests were answered with a status.
    package func count(of status: UInt16) -> Int { status < 1000 ? Int(statuses[Int(status)]) : 0 }

    /// How many were refused for a reason.
    package func count(of reason: Reason) -> Int { Int(reasons[Int(reason.rawValue)]) }

    /// How many came to an outcome.
    package func count(of outcome: Outcome) -> Int { Int(outcomes[Int(outcome.rawValue)]) }

    /// How many had a topic.
    package func count(of topic: TopicIndex) -> Int {
        Int(topic.rawValue) < topics.count ? Int(topics[Int(topic.rawValue)]) : 0
    }

    /// The statuses that were answered, in ascending order.
    package var seenStatuses: [UInt16] { (0..<1000).filter { statuses[Int($0)] > 0 } }

    /// The topics with the most requests, in descending order, at most so many.
    package func busiestTopics(_ limit: Int) -> [TopicIndex] {
        let seen = topics.indices.filter { topics[$0] > 0 }
        return seen.sorted { (topics[$0], $1) > (topics[$1], $0) }.prefix(limit).map {
            TopicIndex(rawValue: UInt16($0))
        }
    }

    /// How many requests had any topic.
    var withTopic: Int { Int(topics.reduce(0, +)) }
}
