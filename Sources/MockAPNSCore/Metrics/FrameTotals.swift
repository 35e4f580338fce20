/// How the totals of a replica have grown since its previous frame. They hold whether or not the records are shipped,
/// and add up without loss.
package struct FrameTotals: Sendable, Equatable {
    /// A counter and its growth.
    package struct Count: Sendable, Hashable {
        /// The status, or the raw value of the reason or outcome, or the index among the deliveries or in the histogram.
        var key: Int
        var count: Int
    }

    /// A topic and how many more requests it has had.
    struct TopicCount: Sendable, Hashable {
        var topic: [UInt8]
        var count: Int
    }

    /// The number of requests from providers.
    package var requests = 0
    /// The number of pushes from the admin API.
    package var requestsByAdmin = 0
    /// The number of lines that could not be written to the replica's log file.
    var logWriteErrors = 0
    var statuses: [Count] = []
    var reasons: [Count] = []
    /// The changes of the counts: negative for a count that has gone down, as when a delayed request was answered.
    var outcomes: [Count] = []
    var deliveries: [Count] = []
    var topics: [TopicCount] = []
    var latencies: [Count] = []
    /// The sum of all latencies in microseconds.
    var latencySum = 0
    /// The highest latency so far, in microseconds.
    var latencyMaximum = 0
    /// The number of the replica's events so far that they cover, those that come in later frames included.
    var coveredEvents = 0

    /// Creates totals that have not grown.
    package init() {}

    private static let countLimit = 100_000

    func append(to output: inout [UInt8]) {
        for number in [requests, requestsByAdmin, logWriteErrors, latencySum, latencyMaximum, coveredEvents] {
            output.appendNumber(number)
        }
        for counts in [statuses, reasons, outcomes, deliveries, latencies] {
            output.appendNumber(counts.count)
            for count in counts {
                output.appendNumber(count.key)
                output.appendSigned(Int64(count.count))
            }
        }
        output.appendNumber(topics.count)
        for count in topics {
            output.appendText(count.topic)
            output.appendNumber(count.count)
        }
    }

    init(_ input: inout FrameInput) throws(FrameMistake) {
        let limit = 1 << 52
        requests = try input.number(atMost: limit)
        requestsByAdmin = try input.number(atMost: limit)
        logWriteErrors = try input.number(atMost: limit)
        latencySum = try input.number(atMost: limit)
        latencyMaximum = try input.number(atMost: Int(UInt32.max))
        coveredEvents = try input.number(atMost: limit)
        statuses = try Self.counts(&input, below: 1000)
        reasons = try Self.counts(&input, below: Reason.allCases.count)
        outcomes = try Self.counts(&input, below: Outcome.allCases.count)
        deliveries = try Self.counts(&input, below: Statistics.deliveryCount)
        latencies = try Self.counts(&input, below: LatencyHistogram.length)
        let count: Int = try input.number(atMost: Self.countLimit)
        for _ in 0..<count {
            topics.append(
                TopicCount(topic: try input.text(atMost: Int(UInt16.max)), count: try input.number(atMost: limit)))
        }
    }

    private static func counts(
        _ input: inout FrameInput, below limit: Int
    ) throws(FrameMistake) -> [Count] {
        let length: Int = try input.number(atMost: limit)
        var counts: [Count] = []
        for _ in 0..<length {
            let key: Int = try input.number(atMost: limit - 1)
            let count = try input.signed()
            try input.expect(-(1 << 52)...1 << 52 ~= count, "a count of \(count)")
            counts.append(Count(key: key, count: Int(count)))
        }
        return counts
    }
}
