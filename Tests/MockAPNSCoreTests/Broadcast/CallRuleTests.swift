import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// Rules on calls about broadcast channels, and conditions on them.
@Suite struct CallRuleTests {
    @Test func broadcastAndChannelRulesDecideOnlyTheirCalls() throws {
        var rig = BroadcastRig(
            rules: #"""
                {"name": "busy", "when": {"on": "broadcast"}, "then": {"reject": "TooManyRequests"}, "times": 1},
                {"name": "down", "when": {"on": "channels", "call": "delete"}, "then": {"reject": "InternalServerError"}}
                """#)
        let id = try rig.channel()
        #expect(rig.rig.send().what == "200")
        let first = rig.publish(id)
        #expect(first.what == "TooManyRequests" && first.has(#""decidedBy":"rule:busy""#))
        #expect(rig.publish(id).what == "200" && rig.delete(id).what == "InternalServerError")
        // It was not deleted.
        #expect(rig.read(id).what == "200")
    }

    @Test func rulesOnPushesDoNotDecideCalls() throws {
        var rig = BroadcastRig(rules: #"{"then": {"reject": "TooManyRequests"}}"#)
        #expect(rig.create().status == 201 && rig.rig.send().what == "TooManyRequests")
    }

    @Test func rulesMatchAChannelByNameOrID() throws {
        let channels = #""channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA"}],"#
        for channel in ["final", "AAAA"] {
            var rig = BroadcastRig(
                channels, rules: #"{"when": {"on": "broadcast", "channel": "\#(channel)"}, "then": {"stall": true}}"#)
            #expect(rig.publish("AAAA").what == "stalled")
            #expect(try rig.publish(rig.channel()).what == "200")
        }
        var rig = BroadcastRig(
            channels, rules: #"{"when": {"on": "broadcast", "channel": {"not": "AAAA"}}, "then": {"stall": true}}"#)
        #expect(rig.publish("AAAA").what == "200")
        #expect(try rig.publish(rig.channel()).what == "stalled")
    }

    @Test func aCallWithoutAChannelHasNone() throws {
        for (exists, decides) in [(false, [true, false]), (true, [false, true])] {
            var rig = BroadcastRig(
                rules: #"{"when": {"on": "channels", "channel": {"exists": \#(exists)}}, "then": {"stall": true}}"#)
            #expect([rig.list(), rig.read("AAAA")].map { $0.what == "stalled" } == decides)
        }
    }

    @Test func nonCallsHaveNoTopic() throws {
        var rig = BroadcastRig()
        let seen = rig.rig.send(.call("GET", "/1/apps/"))
        #expect(seen.reason == "BadPath" && seen.has(#""topic":null"#), "\(seen.line)")
    }

    @Test func deliverCarriesOutCallsAnsweredWithErrors() throws {
        var rig = BroadcastRig(
            rules:
                #"{"when": {"on": "channels", "call": "create"}, "then": {"reject": "InternalServerError", "deliver": true}}"#
        )
        let seen = rig.create()
        #expect(seen.what == "InternalServerError" && seen.decision.answer?.channelID == nil)
        #expect(rig.rig.gateway.channels.count == 1)
    }

    @Test func anOutageRefusesCallsToo() throws {
        var rig = BroadcastRig(rules: #"{"then": {"outage": {"reason": "ServiceUnavailable", "for": "1m"}}}"#)
        rig.rig.send()
        #expect(rig.create().what == "ServiceUnavailable")
    }

    @Test func anOutageFromACallNamesItsRule() throws {
        var rig = BroadcastRig(
            rules:
                #"{"name": "down", "when": {"on": "channels"}, "then": {"outage": {"reason": "Shutdown", "for": "1m"}}}"#
        )
        #expect(rig.create().status != 201)
        #expect(rig.rig.gateway.outages.summaries(at: rig.rig.now.clock).map(\.rule) == ["down"])
    }

    @Test func unprocessedCallsCreateNoChannel() throws {
        var rig = BroadcastRig(rules: #"{"when": {"on": "channels"}, "then": {"goAway": {"lastStream": "zero"}}}"#)
        #expect(rig.create().what == "goAway" && rig.rig.gateway.channels.count == 0)
    }

    /// The last stream of a GOAWAY on the second call, and the highest stream processed after it.
    @Test(arguments: [("this", 3), ("all", 3), ("previous", 1), ("zero", 1)] as [(String, UInt32)])
    func onlyProcessedCallsRaiseTheHighestStream(_ last: String, _ highest: UInt32) {
        var rig = BroadcastRig(
            rules: #"""
                {"when": {"on": "channels", "call": "create"},
                 "then": {"goAway": {"lastStream": "\#(last)", "then": "stayOpen"}}}
                """#)
        #expect(rig.list().status == 200)
        #expect(rig.create().what == (highest == 3 ? "201" : "goAway"))
        #expect(rig.rig.gateway.connections.open[0].life.highestStream == highest)
    }

    @Test func aMatchWithoutACallMeansPushes() throws {
        var rig = BroadcastRig()
        let id = try rig.channel()
        rig.publish(id)
        rig.rig.send()
        func count(_ text: String) throws -> Int {
            let (match, mistakes) = Scenario().match(from: try JSONText.read(Array(text.utf8)))
            #expect(mistakes.isEmpty)
            return rig.rig.gateway.log.snapshot.count(RequestMatch(try #require(match), in: Scenario()))
        }
        #expect(try count("{}") == 1)
        #expect(try count(#"{"call": {"exists": true}}"#) == 2)
        #expect(try count(#"{"call": {"oneOf": ["publish", null]}}"#) == 2)
        #expect(try count(#"{"call": "publish", "channel": "\#(id)"}"#) == 1)
        #expect(try count(#"{"call": "publish", "channel": {"not": "\#(id)"}}"#) == 0)
        let requestID = try #require(try rig.list().member("requestID")?.string)
        #expect(try count(#"{"call": "list", "requestID": "\#(requestID.lowercased())"}"#) == 1)
        // What only calls have means calls.
        #expect(try count(#"{"requestID": "\#(requestID)"}"#) == 1)
        #expect(try count(#"{"channel": "\#(id)"}"#) == 2)
        #expect(try count(#"{"channel": {"exists": false}}"#) == 1)
    }

    @Test func aWrongPathOrMethodMakesNoPush() throws {
        var recorded = try RecordedRig(
            #"{"requests": {}, "count": 1}, {"requests": {"call": {"exists": false}}, "count": 3}"#)
        recorded.send(.call("PUT", "/1/apps/com.example.app/channels"))
        recorded.send(.call("GET", "/1/apps/com.example.app/chanels"))
        recorded.send(ExamplePush())
        let verification = recorded.rig.gateway.verificationInput(at: recorded.rig.time).verify()
        #expect(verification.passed, "\(verification)")
        #expect(try recorded.recorded().input.verify().passed)
    }

    @Test func nothingElseNamesNoCalls() throws {
        var recorded = try RecordedRig(
            #"{"nothingElse": true}"#,
            #""channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA"}],"#)
        recorded.send(.publish(to: "AAAA"))
        recorded.send(.call("PUT", "/1/apps/com.example.app/channels"))
        recorded.send(.call("GET", "/1/apps/com.example.app/chanels"))
        #expect(recorded.rig.gateway.verificationInput(at: recorded.rig.time).verify().passed)
        recorded.send(ExamplePush())
        let live = recorded.rig.gateway.verificationInput(at: recorded.rig.time).verify()
        #expect(live.results.map(\.seen) == ["1 other request, number 4"])
        #expect(try recorded.recorded().input.verify().results.map(\.seen) == ["1 other request, number 4"])
    }

    @Test(arguments: [("create", "The channel was created"), ("delete", "The channel was deleted")])
    func explanationsSayWhatWasCarriedOut(call: String, words: String) throws {
        var rig = BroadcastRig(
            #""channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA"}],"#,
            rules:
                #"{"when": {"on": "channels", "call": "\#(call)"}, "then": {"reject": "InternalServerError", "deliver": true}}"#
        )
        let good = call == "create" ? rig.create() : rig.delete("AAAA")
        #expect(good.explanation.hasSuffix("\(words) all the same."), "\(good.explanation)")
        let bad = call == "create" ? rig.create("{}") : rig.delete("AAAA")
        let reason = call == "create" ? "BadRequestParams" : "BadPath"
        let not = words.replacing(" was ", with: " was not ")
        #expect(bad.explanation.hasSuffix("\(not): \(reason)."), "\(bad.explanation)")
    }

    @Test func explanationsOfPublishedPushes() throws {
        var rig = BroadcastRig(
            #""channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA"}],"#,
            rules: #"""
                {"when": {"on": "broadcast", "priority": 5}, "then": {"stall": true, "deliver": true}},
                {"when": {"on": "broadcast", "priority": 1}, "then": {"outage": {"reason": "Shutdown", "for": "1m"}}}
                """#)
        func priority(_ text: String) -> (inout ExamplePush) -> Void {
            { push in
                push.fields.removeAll { $0.0 == "apns-priority" }
                push.fields.append(("apns-priority", text))
            }
        }
        let seen = rig.publish("AAAA", priority("5"))
        #expect(seen.explanation.hasSuffix("The push was published all the same."), "\(seen.explanation)")
        _ = rig.publish("AAAA", priority("1"))
        let refused = rig.publish("AAAA")
        #expect(refused.explanation.contains("every call gets Shutdown"), "\(refused.explanation)")
    }

    @Test func nothingElseMeansPushesAndExpectationsCountCalls() throws {
        var recorded = try RecordedRig(
            #"{"requests": {"call": "publish"}, "count": 1}, {"requests": {}, "count": 0}, {"nothingElse": true}"#,
            #""channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA"}],"#)
        recorded.send(.publish(to: "AAAA"))
        #expect(recorded.rig.gateway.verificationInput(at: recorded.rig.time).verify().passed)
        let (input, _) = try recorded.recorded()
        #expect(input.verify().passed)
        #expect(input.log.record("1") == recorded.rig.gateway.log.snapshot.record("1"))
        recorded.send(ExamplePush())
        #expect(!recorded.rig.gateway.verificationInput(at: recorded.rig.time).verify().passed)
    }
}
