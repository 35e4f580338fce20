/// What the requests of providers came to, second by second: the strip above the page's log.
///
/// Nothing is counted here for a request. When a second is over, the growth of the totals since the second before is kept.
package struct RequestTimeline: Sendable {
    /// Maximum number of seconds kept, or for a while twice as many; the oldest become minutes.
    package static let secondLimit = 3600
    /// Maximum number of minutes kept; the oldest go.
    package static let minuteLimit = 1440

    /// The requests of a stretch of time.
    package struct Bucket: Sendable, Equatable {
        /// Its beginning, in seconds since 1970.
        package var start: Int64
        /// The number of requests in each of ``RequestTimeline/classes``.
        package var counts: [Int]
        /// The times from the last byte of a request to its decision, with the scripted delay of its answer.
        var latencies: [LatencyHistogram.Counter]
    }

    /// The classes of answers: by the first digit of the status, and all others, most of which had no answer.
    package static let classes = ["2xx", "4xx", "5xx", "none"]

    private var seconds: [Bucket] = []
    private var minutes: [Bucket] = []

    /// Creates an empty timeline.
    init() {}

    /// Takes a second that is over, later than all before it.
    mutating func append(_ second: Bucket) {
        seconds.append(second)
        // Many at a time, so that the others are moved once on average.
        if seconds.count >= 2 * Self.secondLimit { shorten() }
    }

    private mutating func shorten() {
        let surplus = seconds.count - Self.secondLimit
        minutes = (minutes + seconds[..<surplus]).merged(by: 60)
        seconds.removeFirst(surplus)
        minutes.removeFirst(max(0, minutes.count - Self.minuteLimit))
    }

    /// Returns the buckets that had requests, oldest first.
    ///
    /// - Parameters:
    ///   - range: seconds since 1970 in which they begin.
    ///   - length: their length in seconds; buckets of minutes stay minutes.
    package func buckets(in range: Range<Int64>, of length: Int64) -> [Bucket] {
        (minutes + seconds).filter { range.contains($0.start) }.merged(by: length)
    }
}

extension RequestTimeline.Bucket {
    /// Returns times in microseconds that these percentages of the requests do not exceed.
    ///
    /// - Parameter percentages: from 0 to 100.
    package func latencies(_ percentages: Int...) -> [Int] {
        var histogram = LatencyHistogram()
        histogram.add(latencies)
        return percentages.map { histogram.percentile($0) }
    }
}

extension [RequestTimeline.Bucket] {
    /// Returns them, in order of time, with those added up that begin in the same stretch of so many seconds.
    fileprivate func merged(by length: Int64) -> [Element] {
        var merged: [Element] = []
        var first = startIndex
        while first < endIndex {
            let start = self[first].start / length * length
            let last = self[first...].firstIndex { $0.start >= start + length } ?? endIndex
            var sum = self[first]
            sum.start = start
            if last > first + 1 {
                var histogram = LatencyHistogram()
                for bucket in self[first..<last] { histogram.add(bucket.latencies) }
                for bucket in self[(first + 1)..<last] {
                    for index in sum.counts.indices { sum.counts[index] += bucket.counts[index] }
                }
                sum.latencies = histogram.growth(since: LatencyHistogram())
            }
            merged.append(sum)
            first = last
        }
        return merged
    }
}
