import GatewayRigs
import Testing

@testable import MockAPNSCore

/// The search in words, as in the page's field and the parameter `q`.
@Suite struct RequestSearchTests {
    /// An ordinary push, number 1, and one that a rule refused, number 2.
    private static let log: RequestLog = {
        var log = RequestLog()
        var push = RecordedPush.ordinary()
        push.add("user-agent", "aioapns/3.3 (Linux)")
        push.record.time = Timestamp("2026-11-21T10:00:00Z")!
        push.attachments = [(.device, "alice")]
        push.append(to: &log)
        var other = RecordedPush(body: #"{"aps":{"alert":"Ziel erreicht","badge":3}}"#)
        other.record.apnsID = .made(.init(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210))
        other.record.time = Timestamp("2026-11-21T12:40:00Z")!
        other.record.latencyMicroseconds = 250_000
        (other.record.status, other.record.reason, other.record.decidedBy) = (429, .tooManyRequests, .rule)
        other.attachments = [(.rule, "too fast")]
        other.append(to: &log)
        return log
    }()

    private static func find(_ text: String) throws -> [Int] {
        var query = RequestQuery()
        query.match.search = try RequestSearch(text, at: Timestamp("2026-11-21T15:00:00Z")!)
        return log.snapshot.search(for: query).finish().sequences
    }

    @Test(
        "A word finds a push by anything that people know of it",
        arguments: [
            ("hello", [1]), ("HELLO", [1]), ("alice", [1]), (String(RecordedPush.deviceToken.prefix(8)), [1]),
            ("eabe9f27", [1]), ("01234567", [2]), ("score", [1]), ("example.app", [1]), ("TooManyRequests", [2]),
            ("429", [2]), ("fast", [2]), ("abc123", [1]), ("def123", [1]), ("aioapns", [1]), ("2", [2]), ("7", []),
            ("delivered", [1]), ("\"ziel erreicht\"", [2]), ("\"ziel  erreicht\"", []), ("ziel badge", [2]),
            ("ziel hello", []), ("nothing", []), ("", [1, 2]), ("https://", []), ("#2", [2]), ("-#2", [1]), ("#3", []),
        ])
    func word(text: String, found: [Int]) throws { #expect(try Self.find(text) == found) }

    @Test(
        "A word finds what the payload spells with escapes",
        arguments: [
            ("köln", 1), ("k\\u00f6ln", 1), ("a/b", 1), ("😀", 1), ("two\nlines", 1), ("straße", 1), ("größe", 1),
            ("berlin", 0),
        ])
    func escaped(text: String, count: Int) throws {
        var log = RequestLog()
        let alert = #""alert":"K\u00f6ln a\/b \ud83d\ude00 two\nlines""#
        RecordedPush(body: #"{"aps":{\#(alert)},"Stra\u00dfe":{"Gr\u00f6\u00dfe":3}}"#).append(to: &log)
        var query = RequestQuery()
        query.match.search = try RequestSearch("\"\(text)\"", at: Timestamp("2026-11-21T15:00:00Z")!)
        #expect(log.snapshot.search(for: query).finish().sequences.count == count)
    }

    @Test(
        "A key asks for one field, or for a quality",
        arguments: [
            ("status:200", [1]), ("status:4xx", [2]), ("status:4XX", [2]), ("status:200,4xx", [1, 2]),
            ("-status:200,503", [2]), ("rule:\"a, b\",\"too fast\"", [2]), ("device:alice", [1]), ("device:ali", []),
            ("token:\(RecordedPush.deviceToken.prefix(4))", [1]), ("reason:toomanyrequests", [2]),
            ("rule:\"too fast\"", [2]), ("decided:checks", [1]), ("priority:10", [1]), ("type:alert", [1]),
            ("is:refused", [2]), ("is:stored", []), ("has:collapse", [1]), ("has:reason", [2]),
            ("agent:AIOAPNS", [1]), ("larger:26", [2]), ("smaller:1k", [1, 2]), ("larger:1k", []),
            ("slower:250ms", [2]), ("slower:251ms", []), ("-slower:1s", [1, 2]),
            ("after:12:00", [2]), ("before:12:40", [1]), ("before:2026-11-21", []), ("after:2026-11-21", [1, 2]),
            ("payload:/aps/badge", [2]), ("payload:/aps/badge>2", [2]), ("payload:/aps/badge<3", []),
            ("payload:/aps/badge=3", [2]), ("payload:/aps/alert=hello", [1]), ("-status:200", [2]), ("-hello", [2]),
            ("-is:refused -hello", []), ("-", []), ("key:ABC123DEFG", [1]), ("team:DEF123GHIJ", [1]),
            ("connection:1", [1, 2]), ("by:provider", [1, 2]), ("by:admin", []),
        ])
    func key(text: String, found: [Int]) throws { #expect(try Self.find(text) == found) }

    @Test(
        "A number in the payload need not be whole to be compared",
        arguments: [
            ("/score>2.25", true), ("/score>2.5", false), ("/score>3", false), ("/score<2.75", true),
            ("/score<2.5", false), ("/score<2", false), ("/score=2.5", true), ("/whole>2", true), ("/whole<3", false),
            ("/far>5", true), ("/far<5", false), ("/text>1", false), ("/text<9", false), ("/none>1", false),
        ])
    func number(term: String, isFound: Bool) throws {
        var log = RequestLog()
        RecordedPush(body: #"{"aps":{},"score":2.5,"whole":3.0,"far":1e300,"text":"3"}"#).append(to: &log)
        var query = RequestQuery()
        query.match.search = try RequestSearch("payload:" + term, at: GatewayRig.now)
        #expect(log.snapshot.search(for: query).finish().sequences.isEmpty != isFound)
    }

    @Test(
        "A mistake is named",
        arguments: [
            ("stauts:410", #"did you mean "status"?"#), ("status:", "needs a value"), ("status:many", "a number"),
            ("is:new", "expected is:refused"), ("has:badge", "expected a field"), ("larger:big", "a size in bytes"),
            ("slower:10", "expected a duration"),
            ("after:noon", "expected a time"), ("payload:badge", "a JSON Pointer"),
            ("payload:/aps/badge>many", "a number after it"), ("-lint:badge-type", #"works without "-""#),
            (String(repeating: "x", count: 1001), "1001 bytes; expected at most 1000"),
        ])
    func mistake(text: String, message: String) {
        let error = #expect(throws: QueryError.self) { try Self.find(text) }
        #expect(error?.key == "q" && error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test("It goes with other conditions, and a search by the sender finds what the page has sent")
    func together() throws {
        var query = try RequestQuery(parameters: [("q", "ziel"), ("status", "429")], at: GatewayRig.now)
        #expect(Self.log.snapshot.search(for: query).finish().sequences == [2])
        query = try RequestQuery(parameters: [("q", "ziel"), ("status", "200")], at: GatewayRig.now)
        #expect(Self.log.snapshot.search(for: query).finish().sequences == [])
        var log = RequestLog()
        var push = RecordedPush.ordinary()
        push.record.connectionID = 0
        push.append(to: &log)
        for (text, count) in [("by:admin", 1), ("is:sent", 1), ("hello", 0)] {
            query = try RequestQuery(parameters: [("q", text)], at: GatewayRig.now)
            #expect(log.snapshot.search(for: query).finish().sequences.count == count, "\(text)")
        }
    }

    @Test("What lint has found is asked for by its rule, or by any warning")
    func findings() throws {
        #expect(try RequestSearch("lint:badge-type goal", at: GatewayRig.now).lint == .rule("badge-type"))
        #expect(try RequestSearch("is:linted", at: GatewayRig.now).lint == .anyWarning)
        #expect(try RequestSearch("goal", at: GatewayRig.now).lint == nil)
    }
}
