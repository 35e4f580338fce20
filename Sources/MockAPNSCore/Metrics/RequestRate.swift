/// Requests per second: over the last ten seconds, and the peak.
package struct RequestRate: Sendable {
    /// The number of seconds that the rate covers.
    package static let window = 10
    private static let slots = 16

    /// The requests of a second, at the index given by its last four bits.
    private var counts = [UInt32](repeating: 0, count: slots)
    private var first: Int64?
    private var current = Int64.min
    /// The highest number of requests in one second of the clock.
    package private(set) var peak = 0

    /// Creates a rate without requests.
    package init() {}

    /// Counts a request. If the clock was set back, it counts for the latest second.
    @inline(__always)
    package mutating func count(at now: Timestamp) {
        let second = now.seconds
        if second > current { moveOn(to: second) }
        let slot = Int(current & Int64(Self.slots - 1))
        counts[slot] &+= 1
        peak = max(peak, Int(counts[slot]))
    }

    /// Counts requests of another server, whose counts may arrive a little late. Requests of more than 15 seconds ago
    /// count for the latest second.
    mutating func add(_ number: Int, in second: Int64) {
        if second > current { moveOn(to: second) }
        let isRecent = second > current - Int64(Self.slots)
        if isRecent { first = min(first ?? second, second) }
        let slot = Int((isRecent ? second : current) & Int64(Self.slots - 1))
        counts[slot] &+= UInt32(truncatingIfNeeded: number)
        peak = max(peak, Int(counts[slot]))
    }

    private mutating func moveOn(to second: Int64) {
        if first == nil {
            first = second
        } else {
            for gap in 0..<min(second - current, Int64(Self.slots)) {
                counts[Int((second - gap) & Int64(Self.slots - 1))] = 0
            }
        }
        current = second
    }

    /// Returns requests per second in the ten whole seconds before this one, or in those since the first request; if
    /// there are none, those of this second.
    package func perSecond(at now: Timestamp) -> Double {
        guard let first else { return 0 }
        let second = max(now.seconds, current)
        func count(_ second: Int64) -> Int {
            second > current || second <= current - Int64(Self.slots) || second < first
                ? 0 : Int(counts[Int(second & Int64(Self.slots - 1))])
        }
        let start = max(first, second - Int64(Self.window))
        guard start < second else { return Double(count(second)) }
        return Double((start..<second).reduce(0) { $0 + count($1) }) / Double(second - start)
    }
}
