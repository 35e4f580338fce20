import Foundation
import GatewayRigs
import Testing

@testable import MockAPNSCore

/// Requests as lines of a list, which have a bound.
@Suite struct RequestRowTests {
    private static func row(_ push: RecordedPush, in apps: Apps = Apps([])) throws -> [String: Any] {
        var log = RequestLog()
        push.append(to: &log)
        var bytes: [UInt8] = []
        try #require(log.snapshot.appendRow(of: 1, in: apps, to: &bytes))
        #expect(bytes.count <= RequestRow.limit && !bytes.contains(UInt8(ascii: "\n")))
        return try parse(try #require(String(validating: bytes, as: UTF8.self)))
    }

    @Test func hasTheMembersOfTheAPI() throws {
        var push = RecordedPush(body: #"{"aps":{"alert":{"body":"now","title":"2-1"}}}"#)
        push.add(":path", "/3/device/\(RecordedPush.deviceToken)") {
            $0.token = ByteRange(start: Int($1.start) + 10, count: Int($1.count) - 10)
        }
        push.add("apns-topic", "a.b") { $0.topic = $1 }
        push.add("apns-push-type", "alert") { $0.pushType = $1 }
        push.add("apns-collapse-id", "score") { $0.collapseID = $1 }
        push.record.status = 200
        push.record.delivery = .delivered
        push.record.replacedBy = 12
        push.attachments = [(.device, "alice")]
        push.record.apnsID = .made(.init(high: 1, low: 2))
        var log = RequestLog()
        push.append(to: &log)
        var bytes: [UInt8] = []
        #expect(log.snapshot.appendRow(of: 1, in: Apps([]), to: &bytes))
        let head =
            #"{"event":"request","sequence":1,"time":"2026-11-21T10:00:00.123Z","device":"alice","token":"00fc13ad","#
        let tail =
            #""outcome":"responded","title":"2-1","delivery":"Delivered to Device","decidedBy":"checks","replacedBy":12,"collapseID":"score"}"#
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == head + #""pushType":"alert","topic":"a.b","status":200,"# + tail)
    }

    @Test func whatIsAbsentIsLeftOut() throws {
        var push = RecordedPush(body: "no JSON")
        push.record.outcome = .reset
        push.record.decidedBy = .connection
        #expect(Set(try Self.row(push).keys) == ["event", "sequence", "time", "outcome", "decidedBy"])
    }

    @Test("A publish that devices ignore says why")
    func ignoredPublish() throws {
        var log = RequestLog()
        RecordedPush.ordinary().append(to: &log)
        var texts = CallRecord.Texts()
        texts.ignored = Array("Too late.".utf8)
        log.attach(CallRecord(), texts)
        var bytes: [UInt8] = []
        #expect(log.snapshot.appendRow(of: 1, in: Apps([]), isWhole: true, to: &bytes))
        #expect(try parse(String(decoding: bytes, as: UTF8.self))["ignored"] as? String == "Too late.")
    }

    @Test("A request about channels that fits no call is told from a push")
    func noCall() throws {
        var log = RequestLog()
        RecordedPush.ordinary().append(to: &log)
        RecordedPush.ordinary().append(to: &log)
        log.attach(CallRecord(), CallRecord.Texts())
        let calls = try (1...2).map { sequence in
            var bytes: [UInt8] = []
            try #require(log.snapshot.appendRow(of: sequence, in: Apps([]), to: &bytes))
            return try parse(String(decoding: bytes, as: UTF8.self))["call"]
        }
        #expect(calls[0] == nil && calls[1] is NSNull)
    }

    @Test func sendersOtherThanProvidersAreNamed() throws {
        var push = RecordedPush.ordinary()
        #expect(try Self.row(push)["sentBy"] == nil)
        push.record.connectionID = 0
        #expect(try Self.row(push)["sentBy"] as? String == "admin")
    }

    static let titles: [(aps: String, title: String?)] = [
        (#"{"alert":"Hello"}"#, "Hello"), (#"{"alert":{"title":"a","body":"b"}}"#, "a"),
        (#"{"alert":{"title":"","body":"b"}}"#, "b"), (#"{"alert":{"loc-key":"WON"}}"#, "WON"),
        (#"{"alert":{"subtitle":"s"}}"#, "s"), (#"{"alert":{}}"#, nil), (#"{"content-available":1}"#, nil),
        (#"{"alert":7}"#, nil), (#"{"alert":"two\nlines"}"#, "two\nlines"),
    ]

    @Test(arguments: titles.indices)
    func theTitleIsTheFirstText(index: Int) throws {
        let row = try Self.row(RecordedPush(body: #"{"aps":\#(Self.titles[index].aps)}"#))
        #expect(row["title"] as? String == Self.titles[index].title)
    }

    @Test("A localized alert has the text that a person reads; without a string it is the key, as on a device")
    func localizedTitles() throws {
        var app = App(topic: "com.example.app")
        app.strings.languages = ["en": ["MOVE": "%@ has moved"]]
        var push = RecordedPush(body: #"{"aps":{"alert":{"loc-key":"MOVE","loc-args":["Bob"]}}}"#)
        push.add("apns-topic", "com.example.app") { $0.topic = $1 }
        #expect(try Self.row(push, in: Apps([app]))["title"] as? String == "Bob has moved")
        #expect(try Self.row(push)["title"] as? String == "MOVE")
        push.body = Array(#"{"aps":{"alert":{"title-loc-key":"WON","loc-key":"MOVE"}}}"#.utf8)
        #expect(try Self.row(push, in: Apps([app]))["title"] as? String == "WON")
    }

    @Test("A client's apns-id is kept before long texts; one of the server's making goes first")
    func ids() throws {
        var push = RecordedPush.ordinary()
        push.body = Array(#"{"aps":{"alert":"\#(String(repeating: "Long ", count: 40))"}}"#.utf8)
        #expect(try Self.row(push)["apnsID"] == nil, "seven texts have no room beside it")
        push.record.collapseIDRange = .absent
        push.record.pushTypeRange = .absent
        let sent = try Self.row(push)
        #expect(sent["apnsID"] as? String == "EABE9F27-06B2-4FCC-8E9B-3FA3D5B6A6B1")
        #expect((sent["title"] as? String)?.hasSuffix("…") == true)
        push.record.apnsID = .made(.init(high: 1, low: 2))
        let made = try Self.row(push)
        #expect(made["apnsID"] == nil)
        let titles = try [sent, made].map { try #require($0["title"] as? String).count }
        #expect(titles[0] < titles[1])
        push.body = Array("{}".utf8)
        #expect(try Self.row(push)["apnsID"] as? String == "00000000-0000-0001-0000-000000000002")
    }

    @Test("Outside of events, a row has everything, however long")
    func wholeRows() throws {
        var push = RecordedPush.ordinary()
        let text = String(repeating: "Long ", count: 400)
        push.body = Array(#"{"aps":{"alert":"\#(text)"}}"#.utf8)
        push.record.apnsID = .made(.init(high: 1, low: 2))
        var log = RequestLog()
        push.append(to: &log)
        var bytes: [UInt8] = []
        #expect(log.snapshot.appendRow(of: 1, in: Apps([]), isWhole: true, to: &bytes))
        let row = try parse(String(decoding: bytes, as: UTF8.self))
        #expect(row["title"] as? String == text)
        #expect(row["apnsID"] as? String == "00000000-0000-0001-0000-000000000002")
    }

    @Test func textsAreCutBetweenCharacters() throws {
        var push = RecordedPush.ordinary()
        push.body = Array(#"{"aps":{"alert":"\#(String(repeating: "👩‍👩‍👧‍👦", count: 40))"}}"#.utf8)
        let title = try #require(try Self.row(push)["title"] as? String)
        #expect(title.hasSuffix("…") && title.dropLast().allSatisfy { $0 == "👩‍👩‍👧‍👦" })
    }

    @Test("However long and odd everything is, it fits", arguments: 0..<200)
    func fits(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let alphabets = ["a", "\"", "\\", "\u{1}", "é", "👍🏽", "a\u{301}", "\u{2028}"]
        func text(_ limit: UInt64) -> String {
            let one = alphabets[Int(random.next() % 8)]
            return String(repeating: one, count: Int(random.next() % limit))
        }
        var push = RecordedPush(body: "")
        var body: [UInt8] = Array(#"{"aps":{"alert":"#.utf8)
        body.appendJSON(text(400))
        push.body = body + Array("}}".utf8)
        push.add(":path", text(200)) { $0.token = $1 }
        push.add("apns-topic", text(300)) { $0.topic = $1 }
        push.add("apns-push-type", text(300)) { $0.pushType = $1 }
        push.add("apns-collapse-id", text(300)) { $0.collapseID = $1 }
        push.record.status = 429
        push.record.reason = .tooManyProviderTokenUpdates
        push.record.delivery = .discardedUnregisteredFromStorage
        push.record.replacedBy = .max
        if seed.isMultiple(of: 2) { push.record.connectionID = 0 }
        push.record.decidedBy = .rule
        push.attachments = [(.device, text(200)), (.rule, text(200))]
        push.record.apnsID = .made(.init(high: 1, low: 2))
        let row = try Self.row(push)
        #expect(row["reason"] as? String == "TooManyProviderTokenUpdates" && row["decidedBy"] != nil)
    }
}
