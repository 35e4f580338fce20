import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// Searches of the log are done in slices, and find what they would find at once.
@Suite struct YieldingTaskTests {
    /// Three segments, of which some records are deleted.
    private static let log: RequestLog = {
        var log = RequestLog()
        RecordedPush.ordinary().append(to: &log, times: 2500)
        log.remove([1, 16, 17, 1024, 1025, 2500])
        return log
    }()

    /// How many slices the work takes.
    private func slices<Work: YieldingTask>(_ work: consuming Work) -> (count: Int, outcome: Work.Outcome) {
        var count = 1
        while true {
            if let outcome = work.proceed() { return (count, outcome) }
            count += 1
        }
    }

    @Test func searchesTakeOneRecordAtATime() {
        let (count, found) = slices(Self.log.snapshot.search(for: RequestMatch(), after: 0))
        #expect(count == 2500)
        #expect(found.total == 2494)
        #expect(slices(Self.log.snapshot.counting(RequestMatch())).outcome.count == 2494)
    }

    @Test(arguments: [(0, 2494), (15, 2480), (1024, 1474), (2498, 1), (2500, 0), (Int.max, 0), (Int.min, 2494)])
    func aSearchBeginsAnywhere(after: Int, count: Int) {
        #expect(Self.log.snapshot.search(for: RequestMatch(), after: after).finish().total == count)
        #expect(Self.log.snapshot.listing(RequestMatch(), after: after).finish().count == count)
    }

    @Test func anEmptyLogIsSearchedAtOnce() {
        #expect(slices(RequestLog().snapshot.counting(RequestMatch())).count == 1)
    }

    @Test func aPageComesInPieces() throws {
        var log = RequestLog()
        RecordedPush.ordinary().append(to: &log, times: 1000)
        let page = log.snapshot.find(RequestQuery(limit: 1000))
        var pieces = page.pieces(nearMisses: [])
        var text: [UInt8] = []
        var count = 0
        while let piece = pieces.next() {
            #expect(piece.count < RequestPage.Pieces.length + 4096)
            text += piece
            count += 1
        }
        #expect(count > 5 && pieces.isComplete)
        let whole = page.json
        #expect(text == whole.dropLast() + Array(#","nearMisses":[]}"#.utf8))
        #expect(try parse(String(decoding: text, as: UTF8.self))["total"] as? Int == 1000)
    }

    @Test func judgingIsSlicedAndCanStopExplaining() throws {
        var rig = try JudgeRig(
            #"{"requests": {"device": "alice"}, "count": 1}, {"requests": {"status": 503}, "count": 1}, {"nothingElse": true}"#
        )
        for _ in 0..<300 { rig.send() }
        rig.send(to: JudgeRig.bob)
        let input = rig.gateway.verificationInput(at: GatewayRig.now)
        let (count, verification) = slices(input.verifying())
        #expect(count > 50)
        #expect(verification.json == input.verify().json)
        #expect(verification.results[1].nearMisses.count == 3)
        #expect(verification.results[2].seen == "1 other request, number 301")
        #expect(verification.results[2].nearMisses.map(\.sequence) == [301])
        var brief = input.verifying()
        brief.stopExplaining()
        let results = slices(brief).outcome.results
        #expect(results.map(\.passed) == verification.results.map(\.passed))
        #expect(results.map(\.nearMisses.count) == [0, 0, 0])
        #expect(results[2].seen == "1 other request")
    }

    @Test func manyEventsAreToldInSeveralCalls() {
        var log = RequestLog()
        let body = #"{"a":""# + String(repeating: "x", count: 4000) + #""}"#
        RecordedPush(body: body).append(to: &log, times: 500)
        let snapshot = EventSnapshot(log: log.snapshot, others: LatestEvents())
        var stream = EventStream(after: EventPosition(), in: snapshot)
        var calls = 0
        var told = 0
        repeat {
            var bytes: [UInt8] = []
            stream.append(from: snapshot, at: 0, to: &bytes)
            #expect(bytes.count < EventStream.sliceLimit.bytes + 10_000)
            told += bytes.split(separator: UInt8(ascii: "\n")).count { $0.starts(with: Array("event: request".utf8)) }
            calls += 1
        } while stream.hasMore
        #expect(told == 500 && calls > 5)
    }
}
