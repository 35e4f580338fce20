import Testing

@testable import MockAPNSCore
@testable import MockAPNSScenario

/// Everything that a scenario, a call of the API or the library makes the server send has a bound that the reader knows.
@Suite struct SendLimitTests {
    /// A step on both sides of a bound.
    struct Bound: CustomTestStringConvertible {
        var name: String
        var good: String
        var bad: String
        /// The mistake of the bad one, without the path.
        var message: String
        /// Whether the schema cannot see it.
        var isCrossReference = false

        var testDescription: String { name }
    }

    private static func text(_ count: Int, _ character: Character = "v") -> String {
        String(repeating: character, count: count)
    }

    private static func respond(_ members: String) -> String { #"{"respond": {"status": 200, \#(members)}}"# }

    private static func list(_ count: Int, _ element: String) -> String {
        "[\(Array(repeating: element, count: count).joined(separator: ","))]"
    }

    /// Two fields of 16,384 bytes in all, and more.
    private static func fields(_ more: Int) -> String {
        respond(#""headers": {"a": "\#(text(8000))", "b": "\#(text(8000))", "c": "\#(text(285 + more))"}"#)
    }

    static let bounds: [Bound] = [
        Bound(
            name: "fields in all", good: fields(0), bad: fields(1),
            message:
                "respond.headers has 16,385 bytes in all, counting 32 for each field beside its name and value; expected at most 16,384",
            isCrossReference: true),
        Bound(
            name: "many fields", good: respond(#""headers": {"x": \#(list(496, #""""#))}"#),
            bad: respond(#""headers": {"x": \#(list(497, #""""#))}"#),
            message: "respond.headers has 16,401 bytes in all",
            isCrossReference: true),
        Bound(
            name: "the name of a field", good: respond(#""headers": {"\#(text(16_352))": ""}"#),
            bad: respond(#""headers": {"\#(text(65_536))": "1"}"#),
            message: "is the name of a header field with 65,536 bytes; expected at most 16,352"),
        Bound(
            name: "the value of a field", good: respond(#""headers": {"x": "\#(text(8000))"}"#),
            bad: respond(#""headers": {"x": "\#(text(8001))"}"#),
            message: "respond.headers.x is a text of 8,001 bytes; expected at most 8,000"),
        Bound(
            name: "the bytes of a value", good: respond(#""headers": {"x": "\#(text(4000, "é"))"}"#),
            bad: respond(#""headers": {"x": "\#(text(4001, "é"))"}"#),
            message: "respond.headers.x is a text of 8,002 bytes; expected at most 8,000", isCrossReference: true),
        Bound(
            name: "a body of text", good: respond(#""body": "\#(text(1 << 20))""#),
            bad: respond(#""body": "\#(text(1 << 20 + 1))""#),
            message: "respond.body is a text of 1,048,577 bytes; expected at most 1,048,576"),
        Bound(
            name: "a body of JSON", good: respond(#""body": {"x": "\#(text(1 << 20 - 8))"}"#),
            bad: respond(#""body": {"x": "\#(text(1 << 20 - 7))"}"#),
            message: "respond.body has 1,048,577 bytes as JSON; expected at most 1,048,576", isCrossReference: true),
        Bound(
            name: "the text of a GOAWAY", good: #"{"goAway": {"text": "\#(text(16_376))"}}"#,
            bad: #"{"goAway": {"text": "\#(text(16_377))"}}"#,
            message: "goAway.text is a text of 16,377 bytes; expected at most 16,376"),
        Bound(
            name: "GOAWAY frames", good: #"{"goAway": \#(list(100, "{}"))}"#, bad: #"{"goAway": \#(list(101, "{}"))}"#,
            message: "goAway lists 101 GOAWAY frames; expected at most 100"),
        Bound(
            name: "RST_STREAM frames", good: #"{"resetStream": \#(list(100, "7"))}"#,
            bad: #"{"resetStream": \#(list(101, "7"))}"#,
            message: "resetStream lists 101 error codes; expected at most 100"),
        Bound(
            name: "retry-after", good: #"{"reject": "TooManyRequests", "retryAfter": 1000000000}"#,
            bad: #"{"reject": "TooManyRequests", "retryAfter": 1000000001}"#, message: "retryAfter is 1000000001"),
        Bound(
            name: "a timestamp", good: #"{"reject": "Unregistered", "timestamp": 253402300799999}"#,
            bad: #"{"reject": "Unregistered", "timestamp": 253402300800000}"#, message: "timestamp is 253402300800000"),
        Bound(
            name: "a stream limit", good: #"{"pass": true, "settings": {"maxConcurrentStreams": 2147483647}}"#,
            bad: #"{"pass": true, "settings": {"maxConcurrentStreams": 2147483648}}"#,
            message: "maxConcurrentStreams is 2147483648"),
    ]

    @Test("A scenario's step is good up to its bound, and a mistake with the figure beyond", arguments: bounds)
    func scenario(bound: Bound) throws {
        #expect(Scenario.read(Array(#"{"rules": [{"then": \#(bound.good)}]}"#.utf8)).1.isEmpty)
        let (scenario, mistakes) = Scenario.read(Array(#"{"rules": [{"then": \#(bound.bad)}]}"#.utf8))
        #expect(scenario == nil)
        #expect(mistakes.count == 1)
        let mistake = try #require(mistakes.first)
        #expect(mistake.message.contains(bound.message), "\(mistake.message)")
        #expect(mistake.message.utf8.count < 1000)
        #expect(mistake.isCrossReference == bound.isCrossReference)
        #expect(mistake.offset >= 19)
    }

    @Test("The same reader reads rules, sessions and GOAWAYs of the API", arguments: bounds)
    func calls(bound: Bound) throws {
        for (step, isGood) in [(bound.good, true), (bound.bad, false)] {
            let rule = try JSONText.read(Array(#"{"then": \#(step)}"#.utf8))
            #expect((Scenario().rule(from: rule, defaultName: "r").0 != nil) == isGood)
            let session = try JSONText.read(Array(#"{"scenario": {"rules": [{"then": \#(step)}]}}"#.utf8))
            #expect((SessionRequest.read(session).0 != nil) == isGood)
            let text = try JSONText.read(Array(step.utf8))
            if let frames = text["goAway"] { #expect((Scenario().goAway(from: frames).0 != nil) == isGood) }
            if let settings = text["settings"] { #expect((Scenario().settings(from: settings).0 != nil) == isGood) }
            guard text["goAway"] != nil || text["settings"] != nil else { continue }
            let action = text["goAway"].map { #""goAway": \#($0.text)"# } ?? #""settings": \#(text["settings"]!.text)"#
            let timeline = #"{"timeline": [{"at": "1s", "do": {\#(action)}}]}"#
            #expect((Scenario.read(Array(timeline.utf8)).0 != nil) == isGood)
        }
    }

    @Test func numbersHaveCommas() {
        #expect([0, 999, 1000, -1000, 1_234_567].map(\.withCommas) == ["0", "999", "1,000", "-1,000", "1,234,567"])
        #expect(Int.min.withCommas == "-9,223,372,036,854,775,808")
    }
}
