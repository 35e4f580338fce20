import MockAPNSCore
import Testing

@Suite("Latencies and rates")
struct LatencyHistogramTests {
    @Test("Percentiles are those of the sorted values, at most 1/32 above", arguments: 0..<12)
    func percentiles(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var histogram = LatencyHistogram()
        var values: [Int] = []
        let bits = Int(seed) * 3
        for _ in 0..<Int.random(in: 1...3000, using: &random) {
            let value = Int.random(in: 0...(1 << Int.random(in: 0...min(bits, 32), using: &random)) - 1, using: &random)
            histogram.count(value)
            values.append(value)
        }
        values.sort()
        for percent in [0, 1, 10, 50, 90, 99, 100] {
            let exact = values[max(1, (values.count * percent + 99) / 100) - 1]
            let read = histogram.percentile(percent)
            #expect(read >= exact && read <= exact + exact / 32)
        }
        #expect(histogram.maximum == values.last)
        #expect(histogram.percentile(100) == values.last)
        #expect(histogram.sum == values.reduce(0, +))
        #expect(histogram.count == values.count)
        for exponent in 0...33 {
            #expect(histogram.count(belowPowerOfTwo: exponent) == values.count { $0 < 1 << exponent })
        }
    }

    @Test("Values at the edges")
    func edges() {
        var histogram = LatencyHistogram()
        #expect(histogram.percentile(50) == 0 && histogram.maximum == 0)
        histogram.count(-5)
        #expect(histogram.percentile(50) == 0)
        histogram.count(.max)
        #expect(histogram.maximum == Int(UInt32.max))
        #expect(histogram.percentile(100) == Int(UInt32.max))
    }

    @Test("The rate is that of the last ten whole seconds, the peak that of the busiest")
    func rate() {
        func at(_ second: Int64) -> Timestamp { Timestamp(milliseconds: second * 1000 + 500) }
        var rate = RequestRate()
        #expect(rate.perSecond(at: at(100)) == 0)
        for _ in 0..<30 { rate.count(at: at(100)) }
        #expect(rate.perSecond(at: at(100)) == 30)
        #expect(rate.perSecond(at: at(101)) == 30)
        for _ in 0..<10 { rate.count(at: at(101)) }
        #expect(rate.perSecond(at: at(102)) == 20)
        #expect(rate.perSecond(at: at(110)) == 4)
        #expect(rate.perSecond(at: at(111)) == 1)
        #expect(rate.perSecond(at: at(112)) == 0)
        #expect(rate.perSecond(at: at(116)) == 0)
        #expect(rate.perSecond(at: at(117)) == 0)
        for second in Int64(116)..<150 { rate.count(at: at(second)) }
        #expect(rate.perSecond(at: at(150)) == 1)
        // A clock that was set back.
        for _ in 0..<50 { rate.count(at: at(20)) }
        #expect(rate.perSecond(at: at(150)) == 6)
        rate.count(at: at(1_000_000))
        #expect(rate.perSecond(at: at(1_000_001)) == 0.1)
        #expect(rate.peak == 51)
    }
}
