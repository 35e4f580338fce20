import Foundation
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// One story over HTTP, from the first push to the reset: each step sees what the one before it did.
@Suite struct AdminStoryTests {
    @Test func eachStepSeesWhatCameBefore() async throws {
        try await withFolder { folder in
            let file = folder.appending("log.jsonl")
            try await withAdmin {
                $0.log = .file(file)
                $0.play(
                    #"""
                    {"clock": {"manual": "2026-01-01T00:00:00Z"}, "seed": 7,
                     "devices": [{"name": "alice", "token": "\#(TestPush.device)", "online": false}]}
                    """#)
            } _: { server, admin async throws in
                let provider = try await TestProvider.connect(to: server)
                let authorization = try server.authorization()
                func delivery(of sequence: Int) async throws -> String? {
                    try await admin.get("/api/v1/requests/\(sequence)").object["delivery"] as? String
                }

                // Offline: stored.
                let first = try await provider.push(TestPush(authorization, [("apns-expiration", "1767229200")]))
                #expect(first.status == "200")
                #expect(try await delivery(of: 1) == "Stored - Device Offline")
                var alice = try await admin.get("/api/v1/devices/alice")
                #expect(alice.list("stored").map { $0["expiresAt"] as? String } == ["2026-01-01T01:00:00.000Z"])
                #expect(alice.list("displayed").isEmpty)

                // Online: delivered from storage, and displayed.
                alice = try await admin.send("PATCH", "/api/v1/devices/alice", body: #"{"online": true}"#)
                #expect(alice.list("stored").isEmpty)
                #expect(alice.list("displayed").map { $0["sequence"] as? Int } == [1])
                #expect(alice.list("displayed")[0]["displayedAt"] as? String == "2026-01-01T00:00:00.000Z")
                #expect(alice.object["received"] as? Int == 1)
                #expect(try await delivery(of: 1) == "Delivered to Device (From Storage)")

                // Offline again, and time passes: expired.
                _ = try await admin.send("PATCH", "/api/v1/devices/alice", body: #"{"online": false}"#)
                #expect(
                    try await provider.push(TestPush(authorization, [("apns-expiration", "1767229200")])).status
                        == "200")
                let clock = try await admin.send("POST", "/api/v1/clock/advance", body: #"{"by": "1h"}"#)
                #expect(clock.object["now"] as? String == "2026-01-01T01:00:00.000Z")
                #expect(try await delivery(of: 2) == "Discarded - Expired")
                #expect(try await admin.get("/api/v1/devices/alice").list("stored").isEmpty)

                // A rule refuses until it is removed.
                let rule = #"{"name": "busy", "when": {"device": "alice"}, "then": {"reject": "ServiceUnavailable"}}"#
                #expect(try await admin.send("POST", "/api/v1/rules", body: rule).status == 201)
                #expect(try await provider.push(TestPush(authorization)).reason == "ServiceUnavailable")
                let refused = try await admin.get("/api/v1/requests/3").object
                #expect(refused["decidedBy"] as? String == "rule:busy")
                let byRule = #"{"requests": {"decidedBy": "rule:busy"}}"#
                #expect(
                    try await admin.send("POST", "/api/v1/requests/count", body: byRule).object["count"] as? Int == 1)
                #expect(try await admin.send("DELETE", "/api/v1/rules/busy").status == 200)
                #expect(try await provider.push(TestPush(authorization)).status == "200")
                #expect(try await admin.send("POST", "/api/v1/rules", body: rule).status == 201)

                // As freshly started, on the connection from before.
                #expect(try await admin.send("POST", "/api/v1/reset").status == 200)
                #expect(try await admin.get("/api/v1/requests").text == #"{"requests":[],"total":0,"dropped":0}"#)
                #expect(
                    try await admin.get("/api/v1/rules").text == #"{"rules":[],"outages":[],"total":0,"next":null}"#)
                #expect(try await admin.get("/api/v1/clock").object["now"] as? String == "2026-01-01T00:00:00.000Z")
                alice = try await admin.get("/api/v1/devices/alice")
                #expect(alice.object["online"] as? Bool == false)
                #expect(alice.list("displayed").isEmpty)
                let again = try await provider.push(TestPush(authorization, [("apns-expiration", "1767229200")]))
                // It was open at the reset, so it has no number in the new run.
                let stored = try await admin.get("/api/v1/requests/1").object
                #expect(stored["connection"] is NSNull && stored["connectionID"] as? Int == 1)
                #expect(try await delivery(of: 1) == "Stored - Device Offline")
                // The same seed, so the same ids.
                #expect(again["apns-id"] == first["apns-id"])

                // A scenario with a mistake changes nothing.
                #expect(try await admin.send("PUT", "/api/v1/scenario", body: #"{"devics": []}"#).status == 400)
                #expect(try await admin.get("/api/v1/devices/alice").list("stored").count == 1)
            }
            let lines = try jsonLines(file)
            let requests = lines.filter { $0["event"] as? String == "request" }
            #expect(requests.map { $0["sequence"] as? Int } == [1, 2, 3, 4, 1])
            #expect(lines.filter { $0["event"] as? String == "rule" }.count == 3)
            #expect(lines.filter { $0["event"] as? String == "clock" }.count == 1)
            #expect(lines.filter { $0["event"] as? String == "device" }.map { $0["online"] as? Bool } == [true, false])
        }
    }
}
