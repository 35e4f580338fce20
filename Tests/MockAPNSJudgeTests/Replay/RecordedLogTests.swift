import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// Logs that were written are read back: the same records, and the same verdicts to the letter.
@Suite struct RecordedLogTests {
    static let script = """
        "rules": [
          {"name": "busy \\"1\\"", "when": {"payload": {"/busy": true}}, "then": {"reject": "TooManyRequests", "deliver": true}},
          {"name": "slow", "when": {"payload": {"/slow": true}}, "then": {"pass": true, "delay": "5s"}},
          {"name": "stall", "when": {"payload": {"/stall": true}}, "then": {"stall": true}}],
        """

    static let expectations = [
        #""requests": {"status": 200}, "count": 1"#, #""nothingElse": true"#, #""requests": {}, "count": 1"#,
        #""requests": {"status": 200, "device": "bob"}, "count": {"atLeast": 30}"#,
        #""requests": {"decidedBy": "rule:busy \"1\""}, "count": 2"#,
        #""requests": {"decidedBy": "checks", "reason": {"exists": true}}, "count": 0"#,
        #""requests": {"outcome": "delayed"}, "count": 0"#,
        #""requests": {"outcome": "cancelled"}, "count": 9"#,
        #""requests": {"delivery": "Discarded - Expired"}, "count": 9"#,
        #""requests": {"serverName": {"exists": true}}, "count": 0"#,
        #""requests": {"serverName": "push.example", "requestOnConnection": 2}, "count": 2"#,
        #""requests": {"requestOnConnection": {"atLeast": 3}}, "count": 0"#,
        #""requests": {"providerToken": 2, "connection": {"atMost": 2}}, "count": 0"#,
        #""requests": {"keyID": "ABC123DEFG"}, "count": 1, "distinct": "apnsID""#,
        #""requests": {"header": {"x-odd": {"contains": "\u00e9"}}}, "count": 0"#,
        #""requests": {"header": {"authorization": {"exists": true}}}, "count": 0"#,
        #""requests": {"payload": {"/aps/alert": {"exists": true}}}, "count": 0"#,
        #""requests": {"payloadBytes": {"atLeast": 30}}, "count": 0"#,
        #""requests": {"body": {"matches": "[^{].*"}}, "count": 0"#,
        #""requests": {"topic": {"exists": true}, "priority": 5, "expiration": {"atLeast": 0}}, "count": 5"#,
        #""requests": {"collapseID": "score"}, "count": 0, "each": "device""#,
        #""inOrder": [{"status": 429}, {"delivery": "Delivered to Device (From Storage)"}, {"status": 500}]"#,
        #""inOrder": [{"status": 200}, {"status": 599}], "each": "connection""#,
        #""spacing": {"requests": {"device": "alice"}, "atLeast": "2s"}"#,
        #""spacing": {"connections": true, "atLeast": "1m"}"#,
        #""device": "alice", "displayed": [{"/aps/alert": "?"}], "badge": 99, "stored": 7, "received": 77"#,
        #""device": "alice", "history": {"shown": 99}"#,
        #""device": "bob", "displayed": [{}], "badge": 4, "stored": 8, "received": 99"#,
        #""connections": 9"#, #""providerTokens": 9"#, #""pings": 99"#,
    ].map { "{\($0)}" }.joined(separator: ",\n")

    /// Everything that can become of a push.
    static func play(_ rig: inout RecordedRig) throws {
        let toBob = "/3/device/" + JudgeRig.bob
        let tokens = (0..<3).map { ExamplePush.bearer(signature: Array(repeating: UInt8($0), count: 64)) }
        var facts = ConnectionFacts.example
        facts.serverName = "push.example"
        let second = rig.open(facts, after: 1500)
        rig.send(ExamplePush { $0.body = Array(#"{"aps":{"alert":"a","badge":2},"busy":true}"#.utf8) })
        rig.send(ExamplePush { $0.body = Array("{ \"aps\" : {\"alert\" : \"a b\"}, \"a\":1, \"a\": 1.50 }\n".utf8) })
        rig.send(ExamplePush(("apns-collapse-id", "score")), on: second)
        rig.send(ExamplePush(("apns-collapse-id", "score"), ("apns-priority", "5")), on: second)
        for (number, token) in tokens.enumerated() {
            rig.send(ExamplePush { $0.token = token }, on: number == 2 ? second : nil)
        }
        rig.send(ExamplePush { $0.token = "bearer a.b.c.d" })
        rig.send(ExamplePush { $0.token = "basic abc.def.ghi" })
        rig.send(ExamplePush { $0.token = nil })
        rig.send(ExamplePush { $0.fields = [("authorization", ExamplePush.bearer())] })
        rig.send(ExamplePush { $0.topic = nil })
        rig.send(ExamplePush(("x-odd", "é\"\\\u{1}"), ("apns-id", "12345678-ABCD-abcd-1234-123456789aBc")))
        rig.send(ExamplePush(("apns-id", "no id"), ("apns-push-type", "odd"), ("apns-expiration", "0")))
        rig.send(ExamplePush { $0.body = Array("no JSON \u{7}".utf8) })
        rig.send(ExamplePush { $0.body = [0xFF, 0, 0xFE, 7] })
        rig.send(ExamplePush { $0.body = [] })
        rig.send(
            ExamplePush {
                $0.body = Array(String(repeating: "{\"é\":", count: 1500).utf8)
                $0.bodyLength = 90_000
            })
        rig.send(ExamplePush { $0.path = "/3/device/none" })
        rig.send(ExamplePush { ($0.method, $0.path) = ("GET", "/") })
        rig.send(ExamplePush { ($0.method, $0.path, $0.fault) = (nil, nil, .malformed("\"odd\"")) })
        rig.send(ExamplePush { $0.fault = .refused }, on: second)
        rig.send(ExamplePush { $0.fault = .cancelled }, on: second)
        let before = rig.rig.gateway.log.latestSequence
        for topic in ["com.example.app", "com.example.app", "com.example.app.voip", "com.example.app.complication"] {
            rig.send(
                ExamplePush {
                    ($0.path, $0.topic) = (toBob, topic)
                    $0.fields = topic.hasSuffix("n") ? [("apns-expiration", "1795255210")] : []
                    $0.body = Array(#"{"aps":{"alert":"\#(topic)","badge":3}}"#.utf8)
                })
        }
        #expect(rig.rig.gateway.log.latestSequence == before + 4)
        rig.rig.time.milliseconds += 60_000
        rig.note(try rig.rig.gateway.advance(by: 60_000))
        try rig.change("bob") { $0.isOnline = true }
        try rig.change("bob") { $0.savesPower = true }
        rig.send(
            ExamplePush {
                $0.path = toBob
                $0.fields = [("apns-priority", "5")]
            })
        rig.send(
            ExamplePush {
                $0.path = toBob
                $0.fields = [("apns-priority", "10")]
            })
        let slow = #"{"aps":{},"slow":true}"#
        for _ in 0..<3 {
            rig.send(ExamplePush { $0.body = Array(slow.utf8) })
        }
        rig.close(second, pings: 3)
    }

    @Test("Records read back are written as before, and expectations of every form are judged the same")
    func roundTrip() throws {
        var rig = try RecordedRig(Self.expectations, Self.script)
        try Self.play(&rig)
        let live = rig.rig.gateway.log.snapshot
        let own = rig.rig.gateway.verificationInput(at: GatewayRig.now).verify()
        #expect(live.texts.count > 30)
        for pieces in [1, 1000, 1_000_000] {
            let (input, remarks) = try rig.recorded(pieces: pieces)
            #expect(input.log.texts == live.texts)
            let recorded = input.verify()
            #expect(recorded.results.count == own.results.count)
            for (one, other) in zip(recorded.results, own.results) { #expect(one.description == other.description) }
            #expect(remarks == ["The end of 1 connection is not in the log, so PING frames on them were not counted."])
        }
        // So that each of them says what was seen.
        for result in own.results { #expect(!result.passed, "\(result)") }
    }

    @Test("Updates are applied: of delayed answers, of stored pushes")
    func updates() throws {
        var rig = try RecordedRig(
            #"{"requests": {"outcome": "responded"}, "count": 1}, {"requests": {"outcome": "cancelled"}, "count": 1}"#,
            Self.script)
        var plans: [PlannedResponse] = []
        for _ in 0..<3 {
            rig.work { rig in
                if let plan = rig.send(body: #"{"slow":true}"#).response { plans.append(plan) }
            }
        }
        rig.work { _ = $0.gateway.due(plans[2], latencyMicroseconds: 77, at: $0.time) }
        rig.work { $0.gateway.abandon(plans[0], at: $0.time) }
        let (input, _) = try rig.recorded()
        #expect(input.verify().passed)
        #expect(input.log.texts == rig.rig.gateway.log.snapshot.texts)
        #expect(input.log.texts[2].contains(#""latencyMicroseconds":77"#))
    }

    @Test("The bound of the server's own log does not matter")
    func bound() throws {
        var rig = try RecordedRig(#"{"requests": {"device": "alice"}, "count": 50}"#, logLimit: 1)
        for _ in 0..<50 { rig.send(ExamplePush()) }
        #expect(try rig.recorded().input.verify().passed)
    }

    @Test("Body and payload: white space is not in the log, digits and equal keys are")
    func bodies() throws {
        var rig = try RecordedRig("")
        rig.send(ExamplePush { $0.body = Array("{ \"n\" : 1.50e2 , \"n\":2 }".utf8) })
        let log = try rig.recorded().input.log
        func count(_ text: String) throws -> Int {
            let (match, mistakes) = Scenario().match(from: try JSONText.read(Array(text.utf8)))
            #expect(mistakes.isEmpty)
            return log.count(RequestMatch(try #require(match), in: Scenario()))
        }
        #expect(try count(#"{"body": "{\"n\":1.50e2,\"n\":2}", "payloadBytes": 24, "payload": {"/n": 2}}"#) == 1)
    }

    @Test("The names of devices are those of the scenario that judges, which may be newer than the log")
    func devicesOfALaterScenario() throws {
        var rig = try RecordedRig("")
        for path in [JudgeRig.alice, JudgeRig.bob, String(repeating: "c0", count: 32)] {
            rig.send(ExamplePush { $0.path = "/3/device/" + path })
        }
        let text = #"""
            {"devices": [{"name": "phone", "token": "\#(JudgeRig.alice)"},
              {"name": "tablet", "token": "\#(String(repeating: "C0", count: 32))"}],
             "expect": [{"requests": {"device": "phone"}, "count": 1}, {"requests": {"device": "tablet"}, "count": 1},
              {"device": "phone", "received": 1}]}
            """#
        let (scenario, mistakes) = Scenario.read(Array(text.utf8))
        let verification = try RecordedLog.read(rig.lines, #require(scenario, "\(mistakes)")).input.verify()
        #expect(verification.passed, "\(verification)")
        // What it does not declare keeps the name of the log.
        let log = try RecordedLog.read(rig.lines, #require(scenario)).input.log
        #expect(log.texts.map { $0.contains(#""device":"bob""#) } == [false, true, false])
    }

    private static let later = GatewayRig.now.advanced(by: 90_000)

    @Test(
        "Devices are judged at the latest time that a line tells",
        arguments: [
            LogEvent.update(UpdateEvent(of: 1, RequestUpdate(), clock: later)),
            .rule(RuleEvent(state: .removed, clock: later, rule: "slow")),
            .clock(ClockEvent(from: GatewayRig.now, to: later)),
        ])
    func latestTime(event: LogEvent) throws {
        var rig = try RecordedRig("")
        rig.send(ExamplePush())
        event.appendLine(at: rig.rig.time, to: &rig.lines)
        #expect(try rig.recorded().input.devices[0]?.time == Self.later)
    }

    // MARK: Runs

    @Test("A reset begins anew: requests, devices and connections of before do not count")
    func reset() throws {
        var rig = try RecordedRig(
            """
            {"requests": {}, "count": 2}, {"connections": 1}, {"pings": 2},
            {"spacing": {"connections": true, "atLeast": "1s"}, "orNone": true},
            {"device": "alice", "displayed": [{}], "received": 1}, {"device": "bob", "stored": 0},
            {"requests": {"requestOnConnection": 4, "serverName": {"exists": false}}, "count": 1}
            """)
        let old = rig.open(after: 1)
        for _ in 0..<3 { rig.send(ExamplePush()) }
        rig.send(ExamplePush { $0.path = "/3/device/" + JudgeRig.bob })
        rig.close(old, pings: 5)
        rig.work { $0.gateway.reset(at: $0.time) }
        LogEvent.reset.appendLine(at: rig.rig.time, to: &rig.lines)
        #expect(
            try rig.recorded().input.verify().json
                == rig.rig.gateway.verificationInput(at: GatewayRig.now).verify().json)
        rig.send(ExamplePush())
        let new = rig.open(after: 1)
        rig.send(ExamplePush(), on: new)
        rig.close(new, pings: 2)
        let (input, remarks) = try rig.recorded()
        let live = rig.rig.gateway.verificationInput(at: GatewayRig.now).verify()
        #expect(input.verify().json == live.json)
        #expect(live.results.map(\.passed) == [true, true, true, true, false, true, false])
        #expect(remarks.first == "The log holds 2 runs; the last one was judged.")
    }

    @Test("Another scenario is judged from its beginning")
    func play() throws {
        var rig = try RecordedRig(
            #"{"requests": {}, "count": 1}, {"device": "alice", "received": 1}, {"connections": 1}"#)
        for _ in 0..<3 { rig.send(ExamplePush()) }
        rig.send(ExamplePush { $0.path = "/3/device/" + JudgeRig.bob })
        rig.work { rig in
            rig.gateway.play(rig.gateway.scenario, rig.gateway.configuration, at: rig.time)
        }
        rig.send(ExamplePush())
        let (input, remarks) = try rig.recorded()
        #expect(input.verify().passed)
        #expect(input.verify().json == rig.rig.gateway.verificationInput(at: GatewayRig.now).verify().json)
        #expect(input.log.texts.map { $0.contains(#""sequence":5,"#) } == [true])
        #expect(remarks == ["The log holds 2 runs; the last one was judged."])
    }

    @Test("Of the runs of several servers in one file the last is judged")
    func servers() throws {
        let expected = #"{"requests": {}, "count": 2}, {"connections": 1}, {"device": "alice", "received": 2}"#
        var first = try RecordedRig(expected)
        for _ in 0..<7 { first.send(ExamplePush()) }
        var second = try RecordedRig(expected)
        for _ in 0..<2 { second.send(ExamplePush()) }
        let (input, remarks) = try RecordedLog.read(first.lines + second.lines, second.rig.gateway.scenario)
        #expect(input.verify().passed)
        #expect(remarks == ["The log holds 2 runs; the last one was judged."])
    }

    @Test("A run in which nothing was sent is a run: the good one before it is not judged")
    func emptyRun() throws {
        let expected = #"{"requests": {}, "count": 2}, {"connections": 1}"#
        var first = try RecordedRig(expected)
        first.start()
        _ = first.open()
        for _ in 0..<2 { first.send(ExamplePush()) }
        let good = try first.recorded()
        #expect(good.input.verify().passed)
        #expect(good.remarks.isEmpty)
        var second = try RecordedRig(expected)
        second.start()
        let (input, remarks) = try RecordedLog.read(first.lines + second.lines, second.rig.gateway.scenario)
        #expect(input.verify().results.map(\.passed) == [false, false])
        #expect(remarks == ["The log holds 2 runs; the last one was judged."])
    }

    @Test("A reset before anything has happened, as when a replica joins, makes no second run")
    func resetAtFirst() throws {
        var rig = try RecordedRig(#"{"requests": {}, "count": 1}"#)
        rig.start()
        LogEvent.reset.appendLine(at: rig.rig.time, to: &rig.lines)
        rig.send(ExamplePush(), on: rig.open())
        let (input, remarks) = try rig.recorded()
        #expect(input.verify().passed)
        #expect(remarks.isEmpty)
    }

    @Test(
        "A reset after anything has happened begins a second run",
        arguments: ["connection", "lost lines", "a torn line", "a beginning elsewhere"])
    func resetLater(what: String) throws {
        var rig = try RecordedRig(#"{"requests": {}, "count": 1}"#)
        if what == "a beginning elsewhere" {
            rig.send(ExamplePush())
            rig.lines = []
            rig.rig.gateway.continuation.appendLine(at: rig.rig.time, to: &rig.lines)
        } else {
            rig.start()
        }
        switch what {
        case "connection": _ = rig.open()
        case "lost lines": LogEvent.log(.lost(lines: 2)).appendLine(at: rig.rig.time, to: &rig.lines)
        case "a torn line": rig.lines += Array((#"{"event":"request","seq"# + "\n").utf8)
        default: break
        }
        LogEvent.reset.appendLine(at: rig.rig.time, to: &rig.lines)
        rig.send(ExamplePush(), on: rig.open())
        #expect(try rig.recorded().remarks.contains("The log holds 2 runs; the last one was judged."))
    }

    @Test("What happens to devices before the first connection belongs to the run that has started")
    func beforeTheFirstConnection() throws {
        let expected = #"{"device": "alice", "received": 0}"#
        var first = try RecordedRig(expected)
        first.start()
        first.send(ExamplePush())
        var second = try RecordedRig(expected)
        second.start()
        let alice = second.rig.gateway.devices.find(name: "alice")
        second.note(second.rig.gateway.remove(try #require(alice), at: second.rig.time))
        _ = second.open()
        let (input, _) = try RecordedLog.read(first.lines + second.lines, second.rig.gateway.scenario)
        #expect(input.verify().results[0].seen == "alice is no longer known")
    }

    @Test("A device that was removed is no longer known, until something is pushed to it")
    func removedDevices() throws {
        var rig = try RecordedRig(#"{"device": "alice", "received": 1}"#)
        rig.send(ExamplePush())
        let alice = rig.rig.gateway.devices.find(name: "alice")
        rig.note(rig.rig.gateway.remove(try #require(alice), at: rig.rig.time))
        #expect(try rig.recorded().input.verify().results[0].seen == "alice is no longer known")
        rig.send(ExamplePush())
        #expect(try rig.recorded().input.verify().passed)
    }

    // MARK: Damage

    @Test("A last line that breaks off is let pass, wherever it does")
    func cutOff() throws {
        var rig = try RecordedRig(#"{"requests": {}, "count": 1}"#)
        rig.send(ExamplePush())
        let whole = rig.lines.count
        rig.send(ExamplePush(("x-odd", "é")))
        for end in whole + 1..<rig.lines.count - 1 {
            let (input, remarks) = try RecordedLog.read(Array(rig.lines[..<end]), rig.rig.gateway.scenario)
            #expect(input.verify().passed)
            #expect(remarks == ["The last line of the log is truncated; it was ignored."])
        }
        let (input, remarks) = try RecordedLog.read(rig.lines.dropLast(), rig.rig.gateway.scenario)
        #expect(input.log.latestSequence == 2 && remarks.isEmpty)
    }

    @Test("A torn line costs itself, wherever it breaks off, and not the run that goes on in the same line")
    func glued() throws {
        var first = try RecordedRig("")
        first.start()
        first.send(ExamplePush { $0.body = Array(#"{"event":"request","aps":{"event":"reset"}}"#.utf8) })
        let whole = first.lines.count
        first.send(ExamplePush { $0.body = Array(#"{"event":"clock","aps":{"event":"reset"}}"#.utf8) })
        var second = try RecordedRig(#"{"requests": {}, "count": 2}, {"device": "alice", "received": 2}"#)
        second.start()
        for _ in 0..<2 { second.send(ExamplePush { $0.body = Array(#"{"event":{"event":"reset"}}"#.utf8) }) }
        // Also right behind something in a payload that looks like a line.
        let text = String(decoding: first.lines, as: UTF8.self)
        let inPayload = try #require(text.ranges(of: #"{"event":"reset"}"#).last).upperBound
        let behind = text.utf8.distance(from: text.startIndex, to: inPayload)
        for (separator, step) in [("", 5), ("\n", 17), ("\u{0}\u{0}", 17)] {
            let ends = Array(stride(from: whole + 1, to: first.lines.count, by: step))
            for end in ends + [behind, first.lines.count - 1] {
                let lines = first.lines[..<end] + Array(separator.utf8) + second.lines
                let (input, remarks) = try RecordedLog.read(Array(lines), second.rig.gateway.scenario)
                let isTorn = end < first.lines.count - 1 || separator != "\n"
                #expect(input.verify().passed, "\(end)")
                #expect(
                    remarks == (isTorn ? ["Line 3 of the log is truncated; it was skipped."] : [])
                        + ["The log holds 2 runs; the last one was judged."],
                    "\(end)")
            }
        }
    }

    @Test("A torn line in the middle of a run: what it may have told cannot be told")
    func tornWithin() throws {
        var rig = try RecordedRig(#"{"requests": {}, "count": {"atLeast": 1}}, {"connections": 1}, {"pings": 0}"#)
        rig.start()
        let connection = rig.open()
        for _ in 0..<3 { rig.send(ExamplePush(), on: connection) }
        rig.close(connection)
        let lines = rig.lines.split(separator: UInt8(ascii: "\n"))
        func judged(_ torn: Int) throws -> (seen: [String], remarks: [String]) {
            var lines = lines
            lines[torn] = lines[torn].dropLast(5)
            let (input, remarks) = try RecordedLog.read(
                Array(lines.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")], rig.rig.gateway.scenario)
            return (input.verify().results.filter { !$0.passed }.map(\.seen), remarks)
        }
        // A request whose number is missing later.
        let request = try judged(3)
        #expect(request.seen == ["unknown: the log lacks 1 request"])
        #expect(
            request.remarks == [
                "Line 4 of the log is truncated; it was skipped.", "The log lacks 1 request.",
            ])
        // The line before the last may have been anything.
        let last = try judged(4)
        #expect(last.seen == Array(repeating: "unknown: the log lacks 1 line", count: 3))
    }

    @Test("Lines that a server could not write are missed, also those of no request")
    func lost() throws {
        var rig = try RecordedRig(#"{"requests": {}, "count": 4}, {"connections": 1}"#)
        rig.start()
        _ = rig.open()
        rig.send(ExamplePush())
        let before = rig.lines
        rig.lines = []
        for _ in 0..<2 { rig.send(ExamplePush()) }
        rig.lines = []
        rig.send(ExamplePush())
        for (lines, connections) in [(2, true), (3, false)] {
            var gap: [UInt8] = []
            LogEvent.log(.lost(lines: lines)).appendLine(at: rig.rig.time, to: &gap)
            let (input, remarks) = try RecordedLog.read(before + gap + rig.lines, rig.rig.gateway.scenario)
            #expect(input.verify().results.map(\.passed) == [false, connections])
            #expect(
                remarks == ["The log lacks 2 requests."]
                    + (connections ? [] : ["The log lacks 1 other line."]))
        }
    }

    @Test("A run that goes on in another file is judged when both are put together, and not by the other alone")
    func reopened() throws {
        var rig = try RecordedRig(
            #"{"requests": {}, "count": 5}, {"connections": 1}, {"device": "alice", "received": 5}"#)
        rig.start()
        _ = rig.open()
        for _ in 0..<2 { rig.send(ExamplePush()) }
        let first = rig.lines
        rig.lines = []
        rig.rig.gateway.continuation.appendLine(at: rig.rig.time, to: &rig.lines)
        for _ in 0..<3 { rig.send(ExamplePush()) }
        let scenario = rig.rig.gateway.scenario
        let both = try RecordedLog.read(first + rig.lines, scenario)
        #expect(both.input.verify().passed && both.remarks.isEmpty)
        let (input, remarks) = try RecordedLog.read(rig.lines, scenario)
        let results = input.verify().results
        #expect(
            results.map(\.seen) == Array(repeating: "unknown: the run started in another file", count: 3)
        )
        #expect(results.allSatisfy { !$0.passed })
        #expect(remarks == ["The log continues a run that started in another file; judge them as one file."])
        #expect(input.log.texts.count == 3 && input.log.latestSequence == 5)
        // Behind the log of another server it is a run of its own.
        var other = try RecordedRig("")
        other.start()
        let mixed = try RecordedLog.read(
            Array(String(decoding: other.lines, as: UTF8.self).replacing(#""seed":"#, with: #""seed":9"#).utf8)
                + rig.lines, scenario)
        #expect(mixed.remarks.contains("The log holds 2 runs; the last one was judged."))
        #expect(!mixed.input.verify().passed)
    }

    @Test("Of a run whose beginning was lost, as to a FIFO without a reader, the rest is read from whatever request on")
    func beginsLate() throws {
        var rig = try RecordedRig(#"{"requests": {}, "count": 1}"#)
        rig.send(ExamplePush())
        let text = String(decoding: rig.lines, as: UTF8.self).replacing(
            #""sequence":1,"#, with: #""sequence":5000000,"#)
        var lines: [UInt8] = []
        LogEvent.log(.lost(lines: 7)).appendLine(at: rig.rig.time, to: &lines)
        lines += Array(text.utf8)
        let (input, _) = try RecordedLog.read(lines, rig.rig.gateway.scenario)
        #expect(input.log.latestSequence == 5_000_000)
        #expect(!input.verify().passed)
    }

    @Test("Requests whose lines are lost make what is about requests fail")
    func gaps() throws {
        var rig = try RecordedRig(#"{"requests": {}, "count": 2}, {"device": "alice", "received": 2}"#)
        for _ in 0..<4 { rig.send(ExamplePush()) }
        let lines = String(decoding: rig.lines, as: UTF8.self).split(separator: "\n")
        let kept = ([lines[0], lines[1], "", lines[4]]).joined(separator: "\n")
        let (input, remarks) = try RecordedLog.read(Array(kept.utf8), rig.rig.gateway.scenario)
        let results = input.verify().results
        #expect(results.map(\.passed) == [false, true])
        #expect(results[0].seen == "unknown: the log lacks 2 requests")
        #expect(remarks == ["The log lacks 2 requests."])
        #expect(input.log.texts.count == 2 && input.log.latestSequence == 4)
    }

    @Test("Unknown events and members are let pass")
    func unknown() throws {
        var rig = try RecordedRig(#"{"requests": {}, "count": 1}"#)
        rig.append(#"{"event":"weather","sequence":"?"}"# + "\n\n  \r\n")
        rig.append(#"{"event":"connection","connection":9,"state":"renamed"}"# + "\n")
        rig.append(#"{"event":"scenario","state":"paused"}"# + "\n")
        rig.send(ExamplePush())
        let text = String(decoding: rig.lines, as: UTF8.self).replacing(
            #""inFlight":1,"#, with: #""inFlight":1,"new":{},"#)
        #expect(text.utf8.count > rig.lines.count)
        #expect(try RecordedLog.read(Array(text.utf8), rig.rig.gateway.scenario).input.verify().passed)
    }

    @Test(
        "What cannot be read is told with line and column, and with what was expected",
        arguments: [
            (#"{"event":7}"#, #"2:10: "event" is 7; expected a text"#),
            (#"{"event":"request","sequence":2}"#, #"2:1: the key "time" is missing; the event "request" has it"#),
            (
                #"{"event":"update","sequence":-1}"#,
                #"2:30: "sequence" is -1; expected a whole number, not below 0"#
            ),
            (
                #"{"event":"update","sequence":1,"outcome":"respnded"}"#,
                #"2:42: "outcome" is "respnded"; expected "responded""#
            ),
            (
                #"{"event":"connection","connection":1,"state":"closed"}"#,
                #"2:1: the key "pings" is missing; the event "connection" has it"#
            ),
            (
                #"{"event":"connection","connection":1,"state":"opened","time":"noon"}"#,
                #"2:62: "time" is "noon"; expected a time such as "2026-11-21T10:00:00.123Z""#
            ),
            (
                #"{"event":"device","token":"x","state":"changed"}"#,
                #"2:27: "token" is "x"; expected a device token"#
            ),
        ])
    func mistakes(line: String, message: String) {
        let first = #"{"event":"clock"}"# + "\n"
        let error = #expect(throws: RecordedLog.Mistake.self) { _ = try RecordedLog.read(Array((first + line).utf8)) }
        #expect(error?.description == message)
    }

    @Test(
        "A file without a run of a server is told in one message, at its first line that is none of a log",
        arguments: [
            ("", "1:1: there is no run of a server in this log: the file is empty"),
            ("\n \n", "1:1: there is no run of a server in this log: --log of serve or exec writes one"),
            (
                #"{"event":"weather"}"#,
                "1:1: there is no run of a server in this log: --log of serve or exec writes one"
            ),
            ("\nhello\n", "2:1: there is no run of a server in this log: --log of serve or exec writes one"),
            ("\t[1]\n", "1:2: there is no run of a server in this log: --log of serve or exec writes one"),
            (#"{"time":1}"#, "1:1: there is no run of a server in this log: --log of serve or exec writes one"),
        ])
    func foreign(text: String, message: String) {
        let error = #expect(throws: RecordedLog.Mistake.self) { _ = try RecordedLog.read(Array(text.utf8)) }
        #expect(error?.description == message)
    }

    @Test(
        "A request that is not as it should be",
        arguments: [
            (#""sequence":1"#, #""sequence":5000000"#, #""sequence" is 5000000; expected 1"#),
            (#""sequence":1"#, #""sequence":0"#, #""sequence" is 0; expected a number of at least 1"#),
            (#""reason":null"#, #""reason":"BadTopik""#, #""reason" is "BadTopik"; expected "BadTopic""#),
            (
                #""decidedBy":"checks""#, #""decidedBy":"me""#,
                #""decidedBy" is "me"; expected one of "checks", "device", "connection", "outage", "rule" or "upstream""#
            ),
            (#"["apns-topic","com.example.app"]"#, "[1]", #""headers" is [1]; expected a name and a value"#),
            (#""method":"token""#, #""method":"tokens""#, #""method" is "tokens"; expected "token""#),
            (#""stream":1"#, #""stream":"1""#, #""stream" is "1"; expected a whole number, not below 0"#),
            (#""apnsID":""#, #""apnsID":"x"#, "; expected an id or null"),
            // In milliseconds that is more than there are numbers for.
            (
                #""issuedAt":1795255100"#, #""issuedAt":179525510095255100"#,
                #""issuedAt" is 179525510095255100; expected seconds since 1970"#
            ),
        ])
    func malformedRequests(text: String, replacement: String, message: String) throws {
        var rig = try RecordedRig("")
        rig.send(ExamplePush())
        let line = String(decoding: rig.lines, as: UTF8.self).split(separator: "\n")[1]
        let spoiled = line.replacing(text, with: replacement)
        #expect(spoiled != line)
        let error = #expect(throws: RecordedLog.Mistake.self) { _ = try RecordedLog.read(Array(spoiled.utf8)) }
        #expect(error?.description.hasPrefix("1:") == true)
        #expect(error?.message.hasSuffix(message) == true, "\(error?.message ?? "")")
    }

    @Test("A line without an end is not read forever")
    func endlessLine() throws {
        var log = RecordedLog(of: Scenario())
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        var message: String?
        do { for _ in 0..<20 { try log.read(piece.span) } } catch { message = error.description }
        #expect(message == "1:1: expected a line of a log, a JSON object, found 17825792 bytes without a line end")
    }

    @Test("Logs spoiled at random are read or refused, and nothing else")
    func spoiled() throws {
        var rig = try RecordedRig(Self.expectations, Self.script)
        try Self.play(&rig)
        var random = SeededRandom(seed: 4)
        var refused = 0
        for _ in 0..<300 {
            var lines = rig.lines
            for _ in 0...random.next() % 3 {
                let place = Int(random.next() % UInt64(lines.count))
                switch random.next() % 3 {
                case 0: lines[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: lines.remove(at: place)
                default: lines.swapAt(place, Int(random.next() % UInt64(lines.count)))
                }
            }
            do { _ = try RecordedLog.read(lines, rig.rig.gateway.scenario).input.verify() } catch { refused += 1 }
        }
        // A key that is spoiled is another one's, and what it named is absent.
        #expect(refused > 25 && refused < 300, "\(refused) were refused")
    }
}
