import MockAPNSCore
import Testing

@testable import MockAPNSScenario

/// Wherever an object is expected, the message shows one, and that one is right there.
@Suite("Examples in mistakes")
struct ExamplesInMistakesTests {
    /// Scenarios with a mark where an object belongs.
    private static let scenarios = [
        "»", #"{"connection":»}"#, #"{"connection":{"idle":»}}"#, #"{"responses":»}"#, #"{"storage":»}"#,
        #"{"lint":»}"#, #"{"lint":{"rules":»}}"#, #"{"lint":{"thresholds":»}}"#, #"{"apps":[»]}"#,
        #"{"apps":[{"topic":"a.b","categories":[»]}]}"#,
        #"{"apps":[{"topic":"a.b","categories":[{"id":"c","actions":[»]}]}]}"#,
        #"{"apps":[{"topic":"a.b","strings":{"en":»}}]}"#, #"{"broadcast":»}"#, #"{"channels":[»]}"#,
        #"{"authentication":»}"#, #"{"authentication":{"teams":[»]}}"#,
        #"{"authentication":{"teams":[{"teamID":"A","keys":[»]}]}}"#, #"{"authentication":{"clientCertificates":»}}"#,
        #"{"devices":[»]}"#, #"{"devices":[{"rate":»}]}"#, #"{"rules":[»]}"#, #"{"rules":[{"then":»}]}"#,
        #"{"devices":[{"name":"alice"}],"rules":[{"when":»,"then":{"pass":true}}]}"#,
        #"{"rules":[{"when":{"header":»},"then":{"pass":true}}]}"#,
        #"{"rules":[{"when":{"payload":»},"then":{"pass":true}}]}"#, #"{"rules":[{"then":{"respond":»}}]}"#,
        #"{"rules":[{"then":{"respond":{"status":200,"headers":»}}}]}"#, #"{"rules":[{"then":{"goAway":»}}]}"#,
        #"{"rules":[{"then":{"outage":»}}]}"#, #"{"rules":[{"then":{"pass":true,"drip":»}}]}"#,
        #"{"rules":[{"then":{"pass":true,"delay":{"lognormal":»}}}]}"#,
        #"{"rules":[{"then":{"pass":true,"settings":»}}]}"#, #"{"rules":[{"then":{"pass":true,"device":»}}]}"#,
        #"{"timeline":[»]}"#, #"{"timeline":[{"at":"1s","do":»}]}"#,
        #"{"timeline":[{"after":»,"do":{"close":"end"}}]}"#, #"{"devices":[{"name":"alice"}],"workload":[»]}"#,
        #"{"devices":[{"name":"alice"}],"workload":[{"push":»}]}"#,
        #"{"workload":[{"push":{"token":"TOKEN","payload":»}}]}"#, #"{"expect":[»]}"#, #"{"expect":[{"spacing":»}]}"#,
        #"{"expect":[{"lint":»,"count":1}]}"#,
        #"{"devices":[{"name":"alice"}],"expect":[{"device":"alice","displayed":[»]}]}"#,
        #"{"devices":[{"name":"alice"}],"expect":[{"device":"alice","activities":[»]}]}"#,
    ]

    /// What the admin API reads beside scenarios.
    private static let bodies: [(text: String, read: @Sendable (JSONText.Value) -> [ScenarioMistake])] = [
        ("»", { Scenario().lintedPush(from: $0).1 }),
        (#"{"payload":{},"headers":»}"#, { Scenario().lintedPush(from: $0).1 }),
        ("»", { Scenario().adminPush(from: $0).1 }),
        (#"{"device":"alice","headers":»}"#, { Scenario().adminPush(from: $0).1 }),
        ("»", { Scenario().requestQuery(from: $0, at: Timestamp(seconds: 0)).1 }),
        ("»", { Scenario().countedRequests(from: $0, at: Timestamp(seconds: 0)).1 }),
        ("»", { Scenario().deletedRequests(from: $0, at: Timestamp(seconds: 0)).1 }),
        ("»", { Scenario().awaitedRequests(from: $0, atMost: 10).1 }),
        ("»", { Scenario().awaitedActivities(from: $0).1 }),
        ("»", { Scenario().verificationQuestion(from: $0).1 }), ("»", { Scenario().advance(from: $0).1 }),
        ("»", { SessionRequest.read($0).1 }), (#"{"scenario":»}"#, { SessionRequest.read($0).1 }),
    ]

    @Test("In a scenario", arguments: scenarios)
    func scenario(text: String) throws {
        try check(text) { Scenario.read(Array($0.utf8)).1 }
    }

    @Test("In a body of the admin API", arguments: bodies.indices)
    func body(index: Int) throws {
        let (text, read) = Self.bodies[index]
        try check(text) { read(try JSONText.read(Array($0.utf8))) }
    }

    private func check(_ marked: String, _ read: (String) throws -> [ScenarioMistake]) throws {
        let text = marked.replacing("TOKEN", with: String(repeating: "0a", count: 32))
        for wrong in [#""x""#, "7", "[7]", "true", "null"] {
            let mistakes = try read(text.replacing("»", with: wrong)).map(\.message)
            let message = try #require(mistakes.first { $0.contains("such as {") }, "\(wrong): \(mistakes)")
            let start = try #require(message.firstRange(of: "such as {")?.upperBound)
            let example = message[message.index(before: start)...]
            let others = try read(text.replacing("»", with: example))
            #expect(others.isEmpty, "\(example): \(others.map(\.message))")
        }
    }

    @Test(
        "What the path says is not repeated",
        arguments: [
            ("7", "the scenario is 7; expected an object such as {"),
            (#"{"authentication":7}"#, #"authentication is 7; expected an object such as {"mode": "decode"}"#),
            (#"{"connection":{"idle":7}}"#, "connection.idle is 7; expected an object such as {"),
            (#"{"authentication":{"clientCertificates":7}}"#, "Certificates is 7; expected an object such as {"),
            (#"{"devices":[{"rate":7}]}"#, "devices[0].rate is 7; expected an object such as {"),
            (#"{"rules":[{"then":{"goAway":7}}]}"#, "then.goAway is 7; expected an object such as {"),
            (#"{"rules":[{"then":{"outage":7}}]}"#, "then.outage is 7; expected an object such as {"),
            (#"{"rules":[{"then":{"pass":true,"drip":7}}]}"#, "then.drip is 7; expected an object such as {"),
            (#"{"workload":[{"push":7}]}"#, "workload[0].push is 7; expected an object such as {"),
            (
                #"{"workload":[{"push":{"token":"TOKEN","payload":7}}]}"#,
                "push.payload is 7; expected an object such as {"
            ),
            // The place in a list does not say it.
            (#"{"devices":[7]}"#, "devices[0] is 7; expected a device, an object such as {"),
        ])
    func repeated(text: String, message: String) { others(text: text, expected: message) }

    @Test("A session is called by its name, not a scenario")
    func session() throws {
        let messages = SessionRequest.read(try JSONText.read(Array("[]".utf8))).1.map(\.message)
        #expect(messages == [#"the body is a list; expected a session, an object such as {"name": "checkout-7"}"#])
        let inside = SessionRequest.read(try JSONText.read(Array(#"{"scenario":[]}"#.utf8))).1.map(\.message)
        #expect(inside.count == 1 && inside[0].hasPrefix("scenario is a list; expected an object such as {"))
    }

    @Test(
        "What else a value may be",
        arguments: [
            (
                #"{"workload":[{"push":{"token":"TOKEN","expiration":"tomorrow"}}]}"#,
                #"such as "250ms", or seconds since 1970 as a number"#
            ),
            (
                #"{"workload":[{"push":{"token":"TOKEN","expiration":"1800000000"}}]}"#,
                #"", or seconds since 1970 as a number"#
            ),
            (#"{"rules":[{"then":{"pass":true,"delay":true}}]}"#, #"{"uniform": ["10ms", "50ms"]}"#),
            (
                #"{"expect":[{"spacing":{"connections":true,"atLeast":5}}]}"#,
                "or a list of durations, one for each gap"
            ),
            (
                #"{"rules":[{"then":{"reject":"Unregistered","timestamp":-1}}]}"#,
                "expected a time as in RFC 3339, or milliseconds since 1970"
            ),
            (#"{"expect":[{"requests":{},"count":-1}]}"#, "a count: a whole number from 0 to 1000000000, or {"),
            (#"{"expect":[{"requests":{},"count":"2"}]}"#, "a count: a whole number from 0 to 1000000000, or {"),
        ])
    func others(text: String, expected: String) {
        let bytes = Array(text.replacing("TOKEN", with: String(repeating: "0a", count: 32)).utf8)
        let messages = Scenario.read(bytes).1.map(\.message)
        #expect(messages.count == 1 && messages[0].contains(expected), "\(messages)")
    }
}
