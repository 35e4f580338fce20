import GatewayRigs
import MockAPNSPatterns
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

@Suite("A rule whose pattern is undecided does not apply")
struct UndecidedPatternTests {
    private func rule(_ name: String, _ when: String, _ then: String = #"{"reject": "TooManyRequests"}"#) -> String {
        #"{"name": "\#(name)", "when": \#(when), "then": \#(then)}"#
    }

    @Test(
        "Three-valued: false and undecided is false, true or undecided is true, not undecided is undecided",
        arguments: [
            (#"{"payload": \#(EndlessPattern.payload)}"#, nil),
            (#"{"payload": {"/t": {"not": {"matches": "\#(EndlessPattern.text)"}}}}"#, nil),
            (#"{"payload": {"/t": {"not": {"not": {"matches": "\#(EndlessPattern.text)"}}}}}"#, nil),
            (#"{"payload": \#(EndlessPattern.payload), "topic": "com.example.other"}"#, false),
            (#"{"payload": \#(EndlessPattern.payload), "body": {"matches": "x.*"}}"#, false),
            (#"{"payload": \#(EndlessPattern.payload), "header": {"x": {"matches": "\#(EndlessPattern.text)"}}}"#, nil),
            (#"{"payload": {"/t": {"oneOf": [{"matches": "\#(EndlessPattern.text)"}, {"prefix": "aa"}]}}}"#, true),
            (#"{"payload": {"/t": {"oneOf": [{"matches": "\#(EndlessPattern.text)"}, {"prefix": "b"}]}}}"#, nil),
            (#"{"payload": {"/t": {"not": {"oneOf": [{"matches": "\#(EndlessPattern.text)"}, "b"]}}}}"#, nil),
            (
                #"{"payload": {"/t": {"not": {"oneOf": [{"matches": "\#(EndlessPattern.text)"}, {"prefix": "a"}]}}}}"#,
                false
            ),
            (#"{"body": {"matches": "(.|.)*[$%]"}}"#, nil),
        ] as [(String, Bool?)])
    func truths(when: String, applies: Bool?) {
        var rig = ScriptRig(rule("busy", when))
        let seen = rig.send(EndlessPattern.push(EndlessPattern.value, ("x", EndlessPattern.value)))
        #expect(seen.status == (applies == true ? 429 : 200))
        #expect(seen.has(#"did not apply: its pattern"#) == (applies == nil), "\(seen.line)")

    }

    @Test("One value of a header field that matches is enough, and one that is undecided leaves it so")
    func headers() {
        var rig = ScriptRig(rule("busy", #"{"header": {"x": {"matches": "\#(EndlessPattern.text)"}}}"#))
        let endless = EndlessPattern.value
        #expect(rig.send(ExamplePush(("x", "a"), ("x", endless), ("x", "aab"))).status == 429)
        let seen = rig.send(ExamplePush(("x", "a"), ("x", endless), ("x", "aa")))
        #expect(seen.status == 200 && seen.has("did not apply"))
        #expect(!rig.send(ExamplePush(("x", "a"), ("x", "aa"))).has("did not apply"))
    }

    @Test("The next rule is asked, and the record says why the first did not apply")
    func theNextRuleDecides() {
        var rig = ScriptRig(
            rule("hang", #"{"payload": \#(EndlessPattern.payload)}"#) + ","
                + rule("other", "{}", #"{"reject": "InternalServerError"}"#))
        let seen = rig.send(EndlessPattern.push())
        #expect(seen.reason == "InternalServerError")
        #expect(
            seen.has(
                #""explanation":"Rule \"other\" answers InternalServerError. Rule \"hang\" did not apply: its pattern "#
                    + #"\"(?:a|a)*[bc]\" was undecided, because it reached its work limit.""#),
            "\(seen.line)")
    }

    @Test("A good push says it, too, and a refused one after its own explanation")
    func explanations() {
        var rig = ScriptRig(rule("hang", #"{"payload": \#(EndlessPattern.payload)}"#))
        #expect(rig.send(EndlessPattern.push()).has(#""explanation":"Rule \"hang\" did not apply: its pattern "#))
        let refused = rig.send(EndlessPattern.push(EndlessPattern.value, ("apns-priority", "7")))
        #expect(refused.reason == "BadPriority")
        #expect(refused.has(#""explanation":"apns-priority is \"7\""#))
        #expect(refused.has(#". Rule \"hang\" did not apply: its pattern "#), "\(refused.line)")
        // Nothing of it is left for others.
        #expect(rig.send().has(#""explanation":null"#))
    }

    @Test(
        "Of the rules that did not apply three are named, and the others counted",
        arguments: [(3, nil), (4, "Nor did 1 more, for the same reason."), (5, "Nor did 2 more, for the same reason.")]
            as [(Int, String?)])
    func manyRules(count: Int, others: String?) {
        let rules = (1...count).map {
            rule("r\($0)", #"{"payload": \#(EndlessPattern.payload), "requestOnConnection": {"not": 1\#($0)}}"#)
        }
        var rig = ScriptRig(rules.joined(separator: ","))
        let seen = rig.send(EndlessPattern.push())
        #expect(seen.has(#"Rule \"r3\" did not apply"#) && !seen.has("r4"), "\(seen.line)")
        #expect(others.map { seen.has($0) } ?? !seen.has("Nor did"), "\(seen.line)")
    }

    @Test("A rule that is used up is not asked any more, so its pattern is not tried")
    func usedUp() {
        var rig = ScriptRig(
            #"{"name": "once", "when": {"payload": \#(EndlessPattern.payload)}, "times": 1, "#
                + #""then": {"reject": "TooManyRequests"}}"#)
        #expect(rig.send(EndlessPattern.push("b")).status == 429)
        let seen = rig.send(EndlessPattern.push())
        #expect(seen.status == 200 && seen.has(#""explanation":null"#), "\(seen.line)")
        #expect(rig.gateway.takeEffects().isEmpty)
    }

    @Test("A rule and the timeline ask about one request, so that a value in it is undecided once")
    func sameRequest() {
        var rig = ScriptRig(
            rule("hang", #"{"payload": \#(EndlessPattern.payload)}"#),
            more: #""timeline": [{"after": {"requests": {"payload": \#(EndlessPattern.payload)}, "count": 1}, "#
                + #""do": {"device": "alice", "online": false}}],"#)
        #expect(rig.gateway.hasEffects == false)
        for _ in 1...9 { rig.send(EndlessPattern.push()) }
        #expect(rig.gateway.hasEffects == true)
        #expect(rig.gateway.takeEffects().count == 1)
        #expect(rig.gateway.hasEffects == false)
        rig.send(EndlessPattern.push())
        #expect(rig.gateway.takeEffects().count == 1, "after ten requests it is given up")
    }

    @Test("So do a rule on calls and the timeline")
    func sameCall() {
        var rig = ScriptRig(
            rule("hang", #"{"on": "broadcast", "payload": \#(EndlessPattern.payload)}"#),
            more: #""timeline": [{"after": {"requests": {"call": "publish", "payload": \#(EndlessPattern.payload)}, "#
                + #""count": 1}, "do": {"device": "alice", "online": false}}],"#)
        var push = ExamplePush.publish(to: "AAAA")
        push.body = Array(EndlessPattern.body().utf8)
        for _ in 1...9 { rig.send(push) }
        #expect(rig.gateway.takeEffects().count == 1)
        rig.send(push)
        #expect(rig.gateway.takeEffects().count == 1, "after ten calls it is given up")
    }

    @Test("A thousand patterns are told apart; with one more, those that were never undecided are forgotten")
    func forgottenPatterns() {
        let patterns = PatternContext()
        let value = Array(EndlessPattern.value.utf8)
        func tellsOfIt(_ test: PatternTest?) -> Bool {
            _ = test?.test(value.span)
            return !patterns.takeEvents().isEmpty
        }
        let other = EndlessPattern.text + "x{0,1}"
        #expect(tellsOfIt(PatternTest(other, in: patterns)))
        let first = PatternTest(EndlessPattern.text, in: patterns)
        for number in 3...1000 { #expect(PatternTest("x\(number)", in: patterns) != nil) }
        let second = PatternTest(EndlessPattern.text, in: patterns)
        #expect(PatternTest("y", in: patterns) != nil)
        let third = PatternTest(EndlessPattern.text, in: patterns)
        #expect(tellsOfIt(first) && !tellsOfIt(second), "one pattern")
        #expect(tellsOfIt(third), "a pattern of which nothing is known")
        #expect(!tellsOfIt(PatternTest(other, in: patterns)), "it was undecided before")
    }

    @Test("Many patterns take no more work together than a few, and it is said so")
    func manyPatterns() {
        let count = 100
        let rules = (1...count).map {
            rule("r\($0)", #"{"payload": {"/t": {"matches": "(?:a|a)*[bc]x{0,\#($0)}"}}}"#)
        }
        var rig = ScriptRig(rules.joined(separator: ",") + "," + rule("last", #"{"body": {"matches": ".*x.*"}}"#))
        // Each pattern that reaches its limit is told of.
        func events(_ rig: inout ScriptRig) -> [String] {
            rig.gateway.takeEffects().compactMap { if case .pattern(let event) = $0 { "\(event)" } else { nil } }
        }
        let limit = PatternContext.budget / PatternMemory.steps
        let seen = rig.send(EndlessPattern.push())
        #expect(seen.status == 200 && seen.has("Nor did \(count + 1 - 3) more, for the same reason."), "\(seen.line)")
        let first = events(&rig)
        #expect(first.count == limit + 1)
        #expect(first.last?.contains("x{0,\(limit + 1)}\" was not tried on a request") == true)
        // It is told once; those that were not tried are tried when others are given up, and what is good works again.
        var more: [String] = []
        for _ in 2...10 {
            rig.send(EndlessPattern.push())
            more += events(&rig)
        }
        #expect(more.count == limit && more.allSatisfy { $0.hasSuffix("is no longer tried in this run.") })
        rig.send(EndlessPattern.push())
        #expect(events(&rig).allSatisfy { $0.contains("reached its work limit") })
        // A request whose values are ordinary has enough work for all.
        let good = rig.send(EndlessPattern.push("x"))
        #expect(good.status == 429, "\(good.line)")
    }

    @Test("A record names the rule whose pattern was not tried")
    func explainsWhatWasNotTried() {
        let endless = (1...PatternContext.budget / PatternMemory.steps).map {
            #"{"matches": "(?:a|a)*[bc]x{0,\#($0)}"}"#
        }
        var rig = ScriptRig(
            rule("many", #"{"payload": {"/t": {"oneOf": [\#(endless.joined(separator: ","))]}}}"#) + ","
                + rule("harmless", #"{"body": {"matches": ".*t.*"}}"#))
        let seen = rig.send(EndlessPattern.push())
        #expect(seen.status == 200)
        #expect(
            seen.has(
                #"Rule \"harmless\" did not apply: its pattern \".*t.*\" was undecided, because other patterns had used up "#
                    + "the work allowed for one request."),
            "\(seen.line)")
        #expect(rig.send(EndlessPattern.push("x")).status == 429)
    }

    @Test("Each connection has its own work for the patterns of rules on it")
    func workOfConnections() {
        let endless = (1...PatternContext.budget / PatternMemory.steps).map {
            #"{"matches": "(?:a|a)*[bc]x{0,\#($0)}"}"#
        }
        let list = endless.joined(separator: ",")
        var rig = ScriptRig(
            rule("many", #"{"on": "connect", "serverName": {"oneOf": [\#(list)]}}"#, #"{"close": "reset"}"#) + ","
                + rule("good", #"{"on": "connect", "serverName": {"matches": ".*x"}}"#, #"{"close": "reset"}"#))
        let decided = [EndlessPattern.value + "x", "x"].map { rig.gateway.connect(serverName: $0).rule }
        #expect(decided == [nil, "good"])
    }

    @Test("What is undecided does not count")
    func counting() {
        var rig = ScriptRig(
            #"{"name": "second", "when": {"payload": \#(EndlessPattern.payload)}, "every": 2, "#
                + #""then": {"reject": "TooManyRequests"}}"#)
        let texts = ["b", EndlessPattern.value, "ab", EndlessPattern.value, "ac", "c"]
        #expect(texts.map { rig.send(EndlessPattern.push($0)).status } == [200, 200, 429, 200, 200, 429])
    }

    @Test("After ten requests a pattern is not tried again, whatever rule it stands in, until a reset")
    func isGivenUp() {
        var rig = ScriptRig(
            rule("first", #"{"payload": \#(EndlessPattern.payload)}"#) + ","
                + rule("second", #"{"payload": {"/t": {"not": {"matches": "\#(EndlessPattern.text)"}}}}"#))
        func events(_ rig: inout ScriptRig) -> [String] {
            rig.gateway.takeEffects().compactMap { if case .pattern(let event) = $0 { "\(event)" } else { nil } }
        }
        for round in 1...2 {
            rig.send(EndlessPattern.push())
            #expect(
                events(&rig) == [
                    """
                    The pattern "(?:a|a)*[bc]" reached its work limit before it was decided. Rules and \
                    expectations that needed it do not hold.
                    """
                ])
            for _ in 2..<10 { #expect(rig.send(EndlessPattern.push()).has("because it reached its work limit")) }
            #expect(events(&rig) == [])
            rig.send(EndlessPattern.push())
            #expect(
                events(&rig) == [
                    #"The pattern "(?:a|a)*[bc]" was undecided 10 times and is no longer tried in this run."#
                ])
            // What would match is not tried, either.
            let seen = rig.send(EndlessPattern.push("ab"))
            #expect(seen.status == 200)
            #expect(seen.has(#"its pattern \"(?:a|a)*[bc]\" was undecided 10 times and is no longer tried."#))
            #expect(events(&rig) == [])
            if round == 1 { rig.gateway.reset(at: rig.now.real) }
        }
    }

    @Test("Another value of the same request counts, too")
    func values() {
        var rig = ScriptRig(
            rule("first", #"{"payload": \#(EndlessPattern.payload)}"#) + ","
                + rule("second", #"{"header": {"x": {"matches": "\#(EndlessPattern.text)"}}}"#))
        let push = EndlessPattern.push(EndlessPattern.value, ("x", EndlessPattern.value + "!"))
        for _ in 1...5 { rig.send(push) }
        #expect(rig.gateway.takeEffects().count == 2)
        #expect(rig.send(push).has("is no longer tried"))
    }

    @Test("A connection with such a rule is let in, and it is told of")
    func connections() {
        var rig = ScriptRig(
            #"{"name": "no", "when": {"on": "connect", "serverName": {"matches": "\#(EndlessPattern.text)"}}, "#
                + #""then": {"close": "end"}}"#)
        #expect(rig.gateway.connect(serverName: EndlessPattern.value).close == nil)
        #expect(rig.gateway.connect(serverName: "ab").close == .end)
        #expect(rig.gateway.takeEffects().count == 1)
        #expect(rig.send().has(#""explanation":null"#))
    }

    @Test("The timeline does not take an undecided request for one that it waits for")
    func timeline() {
        var rig = ScriptRig(
            "",
            more: #""timeline": [{"after": {"requests": {"payload": \#(EndlessPattern.payload)}, "count": 1}, "#
                + #""do": {"device": "alice", "online": false}}],"#)
        rig.send(EndlessPattern.push())
        #expect(rig.gateway.takeEffects().count == 1)
        #expect(rig.send().has("Delivered to Device"))
        rig.send(EndlessPattern.push("ab"))
        #expect(rig.send().has("Stored - Device Offline"))
    }

    @Test("A search does not find what is undecided, says so, and gives the pattern up after ten")
    func searches() throws {
        var rig = ScriptRig("")
        rig.send(EndlessPattern.push("ab"))
        for _ in 0..<12 { rig.send(EndlessPattern.push()) }
        rig.send(EndlessPattern.push("c"))
        let value = try JSONText.read(Array(#"{"requests": {"payload": \#(EndlessPattern.payload)}}"#.utf8))
        let query = try #require(rig.gateway.scenario.requestQuery(from: value, at: GatewayRig.now).0)
        let page = rig.gateway.log.snapshot.find(query)
        // The last one would match, but is not tried any more.
        #expect((page.total, page.undecided) == (1, 13))
        #expect(String(decoding: page.json, as: UTF8.self).hasSuffix(#","total":1,"dropped":0,"undecided":13}"#))
        let counted = rig.gateway.log.snapshot.counted(query.match)
        #expect((counted.count, counted.undecided) == (1, 13))
        #expect(rig.gateway.log.snapshot.found(query.match, after: 5).undecided == 8)
        let misses = rig.gateway.log.snapshot.nearMisses(query.match, after: 11)
        #expect(
            misses.first?.differences.first
                == NearMiss.Difference(
                    field: "payload /t", expected: #"matching "(?:a|a)*[bc]" (undecided)"#,
                    found: #""\#(EndlessPattern.value)""#))
        #expect(rig.gateway.takeEffects().isEmpty)
    }

    @Test("Where a field has few words, a pattern that is undecided for one of them is a mistake")
    func words() throws {
        for field in ["reason", "outcome", "delivery", "decidedBy"] {
            let match = try JSONText.read(Array(#"{"\#(field)": {"matches": "(.|.|.)*[!%]"}}"#.utf8))
            let message = Scenario().match(from: match).1.first?.message
            #expect(message?.contains("takes too much work to compare with") == true, "\(field)")
        }
    }
}
