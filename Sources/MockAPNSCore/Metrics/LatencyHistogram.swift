/// How long things took, in microseconds: a fixed number of counters, whatever is counted.
///
/// Values below 32 have a counter each; beyond, each doubling has 32 counters of equal width, so that what is read is
/// at most 1/32 too large. Values above 2^32 - 1 (71 minutes) count as that.
package struct LatencyHistogram: Sendable {
    private static let bits = 5
    private static let largest = Int(UInt32.max)

    private var counters = [UInt64](repeating: 0, count: index(of: largest) + 1)
    /// How many values were counted.
    package private(set) var count = 0
    /// All of them together.
    package private(set) var sum = 0
    /// The largest of them, exactly; 0 without any.
    package private(set) var maximum = 0

    /// A histogram in which nothing was counted.
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

    /// Counts what another has counted, too.
    package mutating func add(_ other: LatencyHistogram) {
        for index in counters.indices { counters[index] &+= other.counters[index] }
        count &+= other.count
        sum &+= other.sum
        maximum = max(maximum, other.maximum)
    }

    /// The smallest value that so many percent of all are not above, or one at most 1/32 above it; 0 when there is
    /// none.
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

    /// How many values were below a power of two, exactly.
    package func count(belowPowerOfTwo exponent: Int) -> Int {
        counters[..<min(Self.index(of: 1 << exponent), counters.count)].reduce(0) { $0 + Int($1) }
    }

    /// The counter of a value: the number of its highest bit, and the five bits after it.
    @inline(__always)
    private static func index(of value: Int) -> Int {
        guard value >= 1 << bits else { return value }
        let exponent = Int.bitWidth - 1 - value.leadingZeroBitCount
        return (exponent - bits + 1) << bits + (value >> (exponent - bits)) - 1 << bits
    }

    /// The largest value of a counter.
    private static func highest(at index: Int) -> Int {
        guard index >= 1 << bits else { return index }
        let shift = index >> bits - 1
        return (1 << bits + index & (1 << bits - 1) + 1) << shift - 1
    }
}
