import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// The logs of several servers, judged as one.
@Suite struct MergedLogsTests {
    /// What two servers wrote that played the same scenario.
    private struct Pair: ~Copyable {
        var first: RecordedRig
        var second: RecordedRig

        init(_ expectations: String, _ more: String = "") throws {
            let first = try RecordedRig(expectations, more)
            let second = try RecordedRig(expectations, more)
            self.first = first
            self.second = second
        }

        /// Sends a push to each in turn, the first one to the first, so many milliseconds apart.
        mutating func sendInTurn(_ pushes: [ExamplePush], apart: Int64 = 1000) {
            let start = first.rig.time
            for (index, push) in pushes.enumerated() {
                let time = Timestamp(milliseconds: start.milliseconds + Int64(index) * apart)
                (first.rig.time, second.rig.time) = (time, time)
                if index.isMultiple(of: 2) { first.send(push) } else { second.send(push) }
            }
        }

        func merged() throws -> (verification: Verification, remarks: [String]) {
            let scenario = first.rig.gateway.scenario
            let histories = [
                try RecordedHistory(named: "a.jsonl", of: scenario, first.lines),
                try RecordedHistory(named: "b.jsonl", of: scenario, second.lines),
            ]
            let logs = MergedLogs(histories, of: scenario)
            return (logs.input.verify(), logs.remarks)
        }
    }

    @Test("Requests, connections, PING frames and devices are counted in all logs, a provider token of both once")
    func counts() throws {
        var pair = try Pair(
            """
            {"requests": {"status": 200}, "count": 4}, {"connections": 3}, {"pings": 5}, {"providerTokens": 1},
            {"device": "alice", "received": 4}
            """)
        let second = pair.second.open()
        pair.sendInTurn([ExamplePush(), ExamplePush(), ExamplePush(), ExamplePush()])
        pair.first.close(pair.first.rig.connection, pings: 2)
        pair.second.close(second, pings: 3)
        let (verification, remarks) = try pair.merged()
        #expect(verification.passed, "\(verification)")
        #expect(remarks.count == 1 && remarks[0].hasPrefix("b.jsonl: The end of 1 connection is not in the log"))
    }

    @Test("Provider tokens are told apart by what they say, not by their numbers in the logs")
    func providerTokens() throws {
        var pair = try Pair(#"{"providerTokens": 3}"#)
        let issued = ["1795255100", "1795255101", "1795255102", "1795255100"]
        pair.sendInTurn(issued.map { time in ExamplePush { $0.token = ExamplePush.bearer(issuedAt: time) } })
        let verification = try pair.merged().verification
        #expect(verification.passed, "\(verification)")
    }

    @Test("The order is that of the times, across logs; reports name each request by its log")
    func order() throws {
        var pair = try Pair(
            """
            {"inOrder": [{"topic": "com.example.one"}, {"topic": "com.example.two"}, {"topic": "com.example.three"}]},
            {"inOrder": [{"topic": "com.example.two"}, {"topic": "com.example.one"}]},
            {"requests": {"topic": "com.example.two"}, "count": 2},
            {"spacing": {"requests": {}, "atLeast": "2s"}}
            """)
        pair.sendInTurn(["one", "two", "three"].map { name in ExamplePush { $0.topic = "com.example." + name } })
        let results = try pair.merged().verification.results
        #expect(results.map(\.passed) == [true, false, false, false])
        #expect(results[1].seen.contains("step 1 (request 1 of b.jsonl)"))
        #expect(
            results[1].nearMisses.contains { $0.description.contains("of a.jsonl") && $0.sequence == 1 },
            "\(results[1])")
        #expect(results[2].seen == "1 request, number 1 of b.jsonl")
        #expect(results[3].seen.contains("between requests 1 of a.jsonl and 1 of b.jsonl"))
    }

    @Test(
        "Requests in different logs that are closer than the clocks agree are told of, where the order matters",
        arguments: [
            (#"{"inOrder": [{}]}"#, 49, true), (#"{"inOrder": [{}]}"#, 50, false),
            (#"{"requests": {}, "count": 3}"#, 1, false),
        ])
    func uncertainOrder(expectation: String, apart: Int, isTold: Bool) throws {
        var pair = try Pair(expectation)
        pair.sendInTurn([ExamplePush(), ExamplePush(), ExamplePush()], apart: Int64(apart))
        let remarks = try pair.merged().remarks
        #expect(remarks.contains { $0.hasPrefix("2 requests came less than 50 ms after one in another log") } == isTold)
    }

    @Test("Requests of one log close together are in the order of its lines")
    func certainOrder() throws {
        var pair = try Pair(#"{"inOrder": [{}]}"#)
        pair.first.send(ExamplePush())
        pair.first.send(ExamplePush())
        // Its clock is set back.
        pair.first.rig.time.milliseconds -= 60_000
        pair.first.send(ExamplePush())
        #expect(try pair.merged().remarks.isEmpty)
    }

    @Test("A change belongs to the request of its own log")
    func changes() throws {
        var pair = try Pair(
            """
            {"requests": {"delivery": "Delivered to Device (From Storage)"}, "count": 1},
            {"requests": {"device": "bob", "delivery": "Delivered to Device (From Storage)"}, "count": 1}
            """)
        let toBob = ExamplePush { $0.path = "/3/device/" + JudgeRig.bob }
        pair.sendInTurn([ExamplePush(), toBob, ExamplePush()])
        try pair.second.change("bob") { $0.isOnline = true }
        let verification = try pair.merged().verification
        #expect(verification.passed, "\(verification)")
    }

    @Test("A connection that was open before a reset is none of the run")
    func connectionsOfBefore() throws {
        var pair = try Pair(
            """
            {"connections": 1}, {"requests": {}, "count": 2}, {"requests": {"connection": 1}, "count": 1}
            """)
        pair.sendInTurn([ExamplePush(), ExamplePush()])
        for index in 0..<2 {
            func reset(_ rig: inout JudgeRig) { rig.gateway.reset(at: rig.time) }
            if index == 0 { pair.first.work(reset) } else { pair.second.work(reset) }
            let line = #"{"event":"reset","time":"2026-11-21T10:01:00.000Z"}"# + "\n"
            if index == 0 { pair.first.append(line) } else { pair.second.append(line) }
        }
        let fresh = pair.second.open(after: 120_000)
        pair.second.send(ExamplePush(), on: fresh)
        pair.first.rig.time = pair.second.rig.time
        pair.first.send(ExamplePush())
        let verification = try pair.merged().verification
        #expect(verification.passed, "\(verification)")
    }

    @Test("What a log lacks fails what depends on it, and is told with the log's name")
    func gaps() throws {
        var pair = try Pair(#"{"requests": {}, "count": {"atLeast": 1}}"#)
        pair.sendInTurn([ExamplePush(), ExamplePush(), ExamplePush(), ExamplePush(), ExamplePush(), ExamplePush()])
        let lines = pair.second.lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let lost = try #require(lines.firstIndex { String(decoding: $0, as: UTF8.self).contains(#""sequence":2,"#) })
        pair.second.lines = Array((lines[..<lost] + lines[(lost + 1)...]).joined(separator: [10]))
        let (verification, remarks) = try pair.merged()
        #expect(verification.results[0].seen == "unknown: the log lacks 1 request")
        #expect(remarks == ["b.jsonl: The log lacks 1 request."])
    }

    @Test("A stored push that a push to another replica of a fleet replaced is not stored any more")
    func replacedOnAnotherReplica() throws {
        var pair = try Pair(#"{"device": "bob", "stored": 0}"#)
        pair.first.send(
            ExamplePush {
                $0.path = "/3/device/" + JudgeRig.bob
                $0.fields = [("apns-expiration", "99999999999")]
            })
        #expect(try !pair.merged().verification.passed)
        let update = RequestUpdate(replacedBy: FleetOrder.firstNumber + 1)
        let now = pair.first.rig.time
        LogEvent.update(UpdateEvent(of: 1, update, clock: now)).appendLine(at: now, to: &pair.first.lines)
        #expect(try pair.merged().verification.passed)
    }

    /// All replicas of an ordered fleet say what it does, by its number in the fleet's order.
    @Test func onlyItsOwnLogSaysWhatAPushDoes() throws {
        var pair = try Pair(#"{"device": "alice", "activities": []}"#)
        let now = pair.first.rig.time
        let alice = try #require(DeviceToken(hex: JudgeRig.alice))
        var change = ActivityChange(.started, name: "match", channel: "dGVzdC1jaGFubmVsLWlkLg==")
        change.sequence = FleetOrder.firstNumber + 1
        LogEvent.activity(ActivityEvent(clock: now, device: alice, deviceName: "alice", change: change))
            .appendLine(at: now, to: &pair.first.lines)
        let verification = try pair.merged().verification
        #expect(verification.passed, "\(verification)")
    }

    @Test("Beside a log in which nothing happened, a log is judged as it is alone")
    func besideAnEmptyOne() throws {
        var rig = try RecordedRig(RecordedLogTests.expectations, RecordedLogTests.script)
        try RecordedLogTests.play(&rig)
        let scenario = rig.rig.gateway.scenario
        let alone = try rig.recorded().input.verify()
        let idle = Array(
            #"{"event":"scenario","time":"2026-11-21T09:00:00.000Z","clock":"2026-11-21T09:00:00.000Z","state":"started","scenario":null,"seed":1}"#
                .utf8)
        let merged = MergedLogs(
            [
                try RecordedHistory(named: "idle.jsonl", of: scenario, idle + [10]),
                try RecordedHistory(named: "b.jsonl", of: scenario, rig.lines),
            ], of: scenario
        ).input.verify()
        let text = String(decoding: merged.json, as: UTF8.self)
        #expect(text.contains("of b.jsonl"))
        #expect(
            text.replacing(" of b.jsonl", with: "").replacing(#""log":"b.jsonl","#, with: "")
                == String(decoding: alone.json, as: UTF8.self))
    }
}
