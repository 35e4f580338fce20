import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// Rules where something is absent, nothing, or just enough.
@Suite struct RuleEdgeTests {
    @Test("A delay of a millisecond is one, and none is none")
    func shortestDelay() {
        for (delay, isDelayed) in [("1ms", true), ("0ms", false)] {
            var rig = ScriptRig(#"{"then": {"reject": "BadTopic", "delay": "\#(delay)"}}"#)
            let seen = rig.send()
            #expect((seen.record.outcome == .delayed) == isDelayed)
            #expect(seen.response?.delay == (isDelayed ? 1 : nil))
        }
    }

    @Test("A rule that answers by itself does not ask the checks, and one that delivers does")
    func checksAsked() {
        let bad = ExamplePush { $0.body = [] }
        var rig = ScriptRig(#"{"name": "r", "then": {"reject": "TooManyRequests"}}"#)
        #expect(rig.send(bad).has(#""Rule \"r\" answers TooManyRequests.""#))
        #expect(rig.send().record.delivery == nil)
        var delivering = ScriptRig(#"{"name": "r", "then": {"reject": "TooManyRequests", "deliver": true}}"#)
        #expect(delivering.send(bad).has("It was not delivered: PayloadEmpty."))
        #expect(delivering.send().has("It was delivered all the same.") == true)
    }

    @Test("A push without a provider token, or without a field, has none")
    func absentFields() {
        for (when, push) in [
            (#"{"providerToken": {"exists": false}}"#, ExamplePush { $0.token = nil }),
            (#"{"topic": {"exists": false}}"#, ExamplePush { $0.topic = nil }),
            (#"{"token": {"exists": false}}"#, ExamplePush { $0.path = "/" }),
            (#"{"priority": {"exists": false}}"#, ExamplePush()),
            (#"{"body": {"exists": false}}"#, ExamplePush { $0.body = [] }),
            (#"{"serverName": {"exists": false}}"#, ExamplePush()),
        ] {
            var rig = ScriptRig(#"{"when": \#(when), "then": {"reject": "TooManyRequests"}}"#)
            #expect(rig.send(push).reason == "TooManyRequests", "\(when)")
            var other = ScriptRig(#"{"when": \#(when), "then": {"reject": "TooManyRequests"}}"#, serverName: "x")
            let full = RuleMatchingTests.full
            #expect(other.send(full).reason == nil, "\(when)")
        }
    }

    @Test("Digits of a token that a path has not, or that are no token, match no rule")
    func digits() {
        var rig = ScriptRig(
            #"{"when": {"token": "\#(GatewayRig.deviceToken)"}, "then": {"reject": "TooManyRequests"}}"#)
        #expect(rig.send(ExamplePush { $0.path = "/" }).reason == "BadPath")
        #expect(rig.send(ExamplePush { $0.path = "/3/device/" }).reason == "MissingDeviceToken")
        #expect(rig.send().reason == "TooManyRequests")
        var ids = ScriptRig(
            #"{"when": {"apnsID": "ec1bf194-b3b2-424a-89a9-5a918a6e6b5e"}, "then": {"reject": "TooManyRequests"}}"#)
        #expect(ids.send().reason == nil)
        #expect(ids.send(ExamplePush(("apns-id", "EC1BF194-B3B2-424A-89A9-5A918A6E6B5E"))).reason == "TooManyRequests")
    }

    @Test("A rule without a name gets the first one that is free")
    func names() throws {
        var rig = ScriptRig(#"{"name": "rule-2", "then": {"pass": true}}"#)
        func add(_ name: String) -> String? {
            let rule = Scenario.read(Array(#"{"rules": [{"then": {"pass": true}}]}"#.utf8)).0?.rules.first
            guard var rule else { return nil }
            rule.name = name
            return rig.gateway.add(rule, at: GatewayRig.now)
        }
        #expect(
            [add(""), add(""), add("rule-5"), add(""), add(""), add("rule-5")] == [
                "rule-1", "rule-3", "rule-5", "rule-4", "rule-6", nil,
            ])
        #expect(rig.gateway.rulesInForce.map(\.name) == ["rule-6", "rule-4", "rule-5", "rule-3", "rule-1", "rule-2"])
        let removed = rig.gateway.remove(rule: "rule-1", at: GatewayRig.now)
        #expect(removed)
        #expect(add("") == "rule-1")
    }

    @Test("A rule that is read by itself names its devices, one or more of them")
    func naming() throws {
        let text = #"""
            {"devices": [{"name": "alice", "token": "\#(GatewayRig.deviceToken)"},
            {"name": "bob", "token": "\#(JudgeRig.bob)"}, {"token": "\#(String(repeating: "c0", count: 32))"}],
            "rules": [{"when": {"device": "bob", "priority": 5}, "then": {"pass": true}},
            {"when": {"device": {"oneOf": ["alice", "bob"]}}, "then": {"pass": true}}]}
            """#
        let scenario = try #require(Scenario.read(Array(text.utf8)).0)
        let rules = scenario.rules.map { $0.naming(scenario.devices) }
        #expect(rules[0].match.conditions == [.field(.device, .equals("bob")), .field(.priority, .number(5))])
        #expect(rules[1].match.conditions == [.field(.device, .anyOf([.equals("alice"), .equals("bob")]))])
        let matches = scenario.rules.map { RequestMatch($0.match, in: scenario) }
        #expect(matches[0].onlyDevices == [Array("bob".utf8)])
        #expect(matches[1].onlyDevices == [Array("alice".utf8), Array("bob".utf8)])
    }

    @Test("A PING is acknowledged where no rule is on it, and on a connection that is gone")
    func pings() {
        var rig = ScriptRig(#"{"when": {"on": "ping", "inFlight": 0}, "then": {"ignore": true}}"#)
        let acknowledged = [(99, 0), (rig.connection, 1), (rig.connection, 0)].map {
            rig.gateway.ping(on: $0.0, inFlight: $0.1)
        }
        #expect(acknowledged == [true, true, false])
        var without = ScriptRig("")
        let isAcknowledged = without.gateway.ping(on: without.connection, inFlight: 0)
        #expect(isAcknowledged)
    }

    @Test("Counted by a number, by a text, and together where there is none")
    func countPer() {
        func answers(_ field: String, _ pushes: [ExamplePush]) -> String {
            var rig = ScriptRig(#"{"countPer": "\#(field)", "times": 1, "then": {"reject": "TooManyRequests"}}"#)
            return pushes.map { rig.send($0).reason == "TooManyRequests" ? "R" : "-" }.joined()
        }
        func priority(_ text: String?) -> ExamplePush {
            ExamplePush { $0.fields = text.map { [("apns-priority", $0)] } ?? [] }
        }
        #expect(answers("priority", ["5", "10", nil, "5", nil, "10"].map(priority)) == "RRR---")
        func collapse(_ text: String?) -> ExamplePush {
            ExamplePush { $0.fields = text.map { [("apns-collapse-id", $0)] } ?? [] }
        }
        func topic(_ text: String?) -> ExamplePush { ExamplePush { $0.topic = text } }
        #expect(answers("topic", [nil, "", nil, ""].map(topic)) == "RR--")
        #expect(answers("collapseID", ["a", nil, "b", "A", "a", nil, "b"].map(collapse)) == "RRRR---")
    }

    @Test("Of two outages that end together, only the later one is in progress", arguments: [-1, 0, 1])
    func laterOutage(_ more: Int64) {
        var outages = Outages()
        for (reason, delay, duration) in [
            (Reason.serviceUnavailable, 0, 60_000 + more), (.internalServerError, 10_000, 50_000),
        ] as [(Reason, Int64, Int64)] {
            let outage = Outage(reason: reason, duration: duration)
            outages.begin(outage, ResponsePlan(during: outage), at: GatewayRig.now.advanced(by: delay))
        }
        let reasons = outages.summaries(at: GatewayRig.now.advanced(by: 10_000)).map(\.reason)
        #expect(reasons == [.internalServerError] + (more > 0 ? [.serviceUnavailable] : []))
        #expect(outages.end(at: GatewayRig.now.advanced(by: 10_000)) == reasons.count)
    }

    @Test("An outage goes on without its rule, and is told with it")
    func outages() {
        var rig = ScriptRig(
            #"""
            {"name": "one", "times": 1, "then": {"outage": {"reason": "ServiceUnavailable", "for": "2s"}}}
            """#)
        #expect(rig.send().reason == "ServiceUnavailable")
        let told = rig.gateway.outageSummaries(at: GatewayRig.now)
        #expect(
            told == [OutageSummary(reason: .serviceUnavailable, rule: "one", until: GatewayRig.now.advanced(by: 2000))])
        #expect(rig.gateway.outageSummaries(at: GatewayRig.now.advanced(by: 2000)).isEmpty)
        let removed = rig.gateway.remove(rule: "one", at: GatewayRig.now)
        #expect(removed && rig.gateway.hasEffects)
        let effects = rig.gateway.takeEffects()
        #expect(effects.count == 1 && !rig.gateway.hasEffects)
        #expect(rig.send().reason == "ServiceUnavailable", "the outage goes on without its rule")
        var outages = Outages()
        func plan() -> ResponsePlan { ResponsePlan(Step(.pass)) }
        let (first, second, longer) = (plan(), plan(), plan())
        let now = GatewayRig.now
        outages.begin(Outage(reason: .shutdown, duration: 10), first, at: now)
        outages.begin(Outage(reason: .shutdown, duration: 10), second, at: now)
        #expect(outages.current(at: now)?.plan === second)
        outages.removeEnded(at: now.advanced(by: 9))
        #expect(outages.current(at: now.advanced(by: 10)) == nil && !outages.isEmpty)
        outages.removeEnded(at: now.advanced(by: 10))
        #expect(outages.isEmpty)
        outages.begin(Outage(reason: .shutdown, duration: 20), longer, at: now)
        outages.begin(Outage(reason: .shutdown, duration: 10), first, at: now)
        #expect(outages.summaries(at: now).map(\.until) == [now.advanced(by: 10), now.advanced(by: 20)])
        #expect(outages.current(at: now.advanced(by: 9))?.plan === first)
        #expect(outages.current(at: now.advanced(by: 10))?.plan === longer)
        #expect(outages.current(at: now.advanced(by: 19))?.end == now.advanced(by: 20) && !outages.isEmpty)
    }

    @Test("A connection that is silent from the start is sent nothing, not even SETTINGS")
    func silentConnection() {
        for (then, isSilent) in [(#"{"close": "silent"}"#, true), (#"{"close": "reset"}"#, false)] {
            var rig = ScriptRig(#"{"when": {"on": "connect"}, "then": \#(then)}"#)
            let connecting = rig.gateway.connect(serverName: nil)
            let opening = rig.gateway.open(.example, after: connecting, at: GatewayRig.now)
            #expect(opening.omitsSettings == isSilent && opening.actions.count == 1)
        }
    }

    @Test("A GOAWAY at the start of a connection has processed nothing")
    func goAwayAtTheStart() {
        var rig = ScriptRig(#"{"when": {"on": "connect"}, "then": {"goAway": {"reason": "Shutdown"}}}"#)
        let connecting = rig.gateway.connect(serverName: nil)
        let opening = rig.gateway.open(.example, after: connecting, at: GatewayRig.now)
        #expect(opening.actions == [.goAway([GoAway(lastStream: 0, reason: .shutdown)], then: .drain)])
    }

    @Test(
        arguments: [
            (#"{"serverCertificate": "expired"}"#, .expired), (#"{"tlsAlert": "unknown_ca"}"#, nil),
            (#"{"pass": true}"#, nil),
        ] as [(String, ServerCertificateFault?)])
    func onlyAFlawedCertificateHasAFault(_ step: String, fault: ServerCertificateFault?) {
        var rig = ScriptRig(#"{"when": {"on": "connect"}, "then": \#(step)}"#)
        #expect(rig.gateway.connect(serverName: nil).certificateFault == fault)
    }

    @Test("An answer that was delayed counts as an error when it is sent, and not before")
    func delayedErrors() {
        var rig = ScriptRig(
            #"{"then": {"reject": "BadTopic", "delay": "1s"}}"#, more: #""connection": {"closeAfterErrors": 2},"#)
        let plans = (0..<3).map { _ in rig.send() }
        #expect(plans.allSatisfy { $0.decision.actions.isEmpty })
        func actions(_ index: Int) -> Int? {
            plans[index].response.flatMap { rig.gateway.due($0, latencyMicroseconds: 1, at: GatewayRig.now) }?.count
        }
        #expect(actions(0) == 0)
        #expect(actions(1) == 1, "the connection ends")
    }

    @Test(
        "A GOAWAY that comes before a delayed answer may leave it out", arguments: [(1, true), (3, false), (5, false)])
    func delayedAnswerBelowAGoAway(last: Int32, isLeftOut: Bool) throws {
        var rig = ScriptRig(#"{"when": {"requestOnConnection": 2}, "then": {"reject": "BadTopic", "delay": "1s"}}"#)
        rig.send()
        let response = try #require(rig.send().response)
        rig.gateway.connections.open[0].life.apply(.goAway([GoAway(lastStream: last)], then: .drain))
        _ = rig.gateway.due(response, latencyMicroseconds: 1, at: GatewayRig.now)
        #expect(rig.gateway.takeUpdates().map(\.change.outcome) == [isLeftOut ? .goAway : .responded])
    }

    @Test("A rule that decides every match takes no random number")
    func randomNumbers() {
        func next(after rule: String) -> UInt64 {
            var rig = ScriptRig(#"{\#(rule) "then": {"pass": true}}"#)
            rig.send()
            return rig.gateway.random.next()
        }
        let first = next(after: #""when": {"topic": "none"},"#)
        #expect(next(after: "") == first && next(after: #""probability": 1,"#) == first)
        #expect(next(after: #""probability": 0.5,"#) != first)
    }

    @Test("The time after which to retry is sent also where nothing else about the answer is unusual")
    func retryAfterAlone() {
        var rig = ScriptRig(#"{"then": {"reject": "TooManyRequests", "retryAfter": 3}}"#)
        let seen = rig.send()
        #expect(seen.reason == "TooManyRequests" && seen.plan?.retryAfter == 3)
    }

    @Test func anAnswerThatOnlyDripsIsSentSo() {
        var rig = ScriptRig(#"{"then": {"pass": true, "drip": {"bytes": 1, "every": "1ms"}}}"#)
        let seen = rig.send()
        #expect(seen.status == 200 && seen.plan?.drip == Step.Drip(bytes: 1, every: 1))
    }

    @Test("The only text of a connection is its server name")
    func textsOfAConnection() {
        let subject = ConnectionSubject(connectionID: 1, number: 1, serverName: "api.push.example")
        #expect(RequestField.allCases.filter { subject.text($0) != nil } == [.serverName])
    }
}
