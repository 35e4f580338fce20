import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// Expectations of each form, held and failed. The pushes are the same for all; see ``pushes(_:)``.
@Suite struct ExpectationTests {
    private static let rules = """
        "rules": [{"name": "busy", "when": {"payload": {"/busy": true}}, "then": {"reject": "TooManyRequests"}}],
        """

    /// 1 and 2: number 1 to alice, busy and then good, 100 ms later; 3: number 2 to alice, 1 s later; 4: number 3 to bob, at
    /// once, stored; 5: number 4 to alice with a topic that is too long, 5 s later.
    static func pushes(_ rig: inout JudgeRig) {
        rig.send(id: 1, body: #"{"aps":{"alert":"a"},"busy":true}"#)
        rig.send(id: 1, body: #"{"aps":{"alert":"a"}}"#, after: 100)
        rig.send(id: 2, body: #"{"aps":{"alert":"b","badge":3}}"#, after: 1000)
        rig.send(to: JudgeRig.bob, id: 3)
        rig.send(id: 4, topic: nil, after: 5000)
    }

    @Test(
        arguments: [
            (#""requests": {}, "count": 5"#, true, "5 requests"),
            (#""requests": {"device": "alice"}, "count": 4"#, true, "4 requests"),
            (#""requests": {"device": "alice"}, "count": 3"#, false, "4 requests, numbers 1, 2, 3 and 5"),
            (#""requests": {"status": 429}, "count": {"atLeast": 1, "atMost": 1}"#, true, "1 request"),
            (#""requests": {"status": 429}, "count": {"atLeast": 2}"#, false, "1 request, number 1"),
            (#""requests": {"status": 429}, "count": 0"#, false, "1 request, number 1"),
            (#""requests": {"decidedBy": "rule:busy"}, "count": 1"#, true, "1 request"),
            (#""requests": {"delivery": "Stored - Device Offline"}, "count": 1"#, true, "1 request"),
            (#""requests": {}, "count": 4, "distinct": "apnsID""#, true, "4 different values of apnsID in 5 requests"),
            (
                #""requests": {}, "count": 5, "distinct": "apnsID""#, false,
                "4 different values of apnsID in 5 requests, numbers 1, 2, 3, 4 and 5"
            ),
            (
                #""requests": {}, "count": 3, "distinct": "/aps/alert""#, true,
                "3 different values of payload /aps/alert in 5 requests"
            ),
            (
                #""requests": {}, "count": 1, "distinct": "/aps/badge""#, true,
                "1 different value of payload /aps/badge in 1 request"
            ),
            (
                #""requests": {"status": 200}, "count": 1, "each": "apnsID""#, false,
                #"0 requests, for apnsID "\#(JudgeRig.id(4))""#
            ),
            (
                #""requests": {"status": 200, "topic": "com.example.app"}, "count": 1, "each": "apnsID""#, true,
                "true of 3 values of apnsID"
            ),
            (
                #""requests": {"device": "alice"}, "count": {"atMost": 1}, "each": "apnsID""#, false,
                #"2 requests, numbers 1 and 2, for apnsID "\#(JudgeRig.id(1))""#
            ),
            (
                #""requests": {"device": {"exists": true}}, "count": 1, "distinct": "apnsID", "each": "device""#, false,
                #"3 different values of apnsID in 4 requests, numbers 1, 2, 3 and 5, for device "alice""#
            ),
            (
                #""requests": {}, "count": 9, "each": "collapseID""#, false,
                #"nothing to judge: no matching request has a value of collapseID; "orNone": true allows that"#
            ),
            (#""inOrder": [{"status": 429}, {"status": 200}, {"status": 200}]"#, true, "3 requests in this order"),
            (
                #""inOrder": [{"status": 200}, {"status": 429}]"#, false,
                "step 1 (request 2), but no request after it matches step 2"
            ),
            (
                #""inOrder": [{"status": 200}, {"status": 200}, {"status": 429}]"#, false,
                "steps 1 to 2 (up to request 3), but no request after it matches step 3"
            ),
            (
                #""inOrder": [{"priority": 5}]"#, false,
                #"nothing to judge: no request with priority 5; "orNone": true allows that"#
            ),
            (
                #""inOrder": [{"status": 429}, {"status": 200}], "each": "device""#, false,
                #"no request with status 429, for device "bob""#
            ),
            (
                #""inOrder": [{"topic": {"exists": true}}, {"device": "alice"}], "each": "device""#, false,
                #"step 1 (request 4), but no request after it matches step 2, for device "bob""#
            ),
            (
                #""inOrder": [{"status": {"oneOf": [200, 429, 400]}}], "each": "apnsID""#, true,
                "true of 4 values of apnsID"
            ),
            (
                #""spacing": {"requests": {"device": "alice"}, "atLeast": "100ms", "atMost": "5s"}"#, true,
                "3 gaps between 4 requests"
            ),
            (
                #""spacing": {"requests": {"device": "alice"}, "atLeast": "1s"}"#, false,
                "gap 1 is 100ms, between requests 1 and 2"
            ),
            (
                #""spacing": {"requests": {}, "atLeast": "200ms"}"#, false,
                "gap 1 is 100ms, between requests 1 and 2; 1 other gap is wrong, too"
            ),
            (
                #""spacing": {"requests": {"device": "alice"}, "atLeast": ["100ms", "1s", "5s"], "atMost": "5s"}"#,
                true,
                "3 gaps between 4 requests"
            ),
            (
                #""spacing": {"requests": {"device": "alice"}, "atMost": ["100ms", "500ms", "5s"]}"#, false,
                "gap 2 is 1000ms, between requests 2 and 3"
            ),
            (
                #""spacing": {"requests": {"device": "alice"}, "atLeast": ["1ms", "1ms"]}"#, false,
                "3 gaps instead of 2 between 4 requests"
            ),
            (
                #""spacing": {"requests": {"priority": 5}, "atLeast": ["900ms"]}"#, false,
                #"nothing to judge: 0 matching requests, and a gap is between two; "orNone": true allows that"#
            ),
            (
                #""spacing": {"requests": {"apnsID": "\#(JudgeRig.id(1))"}, "atLeast": "101ms"}, "each": "apnsID""#,
                false,
                #"gap 1 is 100ms, between requests 1 and 2, for apnsID "\#(JudgeRig.id(1))""#
            ),
            (#""spacing": {"requests": {}, "atMost": "100ms"}, "each": "apnsID""#, true, "true of 4 values of apnsID"),
            (
                #""device": "alice", "displayed": [{"/aps/alert": "a"}, {"/aps": {"badge": 3.0, "alert": "b"}}]"#, true,
                #"alice displays 2 notifications (request 2 with /aps/alert "a"; request 3 with /aps {"alert":"b","badge":3})"#
            ),
            (
                #""device": "alice", "displayed": [{"/aps/alert": {"prefix": "a"}}], "badge": 3"#, false,
                #"alice displays 2 notifications (request 2 with /aps/alert "a"; request 3 with /aps/alert "b") and shows badge 3"#
            ),
            (
                #""device": "alice", "badge": 3, "received": 2, "stored": 0"#, true,
                "alice shows badge 3, has 0 pushes stored and has received 2 pushes"
            ),
            (#""device": "bob", "stored": {"atLeast": 2}"#, false, "bob has 1 push stored"),
            (
                #""device": "bob", "received": {"atMost": 1}, "displayed": []"#, true,
                "bob displays 0 notifications and has received 0 pushes"
            ),
            (#""connections": 1"#, true, "1 connection"), (#""connections": {"atLeast": 2}"#, false, "1 connection"),
            (#""providerTokens": 1"#, true, "1 provider token"), (#""providerTokens": 2"#, false, "1 provider token"),
            (#""pings": 0"#, true, "0 PING frames"), (#""pings": 1"#, false, "0 PING frames"),
            (#""nothingElse": true"#, false, "5 other requests, numbers 1, 2, 3, 4 and 5"),
        ] as [(String, Bool, String)])
    func everyForm(expectation: String, passed: Bool, seen: String) throws {
        var rig = try JudgeRig("{\(expectation)}", Self.rules)
        Self.pushes(&rig)
        let result = try #require(rig.results.first)
        #expect(result.passed == passed)
        #expect(result.seen == seen)
        #expect(result.name == "expect[0]" && !result.expected.isEmpty)
        // Judged by the log it is the same.
        let again = try #require(try rig.verify("{\(expectation)}").first)
        #expect(again.passed == passed && again.seen == seen && again.nearest == result.nearest)
    }

    @Test func nothingElseIsWhatNoExpectationCounted() throws {
        var rig = try JudgeRig(
            """
            {"requests": {"status": {"oneOf": [200, 429]}}, "count": {"atLeast": 1}}, {"nothingElse": true},
            {"inOrder": [{"status": 400}]}, {"nothingElse": true}
            """, Self.rules)
        Self.pushes(&rig)
        #expect(rig.passed == [true, false, true, true])
        #expect(rig.results[1].seen == "1 other request, number 5")
        #expect(rig.results[1].nearest == ["5: status 400, not 200 or 429"])
    }

    /// No call is nearly a push, and no push nearly a call.
    @Test func nearMissesAreOfTheExpectedKind() throws {
        var rig = try JudgeRig(
            #"{"requests": {"status": 410}, "count": 1}, {"requests": {"call": "publish", "status": 410}, "count": 1}"#,
            #""channels": [{"name": "final", "topic": "com.example.app", "channelID": "AAAA"}],"#)
        rig.send()
        rig.send(.publish(to: "AAAA"))
        #expect(rig.results.map(\.nearest) == [["1: status 200, not 410"], ["2: status 200, not 410"]])
    }

    @Test func whatTheAdminAPISentIsNeverAnother() throws {
        var rig = try JudgeRig(
            #"""
            {"requests": {"sentBy": "admin", "delivery": {"prefix": "Stored"}}, "count": 0}, {"nothingElse": true}
            """#)
        rig.sendAsAdmin(to: JudgeRig.bob)
        #expect(rig.passed == [false, true])
        try rig.change("bob") { $0.isOnline = true }
        #expect(rig.passed == [true, true], "\(rig.results)")
    }

    @Test func expectedIsTold() throws {
        let texts = try JudgeRig(
            """
            {"requests": {"device": "alice", "status": {"atLeast": 400}, "payload": {"/aps/badge": {"exists": true}}},
              "count": {"atLeast": 1, "atMost": 2}},
            {"requests": {"header": {"x": {"matches": "a+"}}}, "count": 1, "distinct": "/n", "each": "token"},
            {"inOrder": [{"reason": {"not": "BadTopic"}}, {}]},
            {"spacing": {"connections": true, "atLeast": ["1s", "90s"], "atMost": "2m"}},
            {"spacing": {"requests": {}, "atLeast": ["900ms"]}}, {"spacing": {"requests": {}, "atMost": "1s"}},
            {"device": "bob", "displayed": [{"/a": {"contains": "x"}, "/b": [1]}, {}], "badge": 1, "stored": {"atMost": 2}},
            {"connections": 0}, {"nothingElse": true}
            """
        ).results.map(\.expected)
        #expect(
            texts == [
                #"1 to 2 requests with device "alice", status at least 400 and payload /aps/badge present"#,
                #"for each token: exactly 1 different value of payload /n in requests with header x matching "a+""#,
                #"in this order: a request with reason other than "BadTopic"; a request"#,
                "2 gaps, of at least (1s, 90s) and at most 2m, between connections",
                "1 gap, of at least 900ms, between requests", "gaps of at most 1s between requests",
                #"bob displays 2 notifications (/a containing "x" and /b [1]; any), shows badge 1 and has at most 2 pushes stored"#,
                "no connections", "no requests other than those that the expectations before it count",
            ])
    }

    @Test(
        "What must not be so reads well, too",
        arguments: [
            (.number(200), "other than 200"), (.text(Array("a".utf8)), #"other than "a""#), (.exists(true), "absent"),
            (.pattern("a+"), #"not matching "a+""#), (.prefix(Array("a".utf8)), #"not beginning with "a""#),
            (.range(atLeast: 400, atMost: nil), "below 400"), (.range(atLeast: nil, atMost: 399), "above 399"),
            (.range(atLeast: 400, atMost: 499), "outside 400 to 499"),
            (.anyOf([.number(1), .number(2), .number(3)]), "neither 1, 2 nor 3"), (.not(.number(5)), "5"),
        ] as [(ValueMatcher, String)])
    func negations(matcher: ValueMatcher, words: String) {
        #expect(ValueMatcher.not(matcher).words == words)
    }

    @Test func nearMissesReadWell() throws {
        var rig = try JudgeRig("", Self.rules)
        rig.send()
        for (match, text) in [
            (#""status": 429"#, "status is 200, not 429"),
            (#""status": {"not": 200}"#, "status is 200, expected other than 200"),
            (
                #""topic": {"not": {"matches": "com.*"}}"#,
                #"topic is "com.example.app", expected not matching "com.*""#
            ),
        ] {
            let result = try #require(try rig.verify(#"{"requests": {\#(match)}, "count": 1}"#).first)
            #expect(result.nearMisses.map(\.description) == ["request 1: \(text)"])
        }
    }

    @Test func connectionsTokensAndPings() throws {
        var rig = try JudgeRig(
            """
            {"connections": 3}, {"providerTokens": 2}, {"pings": 12}, {"spacing": {"connections": true, "atLeast": "2s"}},
            {"spacing": {"connections": true, "atLeast": ["1s", "2s"]}}
            """)
        var counters = ConnectionCounters()
        var later = rig.time
        rig.send()
        later.milliseconds += 1000
        let second = rig.gateway.openConnection(.example, at: later)
        later.milliseconds += 2000
        let third = rig.gateway.openConnection(.example, at: later)
        rig.send(on: second)
        rig.send(on: third, token: ExamplePush.bearer(issuedAt: "1795255101"))
        counters.pings = 5
        rig.gateway.closeConnection(second, by: .client, counters: counters, at: later)
        counters.pings = 7
        rig.gateway.updateConnection(third, counters: counters)
        #expect(rig.passed == [true, true, true, false, true])
        #expect(rig.results[3].seen == "gap 1 is 1000ms, between connections 1 and 2")
        let others = try rig.verify(#"{"connections": 3}, {"spacing": {"connections": true, "atMost": "2s"}}"#)
        #expect(others.map(\.passed) == [true, true])

        // After a reset the old ones do not count, even when they are used.
        rig.gateway.reset(at: later)
        #expect(rig.results.map(\.seen).prefix(3) == ["0 connections", "0 provider tokens", "0 PING frames"])
        rig.send(on: third)
        #expect(rig.results.map(\.seen).prefix(2) == ["0 connections", "1 provider token"])
        #expect(try rig.verify(#"{"connections": 0}"#)[0].passed)
    }

    @Test("A push that was refused says why, where the answer differs")
    func whyRefused() throws {
        var rig = try JudgeRig(
            #"{"requests": {"status": 200}, "count": 1}, {"requests": {"topic": "com.example.b"}, "count": 1}"#)
        rig.send(topic: "no topic")
        let results = rig.gateway.verificationInput(at: GatewayRig.now).verify().results
        let why = try #require(results[0].nearMisses.first)
        #expect(why.description.hasPrefix("request 1: status is 400, not 200; BadTopic: apns-topic is \"no topic\""))
        var json: [UInt8] = []
        NearMiss.appendJSON([why], to: &json)
        #expect(String(decoding: json, as: UTF8.self).contains(#""explanation":"BadTopic: apns-topic is"#))
        #expect(results[1].nearMisses.first?.explanation == nil)
    }

    @Test("A push on a connection whose certificate was refused says why, whatever differs")
    func whyUnprocessed() throws {
        var rig = try JudgeRig(
            #"{"requests": {"status": 200}, "count": 1}, {"requests": {"topic": "com.example.b"}, "count": 1}"#)
        var facts = ConnectionFacts.example
        facts.clientCertificate = .init(subject: "CN = a", serial: "1", topics: TopicList([]), isPush: false)
        rig.send(on: rig.gateway.open(facts, at: GatewayRig.now).id)
        for result in rig.gateway.verificationInput(at: GatewayRig.now).verify().results {
            let why = try #require(result.nearMisses.first)
            #expect(why.explanation?.contains("so it was refused with BadCertificate; use one like") == true)
        }
    }

    @Test func theReport() throws {
        var rig = try JudgeRig(
            #"{"name": "tried again", "requests": {"device": "alice", "status": 200}, "count": {"atLeast": 2}}, {"pings": 0}"#,
            Self.rules)
        rig.send(body: #"{"busy":true}"#)
        rig.send(to: JudgeRig.bob)
        let verification = rig.gateway.verificationInput(at: GatewayRig.now).verify()
        #expect(!verification.passed)
        #expect(
            verification.description == """
                1 of 2 expectations failed.
                FAILED  tried again
                  expected  at least 2 requests with device "alice" and status 200
                  seen      0 requests
                  nearest   request 2: device is "bob", not "alice"
                  nearest   request 1: status is 429, not 200

                """)
        let json = try parse(String(decoding: verification.json, as: UTF8.self))
        #expect(json["passed"] as? Bool == false)
        let results = try #require(json["results"] as? [[String: Any]])
        #expect(results.map { $0["name"] as? String } == ["tried again", "expect[1]"])
        #expect(results.map { $0["passed"] as? Bool } == [false, true])
        let misses = try #require(results[0]["nearMisses"] as? [[String: Any]])
        #expect(misses.map { $0["sequence"] as? Int } == [2, 1])
        let difference = try #require((misses[1]["differences"] as? [[String: Any]])?.first)
        #expect(difference["field"] as? String == "status" && difference["found"] as? Int == 429)
        #expect(difference["expected"] as? String == "200")
        rig.send()
        rig.send()
        #expect(rig.gateway.verificationInput(at: GatewayRig.now).verify().description == "All 2 expectations hold.\n")
    }
}
