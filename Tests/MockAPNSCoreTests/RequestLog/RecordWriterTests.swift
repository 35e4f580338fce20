import Foundation
import GatewayRigs
import Testing

@testable import MockAPNSCore

@Suite struct RecordWriterTests {
    @Test func writesTheContractsMembersAndTokenNumber() throws {
        var push = RecordedPush.ordinary()
        push.attachments = [(.device, "alice")]
        let token = RecordedPush.deviceToken
        let expected =
            #"{"event":"request","sequence":1,"time":"2026-11-21T10:00:00.123Z","#
            + #""clock":"2026-11-21T10:00:00.123Z","#
            + #""connection":1,"connectionID":1,"stream":1,"method":"POST","path":"/3/device/\#(token)","token":"\#(token)","#
            + #""device":"alice","#
            + #""headers":[[":scheme","https"],[":authority","localhost:2197"],"#
            + #"["authorization","bearer \#(RecordedPush.withoutSignature)."],["apns-topic","com.example.app"],"#
            + #"["apns-push-type","alert"],["apns-priority","10"],["apns-expiration","0"],"#
            + #"["apns-collapse-id","score"],"#
            + #"["apns-id","EABE9F27-06B2-4FCC-8E9B-3FA3D5B6A6B1"]],"topic":"com.example.app","pushType":"alert","#
            + #""priority":10,"expiration":0,"collapseID":"score","apnsID":"EABE9F27-06B2-4FCC-8E9B-3FA3D5B6A6B1","#
            + #""uniqueID":"4084a6e4-9ea8-6d2a-ca49-9a344a152da7","inFlight":1,"payload":{"aps":{"alert":"Hello"}},"#
            + #""payloadText":null,"payloadBytes":25,"sentBy":"provider","authentication":{"method":"token","keyID":"ABC123DEFG","#
            + #""teamID":"DEF123GHIJ","issuedAt":1795255200,"providerToken":1,"signature":"raw","verdict":"valid"},"#
            + #""providerTokenNumber":1,"#
            + #""status":200,"reason":null,"outcome":"responded","decidedBy":"checks","explanation":null,"#
            + #""delivery":"Delivered to Device","replacedBy":null,"latencyMicroseconds":85}"# + "\n"
        #expect(try push.line() == expected)
    }

    @Test func writesARefusal() throws {
        var push = RecordedPush(body: "")
        push.record.status = 403
        push.record.reason = .expiredProviderToken
        push.record.verdict = .rejected(.expiredProviderToken)
        push.record.decidedBy = .rule
        push.record.outcome = .delayed
        push.record.apnsID = .made(.init(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210))
        push.record.replacedBy = 12
        push.attachments = [
            (.explanation, "It says \"no\" …\n"), (.rule, "busy \"twice\""), (.topic, "com.example.other"),
        ]
        let record = try push.parsed()
        #expect(record["status"] as? Int == 403)
        #expect(record["reason"] as? String == "ExpiredProviderToken")
        #expect(record["decidedBy"] as? String == "rule:busy \"twice\"")
        #expect(record["outcome"] as? String == "delayed")
        #expect(record["explanation"] as? String == "It says \"no\" …\n")
        #expect(record["topic"] as? String == "com.example.other")
        #expect(record["apnsID"] as? String == "01234567-89AB-CDEF-FEDC-BA9876543210")
        #expect(record["replacedBy"] as? Int == 12)
        let authentication = try #require(record["authentication"] as? [String: Any])
        #expect(authentication["method"] as? String == "none")
        #expect(authentication["verdict"] as? String == "ExpiredProviderToken")
        for member in [
            "method", "path", "token", "device", "pushType", "priority", "expiration", "collapseID", "uniqueID",
            "payload",
            "payloadText", "delivery",
        ] { #expect(record[member] is NSNull, "\(member)") }
        for member in ["keyID", "teamID", "issuedAt", "providerToken", "signature"] {
            #expect(authentication[member] is NSNull, "\(member)")
        }
        #expect(record["payloadBase64"] == nil)
    }

    @Test func writesTimesOfBothClocks() throws {
        var log = RequestLog()
        var writer = RecordWriter()
        var push = RecordedPush()
        for milliseconds in [0, 7, 999, 1000, 999, -1, 1_795_255_200_045] as [Int64] {
            push.record.time = Timestamp(milliseconds: milliseconds)
            push.record.clock = Timestamp(milliseconds: milliseconds + 86_400_000)
            let sequence = push.append(to: &log)
            var line: [UInt8] = []
            log.appendLine(of: sequence, using: &writer, to: &line)
            let record = try parse(String(decoding: line, as: UTF8.self))
            #expect(record["time"] as? String == Timestamp(milliseconds: milliseconds).text)
            #expect(record["clock"] as? String == Timestamp(milliseconds: milliseconds + 86_400_000).text)
        }
    }

    // MARK: Payloads

    @Test(arguments: [
        (#"{ "a" : [ 1.0 , 1e5, -0, 12345678901234567890.10 ] }"#, #"{"a":[1.0,1e5,-0,12345678901234567890.10]}"#),
        (#"{"a":"\u00e9\/\n ü  \" x"}"#, #"{"a":"\u00e9\/\n ü  \" x"}"#),
        ("\t{}\r\n", "{}"),
        (" 5 ", "5"),
        (#"{"a":1,"a":2}"#, #"{"a":1,"a":2}"#),
    ])
    func minifiesThePayloadAndKeepsItsSpelling(body: String, expected: String) throws {
        let line = try RecordedPush(body: body).line()
        #expect(line.contains(#","payload":\#(expected),"payloadText":null,"payloadBytes":\#(body.utf8.count),"#))
    }

    @Test(
        "What strict readers of JSON refuse is text",
        arguments: [
            #"{"a":"\ud83d"}"#, #"{"a":"\uDE00x"}"#, #"{"\ud83d\u0041":1}"#, #"["\ud83d\ud83d\ude00"]"#,
            #"{"a":1e999}"#, #"[-1E+400]"#, "[\(String(repeating: "9", count: 310))]",
        ])
    func writesWhatOthersRefuseAsText(body: String) throws {
        let record = try RecordedPush(body: body).parsed()
        #expect(record["payload"] is NSNull)
        #expect(record["payloadText"] as? String == body)
    }

    @Test(
        "What all readers take stays JSON",
        arguments: [
            #"{"a":"\ud83d\ude00"}"#, #"{"a":"\\ud83d"}"#, "[1.7976931348623157e308]", "[1e-999]",
            "[\(String(repeating: "9", count: 308))]", #"{"a":"\ufffd"}"#,
        ])
    func keepsWhatAllReadersTake(body: String) throws {
        #expect(try RecordedPush(body: body).line().contains(#","payload":\#(body),"payloadText":null"#))
    }

    @Test(arguments: ["no JSON", #"{"a":1"#, #"{"a":1,}"#, "\"", " ", "ü\u{1}\u{7f}\\"])
    func writesOtherTextAsText(body: String) throws {
        let record = try RecordedPush(body: body).parsed()
        #expect(record["payload"] is NSNull)
        #expect(record["payloadText"] as? String == body)
        #expect(record["payloadBase64"] == nil)
    }

    @Test(arguments: [[0xFF], [0x7B, 0xC3, 0x7D], [0xED, 0xA0, 0x80, 1], [0, 1, 2, 0xF0, 0x9F]] as [[UInt8]])
    func writesOtherBytesInBase64(body: [UInt8]) throws {
        var push = RecordedPush()
        push.body = body
        let record = try push.parsed()
        #expect(record["payload"] is NSNull)
        #expect(record["payloadText"] is NSNull)
        #expect(Data(base64Encoded: try #require(record["payloadBase64"] as? String)) == Data(body))
    }

    @Test func writesAllThereIsOfALongBody() throws {
        var push = RecordedPush(body: String(repeating: "é", count: 100))
        push.body.removeLast()
        push.record.payloadBytes = 9000
        let record = try push.parsed()
        #expect(record["payloadText"] as? String == String(repeating: "é", count: 99))
        #expect(record["payloadBytes"] as? Int == 9000)
        push.body = Array("{}".utf8)
        #expect(try push.parsed()["payloadText"] as? String == "{}")
    }

    // MARK: Hostile input

    @Test func everyByteInAFieldGivesValidJSON() throws {
        for byte in UInt8.min...UInt8.max {
            var push = RecordedPush()
            push.add([0x78, byte], [0x61, byte, 0x62])
            push.add("apns-topic", "x") { $0.topic = $1 }
            push.fields[1].value = [byte]
            push.body = [0x22, byte, 0x22]
            let record = try push.parsed()
            let text = String(decoding: [byte], as: UTF8.self)
            #expect(record["headers"] as? [[String]] == [["x" + text, "a" + text + "b"], ["apns-topic", text]])
            #expect(record["topic"] as? String == text)
        }
    }

    @Test func randomBytesGiveValidJSON() throws {
        var random = SeededRandom(seed: 7)
        var log = RequestLog()
        for _ in 0..<2000 {
            var push = RecordedPush()
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                let name = random.bytes(0...20)
                let value = random.bytes(0...90)
                push.add(name, value)
                push.record.collapseID = ByteRange(start: push.headerLength - value.count, count: value.count)
            }
            push.body = random.bytes(0...90)
            let sequence = push.append(to: &log)
            let record = try parse(log.line(of: sequence))
            #expect((record["headers"] as? [[String]])?.count == push.fields.count)
        }
    }

    @Test func longHeaderListsAreCutAtAField() throws {
        var push = RecordedPush()
        push.add("apns-topic", "com.example.app") { $0.topic = $1 }
        for _ in 0..<3 { push.add("x-long", String(repeating: "x", count: 20_000)) }
        push.add("apns-collapse-id", "late") { $0.collapseID = $1 }
        let record = try push.parsed()
        #expect((record["headers"] as? [[String]])?.map(\.[0]) == ["apns-topic", "x-long", "x-long"])
        #expect(record["topic"] as? String == "com.example.app")
        #expect(record["collapseID"] is NSNull)
        #expect((record["payload"] as? [String: Any])?["aps"] != nil)
    }

    // MARK: Signatures

    @Test(arguments: ["bearer", "Bearer", "BEARER"]) func cutsTheSignature(scheme: String) throws {
        var push = RecordedPush()
        push.add("x-before", "1")
        push.addToken(scheme)
        push.add("apns-topic", "after") { $0.topic = $1 }
        #expect(push.token != nil)
        let line = try push.line()
        #expect(!line.contains("Sig-"))
        let record = try parse(line)
        #expect(
            record["headers"] as? [[String]] == [
                ["x-before", "1"], ["authorization", "\(scheme) \(RecordedPush.withoutSignature)."],
                ["apns-topic", "after"],
            ])
        #expect(record["topic"] as? String == "after")
    }

    @Test(arguments: [true, false]) func cutsTheSignatureOfALastField(isRead: Bool) throws {
        var push = RecordedPush()
        push.addToken()
        if !isRead { push.token = nil }
        let record = try push.parsed()
        #expect(record["headers"] as? [[String]] == [["authorization", "bearer \(RecordedPush.withoutSignature)."]])
    }

    @Test func noSignatureOfSeveralTokensIsKept() throws {
        var push = RecordedPush()
        push.addToken()
        push.add("apns-topic", "between") { $0.topic = $1 }
        push.add("authorization", "Bearer a.b.Sig-2")
        push.add("Authorization", "a.b.Sig-3.Sig-4")
        push.add("authorization", "Basic Zm9v")
        push.add("apns-collapse-id", "after") { $0.collapseID = $1 }
        var log = RequestLog()
        push.append(to: &log)
        let kept = String(decoding: log.open.bytes, as: UTF8.self)
        #expect(!kept.contains("Sig-"))
        let record = try parse(log.line(of: 1))
        #expect(
            record["headers"] as? [[String]] == [
                ["authorization", "bearer \(RecordedPush.withoutSignature)."], ["apns-topic", "between"],
                ["authorization", "Bearer a.b."], ["Authorization", "a.b."], ["authorization", "Basic Zm9v"],
                ["apns-collapse-id", "after"],
            ])
        #expect(record["topic"] as? String == "between")
        #expect(record["collapseID"] as? String == "after")
    }

    @Test func tokensOfTheWrongLengthAreNotTrusted() throws {
        var push = RecordedPush()
        push.add("authorization", "bearer x.y.Sig-")
        push.token = RecordedPush.ordinary().token
        let record = try push.parsed()
        #expect(record["headers"] as? [[String]] == [["authorization", "bearer x.y."]])
    }
}

extension SeededRandom {
    fileprivate mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: count, using: &self) { bytes.append(UInt8.random(in: 0...255, using: &self)) }
        return bytes
    }
}
