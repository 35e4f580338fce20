import Foundation
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// `/api/v1/clock`, over HTTP as its users call it.
@Suite struct AdminClockTests {
    private static func scenario(_ more: String = "") -> String {
        #"""
        {"clock": {"manual": "2026-01-01T00:00:00Z"}\#(more),
         "devices": [{"name": "alice", "token": "\#(TestPush.device)", "online": false}]}
        """#
    }

    @Test func realClocksCanBeReadButNotMoved() async throws {
        try await withAdmin { _, admin async throws in
            let clock = try await admin.get("/api/v1/clock").object
            #expect(clock["kind"] as? String == "real")
            #expect(clock["next"] is NSNull)
            #expect((clock["now"] as? String)?.hasPrefix("20") == true)
            let refused = try await admin.send("POST", "/api/v1/clock/advance", body: #"{"by": "1h"}"#)
            #expect(refused.status == 409)
            #expect(refused.errorMessage.contains(#""clock": {"manual": "now"}"#))
        }
    }

    @Test func allThatIsDueHappensBeforeTheAnswer() async throws {
        try await withAdmin {
            $0.play(Self.scenario(#", "timeline": [{"at": "30m", "do": {"goAway": {"reason": "Shutdown"}}}]"#))
        } _: { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            let push = try TestPush(server.authorization(), [("apns-expiration", "1767226500")])
            #expect(try await provider.push(push).status == "200")
            let clock = try await admin.get("/api/v1/clock").text
            #expect(
                clock == #"{"kind":"manual","now":"2026-01-01T00:00:00.000Z","next":{"at":"2026-01-01T00:15:00.000Z","#
                    + #""what":"expiry","token":"\#(TestPush.device)","sequence":1}}"#)
            let first = try await admin.send("POST", "/api/v1/clock/advance", body: #"{"by": "20m"}"#)
            #expect(first.status == 200)
            #expect(
                first.text == #"{"kind":"manual","now":"2026-01-01T00:20:00.000Z","next":"#
                    + #"{"at":"2026-01-01T00:30:00.000Z","what":"timeline","entry":0}}"#)
            let record = try await admin.get("/api/v1/requests/1").object
            #expect(record["delivery"] as? String == "Discarded - Expired")
            let second = try await admin.send("POST", "/api/v1/clock/advance", body: #"{"by": "1d"}"#)
            #expect(second.object["next"] is NSNull)
            // The server has sent it when the answer is here; it is only to be received.
            let frames = try await provider.framesUntilEnd()
            #expect(frames.goAways.map(\.text) == [#"{"reason":"Shutdown"}"#])
        }
    }

    @Test func theEndOfAnOutageIsDue() async throws {
        let rules =
            #", "rules": [{"name": "out", "times": 1, "then": {"outage": {"reason": "ServiceUnavailable", "for": "10m"}}}]"#
        let timeline = #", "timeline": [{"at": "5m", "do": {"goAway": {"reason": "Shutdown"}}}]"#
        try await withAdmin {
            $0.play(Self.scenario(rules + timeline))
        } _: { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            #expect(try await provider.push(TestPush(server.authorization())).status == "503")
            #expect(try await admin.get("/api/v1/clock").text.contains(#""what":"timeline""#))
            let advanced = try await admin.send("POST", "/api/v1/clock/advance", body: #"{"by": "6m"}"#)
            #expect(
                advanced.text
                    == #"{"kind":"manual","now":"2026-01-01T00:06:00.000Z","next":{"at":"2026-01-01T00:10:00.000Z","#
                    + #""what":"outageEnd","reason":"ServiceUnavailable","rule":"out"}}"#)
            let over = try await admin.send("POST", "/api/v1/clock/advance", body: #"{"by": "4m"}"#)
            #expect(over.object["next"] is NSNull)
        }
    }

    @Test func aDevicesRegistrationIsDue() async throws {
        try await withAdmin {
            $0.play(Self.scenario())
        } _: { _, admin async throws in
            let change = #"{"registered": {"expiredAt": "2026-02-01T00:00:00Z"}}"#
            #expect(try await admin.send("PATCH", "/api/v1/devices/alice", body: change).status == 200)
            let next = try await admin.get("/api/v1/clock").object["next"] as? [String: String]
            #expect(
                next == ["at": "2026-02-01T00:00:00.000Z", "what": "registration", "token": TestPush.device])
            let back = #"{"registered": true}"#
            #expect(try await admin.send("PATCH", "/api/v1/devices/alice", body: back).status == 200)
            #expect(try await admin.get("/api/v1/clock").object["next"] is NSNull)
        }
    }

    @Test(arguments: [
        ("{}", "", "no \"by\""), (#"{"by": "1 h"}"#, "/by", "a duration"), (#"{"by": 5}"#, "/by", "a duration"),
        (#"{"bi": "1h"}"#, "/bi", "did you mean \"by\"?"), (#""1h""#, "", "an object"), ("", "", "has no \"by\""),
        (#"{"by": "100000d"}"#, "/by", "at most"), (#"{"by": "-1h"}"#, "/by", "a duration"),
    ])
    func wrongInputSaysWhatAndWhere(body: String, pointer: String, message: String) async throws {
        try await withAdmin {
            $0.play(Self.scenario())
        } _: { _, admin async throws in
            let answer = try await admin.send("POST", "/api/v1/clock/advance", body: body)
            #expect(answer.status == 400)
            #expect(answer.error["pointer"] as? String == pointer)
            #expect(answer.errorMessage.contains(message), "\(answer.errorMessage)")
            #expect(try await admin.get("/api/v1/clock").object["now"] as? String == "2026-01-01T00:00:00.000Z")
        }
    }

    @Test func theClockStopsAtTheEndOfTime() async throws {
        try await withAdmin {
            $0.play(Self.scenario())
        } _: { server, admin async throws in
            for _ in 0..<40 {
                let moved = try await admin.send("POST", "/api/v1/clock/advance", body: #"{"by": "99999d"}"#)
                #expect(moved.status == 200)
            }
            #expect(try await admin.get("/api/v1/clock").object["now"] as? String == "9999-12-31T23:59:59.999Z")
            try await server.advance(by: .seconds(Int64.max))
            try await server.advance(by: .seconds(-5))
        }
    }
}
