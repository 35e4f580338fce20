import GatewayRigs
import Testing

@testable import MockAPNSCore

/// What requests came to, second by second.
@Suite struct RequestTimelineTests {
    private static let start: Int64 = 1_795_255_200

    private static func count(
        _ statistics: inout Statistics, _ status: UInt16?, at second: Int64, latency: UInt32 = 10
    ) {
        var record = RequestRecord()
        record.connectionID = 1
        (record.time, record.status, record.latencyMicroseconds) = (Timestamp(seconds: start + second), status, latency)
        statistics.count(record, topic: nil, type: nil)
    }

    /// The buckets in words: the seconds since the start, and the counts.
    private static func texts(_ timeline: RequestTimeline, of length: Int64 = 1) -> [String] {
        timeline.buckets(in: 0..<Int64.max, of: length).map { "\($0.start - start) \($0.counts)" }
    }

    @Test("Each second has its answers by class and its times, the one that is not over, too")
    func seconds() {
        var statistics = Statistics()
        for (status, latency): (UInt16?, UInt32) in [(200, 10), (201, 20), (410, 30), (503, 1000), (nil, 5), (302, 5)] {
            Self.count(&statistics, status, at: 0, latency: latency)
        }
        Self.count(&statistics, 200, at: 3, latency: 7)
        #expect(Self.texts(statistics.timeline) == ["0 [2, 1, 1, 2]", "3 [1, 0, 0, 0]"])
        let buckets = statistics.timeline.buckets(in: Self.start..<Self.start + 10, of: 1)
        #expect(buckets.map { $0.latencies(50, 99) } == [[10, 1007], [7, 7]])
        #expect(statistics.timeline.buckets(in: Self.start + 1..<Self.start + 3, of: 1).isEmpty)
        #expect(Self.texts(statistics.timeline, of: 10) == ["0 [3, 1, 1, 2]"])
        #expect(statistics.timeline.buckets(in: 0..<Int64.max, of: 10)[0].latencies(50) == [10])
        // A clock that is set back, and what is sent by the admin API.
        Self.count(&statistics, 200, at: -5)
        var admin = RequestRecord()
        (admin.time, admin.status) = (Timestamp(seconds: Self.start + 3), 200)
        statistics.count(admin, topic: nil, type: nil)
        #expect(Self.texts(statistics.timeline) == ["0 [2, 1, 1, 2]", "3 [2, 0, 0, 0]"])
    }

    @Test("Old seconds become minutes, and old minutes go")
    func minutes() {
        var statistics = Statistics()
        let last = Int64(2 * RequestTimeline.secondLimit)
        for second in 0...last { Self.count(&statistics, 200, at: second) }
        let texts = Self.texts(statistics.timeline)
        #expect(texts.first == "0 [60, 0, 0, 0]" && texts.last == "\(last) [1, 0, 0, 0]")
        #expect(texts.count == 61 + RequestTimeline.secondLimit || texts.count == 60 + RequestTimeline.secondLimit)
        #expect(statistics.timeline.buckets(in: 0..<Int64.max, of: 1).reduce(0) { $0 + $1.counts[0] } == Int(last) + 1)
        for minute in 0..<Int64(2 * RequestTimeline.secondLimit + 3 * RequestTimeline.minuteLimit) {
            Self.count(&statistics, 200, at: last + 60 * (minute + 1))
        }
        #expect(
            Self.texts(statistics.timeline).count < 2 * RequestTimeline.secondLimit + RequestTimeline.minuteLimit + 2)
    }

    @Test("It goes on over a reset")
    func reset() {
        var statistics = Statistics()
        for _ in 0..<3 { Self.count(&statistics, 200, at: 0) }
        statistics = Statistics(after: statistics)
        #expect(statistics.requests == 0)
        Self.count(&statistics, 410, at: 1)
        #expect(Self.texts(statistics.timeline) == ["0 [3, 0, 0, 0]", "1 [0, 1, 0, 0]"])
    }

    @Test("A query is for the last ten minutes in seconds, or for what it says")
    func query() throws {
        func range(_ parameters: [(String, String)]) throws -> [Int64] {
            let query = try TimelineQuery(
                parameters: parameters.map { (name: $0, value: $1) }, at: Timestamp(seconds: Self.start))
            return [query.range.lowerBound - Self.start, query.range.upperBound - Self.start, query.bucket]
        }
        #expect(try range([]) == [-599, 1, 1])
        #expect(try range([("last", "1h")]) == [-3599, 1, 1])
        #expect(try range([("last", "3601s")]) == [-3600, 1, 60])
        #expect(try range([("last", "2h")]) == [-7199, 1, 60])
        #expect(try range([("last", "2h"), ("bucket", "10s")]) == [-7199, 1, 10])
        let (from, to) = (Timestamp(seconds: Self.start - 60).text, Timestamp(seconds: Self.start - 30).text)
        #expect(try range([("from", from), ("to", to)]) == [-60, -29, 1])
        #expect(try range([("from", from)]) == [-60, 1, 1])
        for (parameters, message) in [
            ([("last", "10")], "whole seconds"), ([("last", "500ms")], "whole seconds"),
            ([("from", "noon")], "RFC 3339"),
            ([("last", "3601s"), ("bucket", "1s")], "3601 buckets; expected at most 3600, as with bucket=2s"),
            ([("last", "2h"), ("bucket", "1s")], "7200 buckets; expected at most 3600, as with bucket=2s"),
            ([("last", "2h"), ("from", from)], "expected it, or from and to"), ([("lsat", "2h")], "Did you mean"),
            ([("last", "1m"), ("last", "2m")], "more than once"), ([("bucket", "0s")], "whole seconds"),
        ] {
            let error = #expect(throws: QueryError.self) { try range(parameters) }
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        }
        #expect(try range([("from", to), ("to", from)])[0] == -30)
    }

    @Test("Rules and outages are marked where they decided, and what happened once, when it did")
    func marks() throws {
        var rig = try RecordedRig("", #""rules": [{"name": "no", "times": 3, "then": {"reject": "Shutdown"}}],"#)
        rig.start()
        for pause in [0, 1000, 20_000, 0] as [Int64] {
            rig.rig.time.milliseconds += pause
            rig.work { $0.send() }
        }
        let marks = EventSnapshot(log: rig.rig.gateway.log.snapshot, others: rig.events)
            .marks(in: Self.start - 10..<Self.start + 100).finish().marks
        #expect(
            marks.map { "\($0.kind) \($0.name ?? "-") \($0.from.seconds - Self.start) \($0.to.seconds - Self.start)" }
                == ["scenario - 0 0", "rule no 0 1", "rule no 21 21"])
        let later = EventSnapshot(log: rig.rig.gateway.log.snapshot, others: rig.events)
            .marks(in: Self.start + 1..<Self.start + 20).finish().marks
        #expect(later.map(\.kind) == [.rule])
    }
}
