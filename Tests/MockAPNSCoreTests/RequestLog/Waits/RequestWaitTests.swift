import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

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
        _ = rig.gateway.takeEffects()
        rig.send(to: JudgeRig.bob, topic: nil)
        rig.send(to: JudgeRig.bob)
        #expect(Self.isOnline(rig) == false && !rig.gateway.hasEffects)
        rig.send(to: JudgeRig.bob)
        #expect(Self.isOnline(rig) == true)
        // The change, and the delivery of what was stored.
        #expect(rig.gateway.takeEffects().count == 3)
        rig.send(fault: .cancelled)
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

    @Test func expectationsAloneNeedNoWatch() throws {
        var rig = try JudgeRig(#"{"device": "alice", "badge": 1}, {"pings": 0}"#)
        #expect(rig.gateway.watch.isNeeded == false)
        rig.send()
        #expect(rig.passed == [false, true])
    }

    /// Begins a wait as a client of the API does; `nil` when a reset has ended it already.
    private static func begin(
        _ rig: inout JudgeRig, _ match: RequestMatch = RequestMatch(), count: Int, after: Int = 0,
        meanwhile: (inout JudgeRig) throws -> Void = { _ in }
    ) throws -> Int? {
        let (id, log) = try rig.gateway.beginWait(for: match, count: count, after: after)
        try meanwhile(&rig)
        return rig.gateway.noteFound(log.found(match, after: after), by: id) ? id : nil
    }

    @Test func waitsForWhatIsMissing() throws {
        var rig = try JudgeRig("")
        rig.send()
        let match = try Self.match(#"{"device": "alice", "status": 200}"#, rig)
        let log = rig.gateway.log.snapshot
        #expect(log.found(match, after: 0).total == 1 && log.found(match, after: 1).total == 0)
        // What comes while the log is searched counts, once.
        let id = try Self.begin(&rig, match, count: 3) { rig in
            rig.send()
            rig.send(to: JudgeRig.bob)
        }
        let other = try Self.begin(&rig, count: 9)
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
    }

    @Test func waitsFulfilledAtTheStartWakeAtOnce() throws {
        var rig = try JudgeRig("")
        rig.send()
        let id = try Self.begin(&rig, count: 2) { $0.send() }
        let woken = rig.gateway.takeWoken()
        #expect(woken.map(\.id) == [try #require(id)] && woken.map(\.found?.sequences) == [[1, 2]])
    }

    @Test func waitsForWhatBecomesOfAPush() throws {
        var rig = try JudgeRig("")
        let match = try Self.match(#"{"delivery": "Delivered to Device (From Storage)"}"#, rig)
        rig.send(to: JudgeRig.bob)
        let id = try Self.begin(&rig, match, count: 1)
        try rig.change("bob") { $0.isOnline = true }
        #expect(rig.gateway.takeWoken().map(\.id) == [try #require(id)])
        #expect(rig.gateway.log.snapshot.found(match, after: 0).sequences == [1])
    }

    @Test func whatChangesWhileTheLogIsSearchedCounts() throws {
        var rig = try JudgeRig("")
        rig.send(to: JudgeRig.bob)
        let match = try Self.match(#"{"delivery": "Delivered to Device (From Storage)"}"#, rig)
        let stored = try Self.match(#"{"delivery": "Stored - Device Offline"}"#, rig)
        let id = try Self.begin(&rig, match, count: 1) { rig in try rig.change("bob") { $0.isOnline = true } }
        #expect(rig.gateway.takeWoken().map(\.id) == [try #require(id)])
        // And what no longer fulfils the match is not counted.
        try rig.change("bob") { $0.isOnline = false }
        rig.send(to: JudgeRig.bob)
        _ = try Self.begin(&rig, stored, count: 1) { rig in try rig.change("bob") { $0.isOnline = true } }
        #expect(rig.gateway.takeWoken().map(\.id) == [])
    }

    @Test func changedOrForgottenRecordsCauseANewSearch() throws {
        var rig = try JudgeRig("")
        rig.send(to: JudgeRig.bob)
        let match = try Self.match(#"{"delivery": "Delivered to Device (From Storage)"}"#, rig)
        let stored = try Self.begin(&rig, match, count: 1)
        let two = try Self.begin(&rig, count: 2)
        try rig.change("bob") { $0.isOnline = true }
        _ = rig.gateway.deleteAllRecords()
        rig.send()
        var woken = rig.gateway.takeWoken()
        #expect(woken.map(\.id) == [stored, two] && woken.map(\.found) == [nil, nil])
        #expect(rig.gateway.log.snapshot.found(match, after: 0).total == 0, "it was forgotten")
        let again = try Self.begin(&rig, count: 2)
        rig.send()
        woken = rig.gateway.takeWoken()
        #expect(woken.map(\.id) == [again] && woken.map(\.found?.sequences) == [[2, 3]])
    }

    @Test func anAnswerNamesAThousandAtMost() {
        var log = RequestLog()
        RecordedPush.ordinary().append(to: &log, times: 1500)
        let found = log.snapshot.found(RequestMatch(), after: 100)
        #expect(found.sequences == Array(101...1100) && found.total == 1400)
        let page = RequestPage(of: found, in: log.snapshot)
        #expect(page.count == 1000 && page.total == 1400)
        #expect((found + found).sequences == found.sequences && (found + found).total == 2800)
    }

    @Test(arguments: [Int.min, -1, 0, 2999, 3000, 3001, Int.max])
    func anySequenceNumberCanBeTheOneBefore(after: Int) {
        var log = RequestLog()
        RecordedPush.ordinary().append(to: &log, times: 3000)
        #expect(log.snapshot.found(RequestMatch(), after: after).total == (after > 0 ? max(0, 3000 - after) : 3000))
    }

    @Test func aResetWakesAll() throws {
        var rig = try JudgeRig("")
        let id = try Self.begin(&rig, count: 1)
        rig.gateway.reset(at: rig.time)
        #expect(rig.gateway.takeWoken().map(\.id) == [try #require(id)])
        #expect(rig.gateway.watch.isNeeded == false)
        #expect(try Self.begin(&rig, count: 1) { $0.gateway.reset(at: $0.time) } == nil, "it has to begin anew")
    }

    @Test func numbersOfBeforeAResetDeleteNothing() throws {
        var rig = try JudgeRig("")
        rig.send()
        let log = rig.gateway.log.snapshot
        rig.gateway.reset(at: rig.time)
        rig.send()
        #expect(rig.gateway.deleteRecords([1], foundIn: log) == nil && rig.gateway.log.count == 1)
        #expect(rig.gateway.deleteRecords([1], foundIn: rig.gateway.log.snapshot) == 1)
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
