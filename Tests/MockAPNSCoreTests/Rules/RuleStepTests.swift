import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite struct RuleStepTests {
    private static func rig(_ step: String, more: String = "") -> ScriptRig {
        ScriptRig(#"{"name": "r", "when": {"device": "alice"}, "then": \#(step)}"#, more: more)
    }

    @Test("Every reason, with Apple's status, and a timestamp where Apple sends one", arguments: Reason.allCases)
    func reject(_ reason: Reason) {
        var rig = Self.rig(#"{"reject": "\#(reason.name)"}"#)
        let seen = rig.send()
        #expect(seen.status == UInt16(reason.status) && seen.reason == reason.name && seen.response == nil)
        #expect(seen.decision.answer?.timestamp == (reason.status == 410 ? GatewayRig.now : nil))
        #expect(seen.record.delivery == nil && seen.record.verdict == .valid && seen.record.outcome == .responded)
        #expect(seen.has(#""explanation":"Rule \"r\" answers \#(reason.name).""#), "\(seen.line)")
        #expect(seen.has(#""device":"alice""#))
        #expect(rig.gateway.devices[rig.gateway.devices.find(name: "alice")!].received == 0)
    }

    @Test("Status and timestamp override; a device's own time is told")
    func overrides() {
        var rig = Self.rig(#"{"reject": "Unregistered", "status": 400, "timestamp": 5}"#)
        let seen = rig.send()
        #expect(seen.status == 400 && seen.decision.answer?.timestamp == Timestamp(milliseconds: 5))
        #expect(seen.has("with status 400"))
        var other = Self.rig(#"{"reject": "ExpiredToken"}"#)
        let alice = other.gateway.devices.find(name: "alice")!
        other.gateway.state.devices[alice].registration = .unregistered(at: Timestamp(seconds: 9), acceptFor: 0)
        #expect(other.send().decision.answer?.timestamp == Timestamp(seconds: 9))
    }

    @Test("pass: the checks decide, the rule is named")
    func pass() {
        var rig = Self.rig(#"{"pass": true}"#)
        let good = rig.send()
        #expect(good.status == 200 && good.decision.answer?.uniqueID != nil && good.record.delivery == .delivered)
        #expect(good.response == nil && good.has(#""decidedBy":"rule:r""#))
        let bad = rig.send(ExamplePush(("apns-priority", "7")))
        #expect(bad.reason == "BadPriority")
        #expect(bad.has("apns-priority is") && bad.has(#"(Rule \"r\" lets the checks decide.)"#), "\(bad.line)")
    }

    @Test("A record names the code of a reset that says the push was not processed", arguments: [true, false])
    func refusedStreamIsTold(isFirst: Bool) {
        let codes = isFirst ? #"["REFUSED_STREAM", 5]"# : #"[5, "REFUSED_STREAM"]"#
        var rig = Self.rig(#"{"resetStream": \#(codes)}"#)
        let seen = rig.send()
        #expect(seen.has(#"resets the stream\#(isFirst ? " with REFUSED_STREAM" : "")."#), "\(seen.line)")
    }

    @Test("respond, and nothing else: the response is the rule's own")
    func respondAlone() {
        var rig = ScriptRig(#"{"then": {"respond": {"status": 502}}}"#)
        #expect(rig.send().plan?.response?.status == 502)
    }

    @Test("respond: its status, fields and body, whatever they are")
    func respond() {
        var rig = Self.rig(
            #"{"respond": {"status": 502, "headers": {"server": "proxy"}, "body": "<html>"}, "retryAfter": 3}"#)
        let seen = rig.send()
        #expect(seen.status == 502 && seen.reason == nil && seen.record.status == 502)
        #expect(seen.plan?.response?.fields.map(\.value) == ["proxy"])
        #expect(seen.plan?.response?.body == Array("<html>".utf8) && seen.plan?.retryAfter == 3)
        #expect(seen.response?.delay == 0 && seen.record.delivery == nil)
    }

    @Test("stall, resetStream, close")
    func noAnswer() {
        var stall = Self.rig(#"{"stall": true}"#)
        var seen = stall.send()
        #expect(seen.decision.answer == nil && seen.decision.actions.isEmpty && seen.response == nil)
        #expect(seen.record.outcome == .stalled && seen.record.status == nil)
        #expect(seen.decision.streamLimit == 1000, "the token was good, so the limit rises")

        var reset = Self.rig(#"{"resetStream": ["REFUSED_STREAM", 5]}"#)
        seen = reset.send()
        #expect(seen.decision.answer == nil && seen.decision.actions == [.resetStream([7, 5])])
        #expect(seen.record.outcome == .reset)

        for ending in Ending.allCases {
            var close = Self.rig(#"{"close": "\#(ending.rawValue)"}"#)
            seen = close.send()
            #expect(seen.decision.answer == nil && seen.decision.actions == [.close(ending, by: ClosedBy(ending))])
            #expect(seen.record.outcome == .closed)
            #expect(close.send().record.decidedBy == .connection, "nothing is processed after it")
        }
    }

    @Test(
        "goAway: which push is processed, and what is the last stream",
        arguments: [
            ("this", true, 3), ("all", true, Int32.max), ("previous", false, 1), ("zero", false, 0),
        ] as [(String, Bool, Int32)])
    func goAway(_ last: String, _ isProcessed: Bool, _ id: Int32) {
        var rig = ScriptRig(
            #"""
            {"name": "r", "when": {"requestOnConnection": 2},
             "then": {"goAway": {"reason": "Shutdown", "lastStream": "\#(last)", "then": "stayOpen"}}}
            """#)
        #expect(rig.send().status == 200)
        let seen = rig.send()
        #expect(seen.status == (isProcessed ? 200 : nil))
        #expect(seen.record.outcome == (isProcessed ? .responded : .goAway))
        #expect(seen.record.delivery == (isProcessed ? .delivered : nil))
        #expect(seen.decision.actions == [.goAway([GoAway(lastStream: id, reason: .shutdown)], then: .stayOpen)])
        #expect(rig.send().record.outcome == (last == "all" ? .responded : .ignored))
        if !isProcessed { #expect(rig.gateway.connections.open[0].life.highestStream == 1) }
    }

    @Test("outage: every push gets its reason until it ends by the scenario's clock")
    func outage() {
        var rig = ScriptRig(
            #"""
            {"name": "r", "when": {"device": "alice"}, "times": 1, "then": {"outage": {"reason": "Shutdown", "for": "30s"}}},
            {"name": "s", "then": [{"reject": "TooManyRequests"}]}
            """#,
            more: #""clock": {"manual": "2026-01-01T00:00:00Z"},"#)
        let start = Timestamp(seconds: 1_767_225_600)
        rig.now.clock = start
        let first = rig.send()
        #expect(first.reason == "Shutdown" && first.has(#""decidedBy":"rule:r""#))
        rig.now.real = Timestamp(seconds: GatewayRig.now.seconds + 60)
        let path = "/3/device/" + String(repeating: "ab", count: 32)
        rig.now.clock = Timestamp(milliseconds: start.milliseconds + 29_999)
        let second = rig.send(ExamplePush { $0.path = path })
        #expect(second.reason == "Shutdown" && second.has(#""decidedBy":"outage""#) && second.record.delivery == nil)
        #expect(second.has("outage until 2026-01-01T00:00:30"))
        rig.now.clock = Timestamp(seconds: start.seconds + 30)
        #expect(rig.send().reason == "TooManyRequests", "no rule was tried during the outage")
        #expect(rig.send().status == 200)
    }

    @Test("What stands beside an outage holds for each of its pushes")
    func outageWithCompanions() {
        var rig = ScriptRig(
            #"""
            {"times": 1, "then": {"outage": {"reason": "ServiceUnavailable", "for": "30s"}, "retryAfter": 5,
                                  "deliver": true, "drip": {"bytes": 1, "every": "1ms"}}}
            """#)
        for _ in 0..<2 {
            let sent = rig.send()
            #expect(sent.reason == "ServiceUnavailable" && sent.record.delivery == .delivered)
            #expect(sent.plan?.retryAfter == 5)
            #expect(sent.plan?.drip == Step.Drip(bytes: 1, every: 1))
        }
    }

    private func reason(_ outages: inout Outages, at time: Timestamp) -> Reason? {
        guard case .rejection(let reason, _, _) = outages.current(at: time)?.plan.reply else { return nil }
        return reason
    }

    @Test("Of two outages the later one counts, then the earlier one again")
    func twoOutages() {
        var outages = Outages()
        let start = Timestamp(seconds: 0)
        func begin(_ reason: Reason, for duration: Int64, at time: Timestamp, in outages: inout Outages) {
            let outage = Outage(reason: reason, duration: duration)
            outages.begin(outage, ResponsePlan(during: outage), at: time)
        }
        begin(.shutdown, for: 10_000, at: start, in: &outages)
        begin(.serviceUnavailable, for: 1000, at: Timestamp(seconds: 1), in: &outages)
        #expect(reason(&outages, at: Timestamp(seconds: 1)) == .serviceUnavailable)
        #expect(reason(&outages, at: Timestamp(seconds: 2)) == .shutdown)
        begin(.internalServerError, for: .max, at: Timestamp(seconds: 3), in: &outages)
        #expect(reason(&outages, at: Timestamp(seconds: 1_000_000)) == .internalServerError)
        var short = Outages()
        begin(.shutdown, for: 10, at: start, in: &short)
        #expect(short.current(at: Timestamp(seconds: 1)) == nil)
        short.removeEnded(at: Timestamp(seconds: 1))
        #expect(short.isEmpty)
    }

    @Test("hostile: the normal decision in an unusual way; some make a good push a 500", arguments: Hostility.allCases)
    func hostile(_ hostility: Hostility) {
        var rig = Self.rig(#"{"hostile": "\#(hostility.rawValue)"}"#)
        let good = rig.send()
        #expect(good.plan?.hostility == hostility)
        #expect(good.what == (hostility.needsFailure ? "InternalServerError" : "200"))
        #expect(good.record.delivery == (hostility.needsFailure ? nil : .delivered))
        let bad = rig.send(ExamplePush(("apns-priority", "7")))
        #expect(bad.plan?.hostility == hostility && bad.reason == "BadPriority")
        var delivering = Self.rig(#"{"hostile": "\#(hostility.rawValue)", "deliver": true}"#)
        #expect(delivering.send().record.delivery == .delivered)
    }

    @Test(
        "deliver: taken although the answer is a failure, if nothing is wrong with it",
        arguments: [
            #""reject": "InternalServerError""#, #""respond": {"status": 504}"#, #""stall": true"#,
            #""resetStream": "INTERNAL_ERROR""#, #""goAway": {"lastStream": "zero"}"#, #""close": "reset""#,
        ])
    func deliver(_ outcome: String) {
        var rig = Self.rig(#"{\#(outcome), "deliver": true}"#)
        let seen = rig.send()
        #expect(seen.what != "200" && seen.record.delivery == .delivered)
        #expect(seen.has("It was delivered all the same."))
        #expect(rig.gateway.devices[rig.gateway.devices.find(name: "alice")!].received == 1)
        var other = Self.rig(#"{\#(outcome), "deliver": true}"#)
        let bad = other.send(ExamplePush(("apns-priority", "7")))
        #expect(bad.what == seen.what && bad.record.delivery == nil && bad.has("It was not delivered: BadPriority."))
    }

    @Test("settings: announced before the answer, and held")
    func settings() {
        var rig = Self.rig(#"{"pass": true, "settings": {"maxConcurrentStreams": 5, "for": "2s"}}"#)
        let seen = rig.send()
        #expect(seen.decision.actions == [.settings(maxConcurrentStreams: 5, for: 2000)])
        #expect(seen.decision.streamLimit == nil && seen.status == 200)
    }

    @Test("device: the change comes after the decision")
    func deviceChange() {
        var rig = Self.rig(#"[{"pass": true, "device": {"registered": false}}]"#)
        #expect(rig.send().status == 200)
        let next = rig.send()
        #expect(next.reason == "Unregistered" && next.decision.answer?.timestamp == GatewayRig.now)
    }

    @Test("The token is judged, bound and recorded, and the limit follows it")
    func token() {
        var rig = Self.rig(#"{"reject": "ServiceUnavailable"}"#)
        let bad = rig.send(
            ExamplePush { $0.token = ExamplePush.bearer(teamID: "ZZZ123GHIJ") })
        #expect(bad.reason == "ServiceUnavailable" && bad.record.verdict == .rejected(.invalidProviderToken))
        #expect(bad.decision.streamLimit == nil)
        let good = rig.send()
        #expect(good.record.verdict == .valid && good.record.providerToken == 2)
        #expect(good.decision.streamLimit == 1000)
        #expect(rig.gateway.connections[1]?.teamID == "DEF123GHIJ")
    }

    @Test("Scripted errors slow down and end a connection as others do")
    func throttling() {
        var rig = Self.rig(
            #"{"reject": "TooManyRequests"}"#, more: #""connection": {"afterRejection": 10, "closeAfterErrors": 2},"#)
        rig.send(ExamplePush { $0.path = "/3/device/" + String(repeating: "ab", count: 32) })
        #expect(rig.send().decision.streamLimit == 10)
        let last = rig.send().decision.actions
        #expect(last == [.goAway([GoAway(lastStream: 5, reason: .tooManyRequests)], then: .close, by: .errors)])
    }

    // MARK: Delays

    @Test("delay: recorded as delayed, and what goes with it happens when it is due")
    func delay() throws {
        var rig = Self.rig(#"{"reject": "TooManyRequests", "delay": "50ms", "settings": {"maxConcurrentStreams": 3}}"#)
        let seen = rig.send()
        let response = try #require(seen.response)
        #expect(response.delay == 50 && response.stream == 1 && response.connection == 1 && response.sequence == 1)
        #expect(seen.record.outcome == .delayed && seen.status == 429 && seen.decision.actions.isEmpty)
        // At once, so that it counts in the second in which the push came.
        let latency = rig.gateway.statistics.latency
        #expect(latency.count == 1 && 50_000..<51_000 ~= latency.maximum)
        _ = rig.gateway.takeEffects()
        let actions = rig.gateway.due(response, latencyMicroseconds: 50_123, at: GatewayRig.now)
        #expect(actions == [.settings(maxConcurrentStreams: 3, for: nil)])
        let changes = rig.gateway.takeUpdates()
        #expect(changes.map(\.sequence) == [1] && changes.map(\.change.outcome) == [.responded])
        let record = rig.gateway.log.open.records[0]
        #expect(record.outcome == .responded && record.latencyMicroseconds == 50_123)
        #expect(rig.gateway.statistics.count(of: Outcome.delayed) == 0)
        #expect(rig.gateway.statistics.count(of: Outcome.responded) == 1)
        #expect(rig.gateway.statistics.latency.count == 1)
    }

    @Test("Without a delay, nothing is added to the latency", arguments: ["", #"{"then": {"reject": "Shutdown"}}"#])
    func noDelay(_ rules: String) {
        var rig = ScriptRig(rules)
        #expect(rig.send().status == (rules.isEmpty ? 200 : 503))
        let latency = rig.gateway.statistics.latency
        #expect(latency.count == 1 && latency.maximum == 0)
    }

    @Test("A delayed GOAWAY, close or reset leaves the connection alone until it is due")
    func delayedEnds() throws {
        for (step, action, outcome) in [
            (#""close": "truncate""#, ConnectionAction.close(.truncate, by: .truncate), Outcome.closed),
            (#""resetStream": 8"#, .resetStream([8]), .reset),
            (
                #""goAway": {"lastStream": "previous", "text": "x"}"#,
                .goAway([GoAway(lastStream: 1, debugData: Array("x".utf8))], then: .drain), .goAway
            ),
        ] {
            var rig = ScriptRig(
                #"{"when": {"requestOnConnection": 2}, "then": {\#(step), "delay": "1s"}}"#)
            rig.send()
            let seen = rig.send()
            #expect(seen.decision.answer == nil && seen.decision.actions.isEmpty && seen.record.outcome == .delayed)
            #expect(rig.send().status == 200)
            let actions = rig.gateway.due(seen.response!, latencyMicroseconds: 1, at: GatewayRig.now)
            #expect(actions == [action] && rig.gateway.takeUpdates().map(\.change.outcome) == [outcome])
            let later = rig.send()
            #expect((later.status == 200) == (outcome == .reset))
        }
    }

    @Test("A delayed answer that is never sent")
    func abandoned() {
        var rig = Self.rig(
            #"{"pass": true, "delay": {"uniform": ["1ms", "5ms"]}, "drip": {"bytes": 1, "every": "1ms"}}"#)
        let response = rig.send().response!
        #expect(1...5 ~= response.delay && response.plan.drip == Step.Drip(bytes: 1, every: 1))
        rig.gateway.closeConnection(1, by: .client, counters: ConnectionCounters(), at: GatewayRig.now)
        #expect(rig.gateway.due(response, latencyMicroseconds: 1, at: GatewayRig.now) == nil)
        rig.gateway.abandon(response, at: GatewayRig.now)
        #expect(rig.gateway.takeUpdates().map(\.change.outcome) == [.cancelled])
        #expect(rig.gateway.log.open.records[0].outcome == .cancelled)
        rig.gateway.reset(at: GatewayRig.now)
        rig.gateway.abandon(response, at: GatewayRig.now)
        #expect(rig.gateway.takeUpdates().isEmpty, "its record is forgotten")
    }

    @Test("A delayed reset has its code in the record once it is sent, and never if the client leaves before")
    func theCodeOfADelayedReset() throws {
        func code(after end: (inout ScriptRig, PlannedResponse) -> Void) throws -> (UInt32?, String) {
            var rig = ScriptRig(#"{"then": {"resetStream": "REFUSED_STREAM", "delay": "5ms"}}"#)
            let response = try #require(rig.send(ExamplePush()).response)
            #expect(!rig.gateway.log.snapshot.texts[0].contains("resetCode"))
            end(&rig, response)
            let change = try #require(rig.gateway.takeUpdates().first?.change)
            return (change.resetCode, rig.gateway.log.snapshot.texts[0])
        }
        let sent = try code { _ = $0.gateway.due($1, latencyMicroseconds: 1, at: GatewayRig.now) }
        #expect(sent.0 == 7 && sent.1.contains(#""resetCode":"REFUSED_STREAM","outcome":"reset""#), "\(sent.1)")
        let left = try code { $0.gateway.abandon($1, at: GatewayRig.now) }
        #expect(left.0 == nil && !left.1.contains("resetCode"), "\(left.1)")
    }
}
