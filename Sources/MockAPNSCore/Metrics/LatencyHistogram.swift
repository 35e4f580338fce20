/// A histogram of durations in microseconds, with a fixed number of counters.
///
/// Values below 32 have a counter each. Above that, each doubling has 32 counters of equal width, so results are at
/// most 1/32 too high. Values above 2^32 - 1 (71 minutes) count as that value.
package struct LatencyHistogram: Sendable {
    private static let bits = 5
    private static let largest = Int(UInt32.max)

    private var counters = [UInt64](repeating: 0, count: index(of: largest) + 1)
    /// The number of values.
    package private(set) var count = 0
    /// The sum of all values.
    package private(set) var sum = 0
    /// The exact maximum; 0 without values.
    package private(set) var maximum = 0

    /// Creates an empty histogram.
    package init() {}

    /// Counts a value in microseconds.
    @inline(__always)
    package mutating func count(_ microseconds: Int) {
        let value = max(0, min(microseconds, Self.largest))
        counters[Self.index(of: value)] &+= 1
        count &+= 1
        sum &+= value
        maximum = max(maximum, value)
    }

    /// Adds the counts of another histogram.
    package mutating func add(_ other: LatencyHistogram) {
        for index in counters.indices { counters[index] &+= other.counters[index] }
        count &+= other.count
        sum &+= other.sum
        maximum = max(maximum, other.maximum)
    }

    /// The number of counters.
    static var length: Int { index(of: largest) + 1 }

    /// A counter that is not zero, in few bytes.
    struct Counter: Sendable, Equatable {
        var index: UInt16
        var count: UInt32
    }

    /// Returns the counters that have grown since an earlier state, by how much.
    func growth(since earlier: LatencyHistogram) -> [Counter] {
        counters.indices.compactMap { index in
            let growth = counters[index] &- earlier.counters[index]
            return growth == 0 ? nil : Counter(index: UInt16(index), count: UInt32(clamping: growth))
        }
    }

    /// Adds counters; the sum and the maximum are not known from them.
    mutating func add(_ others: [Counter]) {
        for other in others {
            counters[Int(other.index)] &+= UInt64(other.count)
            count &+= Int(other.count)
            maximum = max(maximum, Self.highest(at: Int(other.index)))
        }
    }

    /// Returns how the counters have grown since an earlier state.
    func growth(since earlier: LatencyHistogram) -> [FrameTotals.Count] {
        counters.indices.compactMap { index in
            let growth = counters[index] &- earlier.counters[index]
            return growth == 0 ? nil : FrameTotals.Count(key: index, count: Int(truncatingIfNeeded: growth))
        }
    }

    /// Adds the growth of another histogram.
    mutating func add(_ growth: [FrameTotals.Count], sum: Int, maximum: Int) {
        for growth in growth where counters.indices.contains(growth.key) && growth.count > 0 {
            counters[growth.key] &+= UInt64(growth.count)
            count &+= growth.count
        }
        self.sum &+= sum
        self.maximum = max(self.maximum, maximum)
    }

    /// Returns the smallest value that at least this percentage of values do not exceed, or one at most 1/32 above it;
    /// 0 without values.
    ///
    /// - Parameter percent: from 0 to 100.
    package func percentile(_ percent: Int) -> Int {
        let rank = max(1, (count * percent + 99) / 100)
        var seen = 0
        for index in counters.indices {
            seen += Int(counters[index])
            if seen >= rank { return min(Self.highest(at: index), maximum) }
        }
        return maximum
    }

    /// Returns the exact number of values below a power of two.
    package func count(belowPowerOfTwo exponent: Int) -> Int {
        counters[..<min(Self.index(of: 1 << exponent), counters.count)].reduce(0) { $0 + Int($1) }
    }

    /// Returns the counter for a value, from the number of its highest bit and the five bits after it.
    @inline(__always)
    private static func index(of value: Int) -> Int {
        guard value >= 1 << bits else { return value }
        let exponent = Int.bitWidth - 1 - value.leadingZeroBitCount
        return (exponent - bits + 1) << bits + (value >> (exponent - bits)) - 1 << bits
    }

    /// Returns the largest value of a counter.
    private static func highest(at index: Int) -> Int {
        guard index >= 1 << bits else { return index }
        let shift = index >> bits - 1
        return (1 << bits + index & (1 << bits - 1) + 1) << shift - 1
    }
}
