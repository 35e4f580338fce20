import MockAPNSCore

/// The latest times of something, as many as a threshold asks for; at most twice as many as there were in its period.
struct RecentTimes: Sendable {
    private var times: [Int64] = []
    private var oldest = 0

    /// Notes a time in milliseconds.
    ///
    /// - Returns: whether there were already `most` others within the period before.
    mutating func note(_ time: Int64, most: Int, within period: Int64) -> Bool {
        guard most > 0 else { return true }
        guard times.count >= most else {
            // Before it grows, it forgets what is too old to count.
            if times.count >= 16, times.count & (times.count - 1) == 0 { times.removeAll { time - $0 >= period } }
            times.append(time)
            return false
        }
        let isTooMany = time - times[oldest] < period
        times[oldest] = time
        oldest = (oldest + 1) % most
        return isTooMany
    }

    /// Forgets all times.
    mutating func removeAll() {
        times.removeAll(keepingCapacity: true)
        oldest = 0
    }
}
