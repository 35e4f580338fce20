import Testing

@testable import MockAPNSCore

/// Whoever waits for requests: entries of the timeline, and clients of the API.
@Suite struct RequestWaitTests {
    private static func match(_ text: String, _ rig: borrowing JudgeRig) throws -> RequestMatch {
        let scenario = rig.gateway.scenario
        return RequestMatch(
            try #require(scenario.match(from: try JSONText.read(Array(text.utf8))).0), in: scenario)
    }

    private static func isOnline(_ rig: borrowing JudgeRig) -> Bool? {
        rig.gateway.devices.find(name: "bob").map { rig.gateway.devices[$0].isOnline }
    }

    @Test func anEntryOfTheTimelineFollowsRequests() throws {
        var rig = try JudgeRig(
            "",
            """
            "timeline": [{"after": {"requests": {"device": "bob", "status": 200}, "count": 2}, "do": {"device": "bob", "online": true}},
              {"at": "10m", "after": {"requests": {"device": "alice"}, "count": 1}, "do": {"device": "bob", "online": false}}],
            """)
        #expect(rig.gateway.watch.isNeeded == true)
        rig.send(to: JudgeRig.bob, topic: nil)
        rig.send(to: JudgeRig.bob)
        #expect(Self.isOnline(rig) == false && !rig.gateway.hasEffects)
        rig.send(to: JudgeRig.bob)
        #expect(Self.isOnline(rig) == true)
        // The change, and the delivery of what was stored.
        #expect(rig.gateway.takeEffects().count == 3)
        rig.send(fault: .ignored)
        #expect(rig.gateway.watch.isNeeded == false)
        _ = try rig.gateway.advance(by: 599_999)
        #expect(Self.isOnline(rig) == true)
        _ = try rig.gateway.advance(by: 1)
        #expect(Self.isOnline(rig) == false)
        // A reset lets it begin anew.
        rig.gateway.reset(at: rig.time)
        #expect(Self.isOnline(rig) == false)
        for _ in 0..<2 { rig.send(to: JudgeRig.bob) }
        #expect(Self.isOnline(rig) == true)
    }

    @Test func nobodyIsToldWhereNobodyAsks() throws {
        var rig = try JudgeRig(#"{"device": "alice", "badge": 1}, {"pings": 0}"#)
        #expect(rig.gateway.watch.isNeeded == false)
        rig.send()
        #expect(rig.passed == [false, true])
    }

    @Test func waitsForWhatIsMissing() throws {
        var rig = try JudgeRig("")
        rig.send()
        let match = try Self.match(#"{"device": "alice", "status": 200}"#, rig)
        #expect(RequestWait(for: match, count: 1, in: rig.gateway.log.snapshot).isOver)
        #expect(!RequestWait(for: match, count: 1, after: 1, in: rig.gateway.log.snapshot).isOver)
        let wait = RequestWait(for: match, count: 3, in: rig.gateway.log.snapshot)
        // What came between the snapshot and the lock counts.
        rig.send()
        rig.send(to: JudgeRig.bob)
        let id = rig.gateway.begin(wait)
        let other = rig.gateway.begin(RequestWait(for: RequestMatch(), count: 9, in: rig.gateway.log.snapshot))
        #expect(id != nil && other != nil && id != other)
        rig.send(topic: nil)
        #expect(rig.gateway.takeWoken().map(\.id) == [])
        rig.send()
        let woken = rig.gateway.takeWoken()
        #expect(woken.map(\.id) == [try #require(id)])
        #expect(woken.map(\.found?.sequences) == [[1, 2, 5]] && woken.map(\.found?.total) == [3])
        #expect(rig.gateway.takeWoken().map(\.id) == [])
        rig.gateway.cancelWait(try #require(other))
        #expect(rig.gateway.watch.isNeeded == false)
        #expect(rig.gateway.begin(wait) == nil, "there are three by now")
    }

    @Test func waitsForWhatBecomesOfAPush() throws {
        var rig = try JudgeRig("")
        let match = try Self.match(#"{"delivery": "Delivered to Device (From Storage)"}"#, rig)
        rig.send(to: JudgeRig.bob)
        let early = RequestWait(for: match, count: 1, in: rig.gateway.log.snapshot)
        let id = rig.gateway.begin(early)
        try rig.change("bob") { $0.isOnline = true }
        #expect(rig.gateway.takeWoken().map(\.id) == [try #require(id)])
        #expect(rig.gateway.begin(early) == nil, "it was delivered after the snapshot")
    }

    @Test func whereRecordsChangeOrAreForgottenTheLogIsLookedAtAgain() throws {
        var rig = try JudgeRig("")
        rig.send(to: JudgeRig.bob)
        let stored = RequestWait(
            for: try Self.match(#"{"delivery": "Delivered to Device (From Storage)"}"#, rig), count: 1,
            in: rig.gateway.log.snapshot)
        let two = RequestWait(for: RequestMatch(), count: 2, in: rig.gateway.log.snapshot)
        var ids = [rig.gateway.begin(stored), rig.gateway.begin(two)]
        try rig.change("bob") { $0.isOnline = true }
        _ = rig.gateway.deleteAllRecords()
        rig.send()
        var woken = rig.gateway.takeWoken()
        #expect(woken.map(\.id) == ids && woken.map(\.found) == [nil, nil])
        #expect(!stored.again(in: rig.gateway.log.snapshot).isOver, "it was forgotten")
        let again = two.again(in: rig.gateway.log.snapshot)
        #expect(again.found.sequences == [2] && !again.isOver)
        ids = [rig.gateway.begin(again)]
        rig.send()
        woken = rig.gateway.takeWoken()
        #expect(woken.map(\.id) == ids && woken.map(\.found?.sequences) == [[2, 3]])
    }

    @Test func anAnswerNamesAThousandAtMost() {
        var log = RequestLog()
        RecordedPush.ordinary().append(to: &log, times: 1500)
        let found = RequestWait(for: RequestMatch(), count: 1, after: 100, in: log.snapshot).found
        #expect(found.sequences == Array(101...1100) && found.total == 1400)
        let page = log.snapshot.page(of: found)
        #expect(page.count == 1000 && page.total == 1400)
    }

    @Test func aResetWakesAll() throws {
        var rig = try JudgeRig("")
        let id = rig.gateway.begin(RequestWait(for: RequestMatch(), count: 1, in: rig.gateway.log.snapshot))
        rig.gateway.reset(at: rig.time)
        #expect(rig.gateway.takeWoken().map(\.id) == [try #require(id)])
        #expect(rig.gateway.watch.isNeeded == false)
    }

    @Test func nearMissesOfAWait() throws {
        var rig = try JudgeRig("")
        for topic in ["a", "b"] { rig.send(to: JudgeRig.bob, topic: topic) }
        let match = try Self.match(#"{"device": "alice", "topic": "a"}"#, rig)
        let misses = rig.gateway.log.snapshot.nearMisses(match)
        #expect(misses.map(\.sequence) == [1, 2] && misses.map(\.differences.count) == [1, 2])
        var json: [UInt8] = []
        NearMiss.appendJSON(Array(misses.prefix(1)), to: &json)
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"[{"sequence":1,"differences":[{"field":"device","expected":"\"alice\"","found":"bob"}]}]"#)
        #expect(rig.gateway.log.snapshot.nearMisses(match, after: 1).map(\.sequence) == [2])
    }
}
