import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite struct RequestLogTests {
    @Test func aRecordIsSmall() {
        #expect(MemoryLayout<RequestRecord>.stride <= 160)
    }

    @Test(arguments: [0, 1, 10, 1023, 1024, 1025, 3000])
    func keepsTheLatestAndCountsTheDropped(limit: Int) {
        var log = RequestLog(limit: limit)
        let push = RecordedPush.ordinary()
        for number in 1...5000 {
            let sequence = push.append(to: &log)
            #expect(sequence == number)
            #expect(log.count == min(number, limit))
            #expect(log.dropped == max(0, number - limit))
        }
        #expect(log.sequences == Array(5001 - limit..<5001))
        #expect(log.closed.count <= limit / RequestSegment.length + 2)
    }

    @Test func writesTheLatestWhateverTheLimit() throws {
        var log = RequestLog(limit: 0)
        var (queue, writer, lines) = (LineQueue(), RecordWriter(), [] as [UInt8])
        queue.append(RecordedPush.ordinary().append(to: &log), of: log)
        queue.writeLines(using: &writer, to: &lines)
        #expect(try parse(String(decoding: lines, as: UTF8.self))["sequence"] as? Int == 1)
    }

    @Test func memoryIsFlatOnceTheLimitIsReached() {
        var log = RequestLog(limit: 10_000)
        let push = RecordedPush.ordinary()
        push.append(to: &log, times: 20_000)
        let before = log.capacityInBytes
        push.append(to: &log, times: 60_000)
        #expect(Double(log.capacityInBytes) <= Double(before) * 1.05)
        #expect(log.capacityInBytes / 10_000 <= 800)
    }

    @Test func memoryShrinksAfterABurstOfLargeRequests() {
        var log = RequestLog(limit: 4096)
        let small = RecordedPush.ordinary()
        small.append(to: &log, times: 10_000)
        let before = log.capacityInBytes
        let large = RecordedPush(body: String(repeating: "x", count: 5000))
        large.append(to: &log, times: 10_000)
        #expect(log.capacityInBytes > 3 * before)
        small.append(to: &log, times: 10_000)
        #expect(log.capacityInBytes < 2 * before)
    }

    @Test func aSnapshotStaysAsItWas() throws {
        var log = RequestLog(limit: 2000)
        var push = RecordedPush.ordinary()
        push.append(to: &log, times: 1500)
        let snapshot = log.snapshot
        let first = try #require(snapshot.record("1"))
        let last = try #require(snapshot.record("1500"))
        push.record.status = 400
        push.append(to: &log, times: 4000)
        log.update(5000, with: RequestUpdate(delivery: .discardedExpired), at: Timestamp(milliseconds: 0))
        log.removeAll()
        #expect(snapshot.sequences(RequestMatch()) == Array(1...1500))
        #expect(snapshot.record("1") == first)
        #expect(snapshot.record("1500") == last)
        #expect(snapshot.dropped == 0)
        #expect(log.snapshot.sequences(RequestMatch()) == [])
    }

    @Test(arguments: [5, 1500, 2100])
    func updatesAPastRecord(sequence: Int) throws {
        var log = RequestLog()
        RecordedPush.ordinary().append(to: &log, times: 2100)
        let update = RequestUpdate(
            delivery: .deliveredFromStorage, replacedBy: 77, outcome: .cancelled, latencyMicroseconds: 9)
        let isKept = log.update(sequence, with: update, at: Timestamp(milliseconds: 0))
        #expect(isKept)
        let record = try parse(log.line(of: sequence))
        #expect(record["delivery"] as? String == "Delivered to Device (From Storage)")
        #expect(record["replacedBy"] as? Int == 77)
        #expect(record["outcome"] as? String == "cancelled")
        #expect(record["latencyMicroseconds"] as? Int == 9)
        #expect(try parse(log.line(of: sequence - 1))["outcome"] as? String == "responded")
    }

    @Test(arguments: [0, 100, 2101]) func updatesNothingThatIsNotKept(sequence: Int) {
        var log = RequestLog(limit: 2000)
        RecordedPush.ordinary().append(to: &log, times: 2100)
        let isKept = log.update(
            sequence, with: RequestUpdate(outcome: .cancelled), at: Timestamp(milliseconds: 0))
        #expect(!isKept)
    }

    @Test func anUpdateIsAnEventWithWhatChanged() throws {
        var line: [UInt8] = []
        let time = Timestamp(milliseconds: 1_795_255_200_123)
        func event(_ change: RequestUpdate) -> LogEvent { .update(UpdateEvent(of: 7, change, clock: time)) }
        event(RequestUpdate(delivery: .delivered)).appendLine(at: time, to: &line)
        #expect(
            String(decoding: line, as: UTF8.self)
                == #"{"event":"update","sequence":7,"time":"2026-11-21T10:00:00.123Z","#
                + #""clock":"2026-11-21T10:00:00.123Z","delivery":"Delivered to Device"}"#
                + "\n")
        line = []
        event(RequestUpdate(replacedBy: 8, outcome: .cancelled, latencyMicroseconds: 3))
            .appendLine(at: time, to: &line)
        let members = try parse(String(decoding: line, as: UTF8.self))
        #expect(members["replacedBy"] as? Int == 8)
        #expect(members["outcome"] as? String == "cancelled")
        #expect(members["latencyMicroseconds"] as? Int == 3)
        #expect(members["delivery"] == nil)
    }

    @Test func removesAllAndGoesOnCounting() {
        var log = RequestLog()
        RecordedPush.ordinary().append(to: &log, times: 3000)
        let removed = log.removeAll()
        #expect(removed == 3000)
        #expect(log.count == 0)
        #expect(log.dropped == 0)
        let next = RecordedPush.ordinary().append(to: &log)
        #expect(next == 3001)
        #expect(log.sequences == [3001])
    }

    @Test func removesSome() {
        var log = RequestLog(limit: 2000)
        RecordedPush.ordinary().append(to: &log, times: 2000)
        let removed = log.remove([1, 2, 1500, 2000, 2000, 9999])
        #expect(removed == 4)
        #expect(log.count == 1996)
        #expect(log.snapshot.record("1500") == nil)
        #expect(log.sequences.count == 1996)
        // What was removed is not dropped once more.
        RecordedPush.ordinary().append(to: &log, times: 4)
        #expect(log.dropped == 2)
        #expect(log.count == 1998)
        #expect(log.sequences.first == 5)
    }

    @Test func tellsServerNamesApart() {
        var log = RequestLog()
        let names = [nil, "localhost", "api.push.apple.com", "localhost"]
        #expect(names.map { log.index(ofServerName: $0) } == [0, 1, 2, 1])
        for number in 0..<2000 { _ = log.index(ofServerName: "host-\(number)") }
        let oneMore = log.index(ofServerName: "one more")
        #expect(oneMore == 0)
    }

    @Test func manyProviderTokensTakeTurns() throws {
        var log = RequestLog()
        let tokens = (0..<40).map { number in
            RecordedPush.providerToken(
                "bearer \(RecordedPush.withoutSignature).\(RecordedPush.signature)\(number + 10)")
        }
        for number in 0..<2000 {
            var push = RecordedPush.ordinary()
            push.token = tokens[number % 40]
            push.append(to: &log)
        }
        #expect(log.closed[0].tokens.count <= 1024)
        for number in stride(from: 0, to: 2000, by: 77) {
            let (segment, index) = try #require(log.snapshot.location(of: number + 1))
            #expect(segment.token(of: segment.records[index]) === tokens[number % 40])
        }
    }
}
