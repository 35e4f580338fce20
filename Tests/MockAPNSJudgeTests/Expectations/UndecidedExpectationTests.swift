import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

@Suite("An expectation that needs an undecided match fails and says so")
struct UndecidedExpectationTests {
    private static let endless = EndlessPattern.payload
    private static let why = #"; pattern "(?:a|a)*[bc]" was undecided for request 2"#

    /// 1 matches, 2 is undecided, 3 does not match; 4, for bob, matches and is stored.
    private static let expectations: [(String, Bool, String)] = [
        (#""requests": {"payload": \#(endless)}, "count": {"atLeast": 2}"#, true, "2 requests"),
        (#""requests": {"payload": \#(endless)}, "count": {"atLeast": 2, "atMost": 3}"#, true, "2 requests"),
        (#""requests": {"payload": \#(endless)}, "count": 2"#, false, "2 requests" + why),
        (#""requests": {"payload": \#(endless)}, "count": 3"#, false, "2 requests, numbers 1 and 4" + why),
        (#""requests": {"payload": \#(endless)}, "count": 0"#, false, "2 requests, numbers 1 and 4" + why),
        (
            #""requests": {"payload": {"/t": {"not": {"matches": "\#(EndlessPattern.text)"}}}}, "count": 1"#, false,
            "1 request" + why
        ),
        (#""requests": {"payload": \#(endless), "status": 500}, "count": 0"#, true, "0 requests"),
        (#""requests": {"payload": \#(endless), "device": "bob"}, "count": 1"#, true, "1 request"),
        (#""requests": {"payload": \#(endless), "outcome": "delayed"}, "count": 0"#, true, "0 requests"),
        (
            #""requests": {"payload": \#(endless), "delivery": "Delivered to Device"}, "count": 1"#, false,
            "1 request" + why
        ),
        (
            #""requests": {"payload": \#(endless)}, "count": 2, "distinct": "apnsID""#, false,
            "2 different values of apnsID in 2 requests" + why
        ),
        (
            #""requests": {"payload": \#(endless)}, "count": 1, "each": "device""#, false,
            "true of 2 values of device" + why
        ),
        (#""inOrder": [{"payload": \#(endless)}, {"device": "bob"}]"#, true, "2 requests in this order"),
        (
            #""inOrder": [{"payload": \#(endless), "apnsID": "\#(JudgeRig.id(2))"}, {"device": "bob"}]"#, false,
            #"no request with payload /t matching "(?:a|a)*[bc]" and apnsID "\#(JudgeRig.id(2))""# + why
        ),
        (
            #""spacing": {"requests": {"payload": \#(endless)}, "atLeast": "1s"}"#, false,
            "1 gap between 2 requests" + why
        ),
        (#""nothingElse": true"#, false, "1 other request, number 3"),
    ]

    private static func pushes(_ rig: inout JudgeRig) {
        rig.send(id: 1, body: EndlessPattern.body("ab"), after: 2000)
        rig.send(id: 2, body: EndlessPattern.body(), after: 2000)
        rig.send(id: 3, body: EndlessPattern.body("x"), after: 2000)
        rig.send(to: JudgeRig.bob, id: 4, body: EndlessPattern.body("c"), after: 2000)
    }

    @Test("Of each form", arguments: expectations.dropLast())
    func forms(expectation: String, passed: Bool, seen: String) throws {
        var rig = try JudgeRig("{\(expectation)}")
        Self.pushes(&rig)
        let result = rig.results[0]
        #expect(result.passed == passed)
        #expect(result.seen == seen)
        let later = try rig.verify("{\(expectation)}")[0]
        #expect(later.passed == passed)
        #expect(later.seen == seen)
    }

    @Test("A log that was recorded says the same")
    func recorded() throws {
        let all = Self.expectations.map { "{\($0.0)}" }.joined(separator: ",")
        var rig = try RecordedRig(all)
        rig.work { Self.pushes(&$0) }
        let results = try rig.recorded().input.verify().results
        #expect(results.map(\.description) == rig.rig.results.map(\.description))
        #expect(results.dropLast().map(\.passed) == Self.expectations.dropLast().map(\.1))
    }

    @Test("Nothing else is expected: an undecided request may be one that an expectation counts")
    func nothingElse() throws {
        let counted = #"{"requests": {"payload": \#(Self.endless)}, "count": {"atLeast": 0}}"#
        var rig = try JudgeRig(#"\#(counted), {"nothingElse": true}, {"requests": {}, "count": 1}"#)
        rig.send(id: 1, body: EndlessPattern.body())
        #expect(rig.passed == [true, false, true])
        #expect(rig.results[1].seen == #"none; pattern "(?:a|a)*[bc]" was undecided for request 1"#)
        rig = try JudgeRig(#"\#(counted), {"nothingElse": true}, \#(counted)"#)
        rig.send(id: 1, body: EndlessPattern.body())
        #expect(rig.results[1].seen == #"none; pattern "(?:a|a)*[bc]" was undecided for request 1"#)
        // Another one that counts it settles the matter.
        rig = try JudgeRig(#"{"requests": {}, "count": 1}, \#(counted), {"nothingElse": true}"#)
        rig.send(id: 1, body: EndlessPattern.body())
        #expect(rig.passed == [true, true, true])
    }

    @Test("What changes about a record may settle it")
    func changes() throws {
        let expectation =
            #"{"requests": {"payload": \#(Self.endless), "delivery": "Stored - Device Offline"}, "count": 0}, {"nothingElse": true}"#
        var rig = try JudgeRig(expectation)
        rig.send(to: JudgeRig.bob, id: 1, body: EndlessPattern.body())
        #expect(
            rig.results.map(\.seen)
                == ["0 requests", "none"].map { $0 + #"; pattern "(?:a|a)*[bc]" was undecided for request 1"# })
        #expect(rig.passed == [false, false])
        try rig.change("bob") { $0.isOnline = true }
        #expect(rig.passed == [true, false])
        #expect(rig.results[1].seen == "1 other request, number 1")
    }

    @Test("Whether a request is within may be undecided, too")
    func within() throws {
        var rig = try JudgeRig("")
        Self.pushes(&rig)
        let results = try rig.verify(
            #"{"requests": {}, "count": 2}, {"requests": {"status": 500}, "count": 0}, {"providerTokens": 1}, {"nothingElse": true}"#,
            within: #"{"payload": \#(Self.endless)}"#)
        #expect(results.map(\.passed) == [false, true, true, false])
        #expect(results[0].seen == "2 requests" + Self.why)
        #expect(results[3].seen == "none" + Self.why)
    }

    @Test("Whether a request that may be within is something else is unknown")
    func withinNothingElse() throws {
        var rig = try JudgeRig("")
        Self.pushes(&rig)
        let result = try rig.verify(#"{"nothingElse": true}"#, within: #"{"payload": \#(Self.endless)}"#)[0]
        #expect(!result.passed && result.seen == "2 other requests, numbers 1 and 4" + Self.why)
    }

    @Test("A request that may not be meant does not make its value one that is looked at")
    func undecidedValue() throws {
        var rig = try JudgeRig(
            #"{"requests": {"payload": \#(Self.endless)}, "count": {"atLeast": 0}, "each": "topic"}"#)
        rig.send(id: 1, body: EndlessPattern.body())
        #expect(
            rig.results[0].seen
                == #"no matching request has a value of topic; "orNone": true allows that; pattern "(?:a|a)*[bc]" was undecided for request 1"#
        )
        rig.send(id: 2, body: EndlessPattern.body("b"))
        #expect(rig.results[0].seen == #"true of 1 value of topic; pattern "(?:a|a)*[bc]" was undecided for request 1"#)
    }

    @Test("A provider token that was seen for sure is known, wherever else it was seen")
    func withinTokens() throws {
        let (one, other) = ("ABC123DEFG", "ABC123DEFH")
        for (known, last, passed) in [([one], one, true), ([one, other], one, true), ([one], other, false)] {
            var rig = try JudgeRig("")
            for key in known { rig.send(body: EndlessPattern.body("b"), token: ExamplePush.bearer(keyID: key)) }
            rig.send(body: EndlessPattern.body(), token: ExamplePush.bearer(keyID: last))
            let result = try rig.verify(
                #"{"providerTokens": \#(known.count)}"#, within: #"{"payload": \#(Self.endless)}"#)[0]
            #expect(result.passed == passed)
            #expect(result.seen.hasSuffix(passed ? "provider token\(known.count == 1 ? "" : "s")" : Self.why))
        }
    }

    @Test("What a device displays")
    func devices() throws {
        var rig = try JudgeRig(#"{"device": "alice", "displayed": [\#(Self.endless)]}"#)
        rig.send(body: EndlessPattern.body())
        let result = rig.results[0]
        #expect(!result.passed)
        #expect(result.seen.hasSuffix(#"; pattern "(?:a|a)*[bc]" was undecided for request 1"#))
        #expect(
            result.nearest == [#"1: payload /t "\#(EndlessPattern.value)", not matching "(?:a|a)*[bc]" (undecided)"#])
        #expect(
            result.nearMisses.first?.description
                == #"request 1: payload /t is "\#(EndlessPattern.value)", expected matching "(?:a|a)*[bc]" (undecided)"#
        )
        rig = try JudgeRig(#"{"device": "alice", "displayed": [\#(Self.endless)]}"#)
        rig.send(body: EndlessPattern.body("aab"))
        #expect(rig.passed == [true])
    }

    @Test("Many are counted, and the first three named")
    func many() throws {
        var rig = try JudgeRig(#"{"requests": {"payload": \#(Self.endless)}, "count": 0}"#)
        for _ in 0..<30 { rig.send(body: EndlessPattern.body()) }
        #expect(
            rig.results[0].seen
                == #"0 requests; pattern "(?:a|a)*[bc]" was undecided for requests 1, 2, 3 and 27 others"#)
        #expect(rig.gateway.takeEffects().count { if case .pattern = $0 { true } else { false } } == 2)
    }

    @Test("A request about which it is known now is not named any more")
    func settled() {
        var matches = UndecidedMatches()
        for sequence in 1...3 { matches.add(sequence, UndecidedPattern("a+", .limit)) }
        matches.remove(2)
        #expect(matches.words { "\($0)" } == #"pattern "a+" was undecided for requests 1 and 3"#)
        for sequence in 4...6 { matches.add(sequence, UndecidedPattern("a+", .limit)) }
        matches.remove(6)
        #expect(matches.words { "\($0)" } == #"pattern "a+" was undecided for requests 1, 3, 4 and 1 other"#)
    }
}
