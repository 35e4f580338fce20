import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

@Suite struct RequestQueryTests {
    /// An ordinary push, number 1, and one in which everything is otherwise, number 2.
    static let log: RequestLog = {
        var log = RequestLog()
        var push = RecordedPush.ordinary()
        push.record.serverName = log.index(ofServerName: "localhost")
        push.attachments = [(.device, "alice")]
        push.append(to: &log)
        var other = RecordedPush(body: "")
        other.record.apnsID = .made(.init(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210))
        other.record.connectionID = 2
        other.record.inFlight = 5
        other.record.requestOnConnection = 9
        other.record.status = 410
        other.record.reason = .unregistered
        other.record.outcome = .delayed
        other.record.decidedBy = .rule
        other.attachments = [(.rule, "gone")]
        other.append(to: &log)
        return log
    }()

    @Test(arguments: [
        ("device", "alice", "bob"),
        ("token", RecordedPush.deviceToken, "00fc"), ("token", RecordedPush.deviceToken.uppercased(), "zz"),
        ("topic", "com.example.app", "com.example"), ("pushType", "alert", "background"), ("priority", "10", "5"),
        ("collapseID", "score", "Score"),
        ("apnsID", "EABE9F27-06B2-4FCC-8E9B-3FA3D5B6A6B1", "EABE9F27-06B2-4FCC-8E9B-3FA3D5B6A6B2"),
        ("apnsID", "eabe9f27-06b2-4fcc-8e9b-3fa3d5b6a6b1", "eabe9f27"), ("expiration", "0", "1"),
        ("keyID", "ABC123DEFG", "ABC123DEFH"), ("teamID", "DEF123GHIJ", "DEF123GHIK"),
        ("body", #"{"aps":{"alert":"Hello"}}"#, "{}"), ("payloadBytes", "25", "26"), ("connection", "1", "3"),
        ("requestOnConnection", "1", "2"), ("providerToken", "1", "2"), ("inFlight", "1", "2"),
        ("serverName", "localhost", "api.push.apple.com"), ("status", "200", "400"),
        ("outcome", "responded", "stalled"), ("decidedBy", "checks", "device"),
        ("delivery", "Delivered to Device", "Stored - Device Offline"),
    ])
    func findsTheOrdinaryPush(field: String, hit: String, miss: String) throws {
        #expect(try sequences([(field, hit)]) == [1])
        #expect(try sequences([(field, miss)]) == [])
    }

    @Test(arguments: [
        ("apnsID", "01234567-89AB-CDEF-FEDC-BA9876543210"), ("apnsID", "01234567-89ab-cdef-fedc-ba9876543210"),
        ("status", "410"), ("reason", "Unregistered"), ("outcome", "delayed"), ("decidedBy", "rule:gone"),
        ("decidedBy", "rule:gone"), ("connection", "2"), ("inFlight", "5"), ("requestOnConnection", "9"),
        ("payloadBytes", "0"),
    ])
    func findsTheOther(field: String, hit: String) throws {
        #expect(try sequences([(field, hit)]) == [2])
    }

    @Test func allConditionsMustHold() throws {
        #expect(try sequences([]) == [1, 2])
        #expect(try sequences([("status", "200"), ("connection", "1")]) == [1])
        #expect(try sequences([("status", "200"), ("connection", "2")]) == [])
        #expect(try sequences([("decidedBy", "rule:other")]) == [])
    }

    @Test(arguments: [
        (RequestField.status, ValueMatcher.range(atLeast: 201, atMost: nil), [2]),
        (.status, .range(atLeast: 200, atMost: 410), [1, 2]), (.status, .range(atLeast: nil, atMost: 200), [1]),
        (.priority, .exists(false), [2]), (.priority, .exists(true), [1]), (.priority, .not(.number(5)), [1, 2]),
        (.topic, .prefix(Array("com.".utf8)), [1]), (.topic, .contains(Array("example".utf8)), [1]),
        (.topic, .contains(Array("none".utf8)), []), (.topic, .exists(false), [2]),
        (.topic, .anyOf([.equals("a"), .equals("com.example.app")]), [1]), (.topic, .not(.exists(true)), [2]),
        (.token, .prefix(Array("00FC".utf8)), [1]), (.keyID, .prefix(Array("ABC".utf8)), [1]),
        (.reason, .exists(false), [1]), (.reason, .not(.equals("Unregistered")), [1]),
        (.delivery, .prefix(Array("Delivered".utf8)), [1]), (.decidedBy, .prefix(Array("rule:".utf8)), [2]),
        (.apnsID, .prefix(Array("0123".utf8)), [2]), (.apnsID, .prefix(Array("EABE".utf8)), [1]),
        (.serverName, .exists(true), [1]), (.body, .contains(Array("Hello".utf8)), [1]),
        (.outcome, .anyOf([.equals("delayed"), .equals("responded")]), [1, 2]),
    ])
    func takesOtherMatchers(field: RequestField, matcher: ValueMatcher, expected: [Int]) {
        var match = RequestMatch()
        match.require(field, matcher)
        #expect(Self.log.snapshot.sequences(match) == expected)
        #expect(Self.log.snapshot.count(match) == expected.count)
    }

    @Test(arguments: RequestField.allCases) func everyFieldCanBeAsked(field: RequestField) {
        var both = 0
        for matcher in [ValueMatcher.exists(true), .exists(false)] {
            var match = RequestMatch()
            match.require(field, matcher)
            both += Self.log.snapshot.count(match)
        }
        // What only calls about channels have is asked of calls, and both of these are pushes.
        #expect(both == ([.channel, .requestID].contains(field) ? 0 : 2))
    }

    @Test func findsOneRecord() throws {
        let snapshot = Self.log.snapshot
        let second = try #require(snapshot.record("2"))
        #expect(try parse(String(decoding: second, as: UTF8.self))["sequence"] as? Int == 2)
        #expect(snapshot.record("01234567-89ab-cdef-fedc-ba9876543210") == second)
        for unknown in ["0", "3", "-1", "x", ""] { #expect(snapshot.record(unknown) == nil, "\(unknown)") }
    }

    // MARK: Pages

    @Test(
        arguments: [
            ([], Array(1001...1100)), ([("limit", "3")], [1001, 1002, 1003]), ([("limit", "0")], []),
            ([("after", "0"), ("limit", "1")], [1001]), ([("after", "2999")], [3000]), ([("after", "3000")], []),
            ([("order", "asc"), ("after", "1500"), ("limit", "2")], [1501, 1502]),
            ([("order", "desc"), ("limit", "2")], [3000, 2999]),
            ([("order", "desc"), ("after", "1003")], [1002, 1001]), ([("order", "desc"), ("limit", "0")], []),
            ([("limit", "1000"), ("after", "1999")], Array(2000...2999)),
        ] as [([(String, String)], [Int])])
    func givesPages(parameters: [(String, String)], expected: [Int]) throws {
        var log = RequestLog(limit: 2000)
        RecordedPush.ordinary().append(to: &log, times: 3000)
        let page = log.snapshot.find(
            try RequestQuery(parameters: parameters.map { (name: $0, value: $1) }, at: GatewayRig.now))
        #expect(page.count == expected.count)
        let answer = try parse(String(decoding: page.json, as: UTF8.self))
        #expect(answer["total"] as? Int == 2000)
        #expect(answer["dropped"] as? Int == 1000)
        #expect((answer["requests"] as? [[String: Any]])?.map { $0["sequence"] as? Int } == expected)
    }

    @Test func apiAndFileHaveTheSameBytesButForDeliveries() throws {
        let deliveries =
            #","deliveries":[{"state":"Delivered to Device","clock":"2026-11-21T10:00:00.123Z"}]}"#
        let line = try Self.log.line(of: 1).replacing("}\n", with: deliveries + "\n")
        let page = Self.log.snapshot.find(try RequestQuery(parameters: [("status", "200")], at: GatewayRig.now))
        let json = String(decoding: page.json, as: UTF8.self)
        #expect(json == #"{"requests":[\#(line.dropLast())],"total":1,"dropped":0}"#)
    }

    // MARK: Mistakes

    @Test(arguments: [
        ("devcie", "x", #"Did you mean "device"?"#), ("Topic", "x", #"Did you mean "topic"?"#),
        ("collapseId", "x", #"Did you mean "collapseID"?"#), ("ordre", "asc", #"Did you mean "order"?"#),
        ("zzzzzzzz", "x", "Known are device, token"), ("", "x", "There is no parameter"),
        ("status", "ok", "expected a whole number"), ("priority", "1.5", "expected a whole number"),
        ("limit", "1001", "0 to 1000"), ("limit", "-1", "0 to 1000"), ("after", "-1", "from 0 on"),
        ("after", "x", "from 0 on"),
        ("order", "up", #""asc" or "desc""#), ("reason", "Unregisterd", #"Did you mean "Unregistered"?"#),
        ("outcome", "response", #"Did you mean "responded"?"#), ("decidedBy", "check", #"Did you mean "checks"?"#),
        ("delivery", "Delivered", "which no record has"),
    ])
    func saysWhatIsWrong(name: String, value: String, message: String) {
        let error = #expect(throws: QueryError.self) {
            try RequestQuery(parameters: [(name, value)], at: GatewayRig.now)
        }
        #expect(error?.key == name)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test func takesAParameterOnce() {
        #expect(throws: QueryError(key: "status", message: "status is given more than once.")) {
            try RequestQuery(parameters: [("status", "200"), ("status", "410")], at: GatewayRig.now)
        }
    }

    @Test(arguments: [
        ("tpoic", "topic"), ("toppic", "topic"), ("tpic", "topic"), ("TOPIC", "topic"), ("pushtype", "pushType"),
        ("completely", nil), ("x", nil),
    ])
    func findsTheNearestWord(word: String, expected: String?) {
        #expect(nearestWord(to: word, among: ["topic", "pushType", "status"]) == expected)
    }

    private func sequences(_ parameters: [(name: String, value: String)]) throws -> [Int] {
        Self.log.snapshot.sequences(try RequestQuery(parameters: parameters, at: GatewayRig.now).match)
    }
}
