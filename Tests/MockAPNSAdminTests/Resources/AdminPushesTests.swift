import Foundation
import MockAPNSCore
import MockAPNSTransport
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// `POST /api/v1/pushes`, over HTTP as its users call it.
@Suite struct AdminPushesTests {
    private static let alice =
        #"{"devices": [{"name": "alice", "token": "\#(TestPush.device)", "topic": "com.example.app"}]}"#

    @Test func aPushIsSignedDecidedAndShown() async throws {
        try await withAdmin {
            $0.play(Self.alice)
        } _: { server, admin async throws in
            let body = #"{"device": "alice", "payload": {"aps": {"alert": "Hello"}}}"#
            let record = try await admin.send("POST", "/api/v1/pushes", body: body)
            #expect(record.status == 200 && record.object["sentBy"] as? String == "admin", "\(record.text)")
            #expect(record.object["status"] as? Int == 200 && record.object["device"] as? String == "alice")
            let authentication = record.object["authentication"] as? [String: Any]
            #expect(authentication?["verdict"] as? String == "valid")
            #expect(try await admin.get("/api/v1/devices/alice").list("displayed").count == 1)
            #expect(try await admin.get("/api/v1/requests").list("requests").isEmpty)
            #expect(try await admin.get("/api/v1/requests?sentBy=admin").list("requests").count == 1)
            #expect(try await admin.get("/api/v1/connections").list("connections").isEmpty)
            let unknown = try await admin.send("POST", "/api/v1/pushes", body: #"{"device": "bob"}"#)
            #expect(unknown.status == 404)
        }
    }

    @Test func aPushIsPublishedToAChannel() async throws {
        let scenario = """
            {"channels": [{"name": "final", "topic": "com.example.app"},
                          {"name": "league", "topic": "com.example.app", "environment": "production"}],
             "devices": [{"name": "alice", "token": "\(TestPush.device)", "activities": [{"name": "match", "channel": "final"}]}]}
            """
        try await withAdmin {
            $0.play(scenario)
        } _: { server, admin async throws in
            let id = try #require(server.channel("final")?.id)
            for channel in ["final", id] {
                let body = """
                    {"channel": "\(channel)", "pushType": "liveactivity", "priority": 10, "expiration": 0,
                     "payload": {"aps": {"timestamp": \(Int(Date().timeIntervalSince1970)), "event": "update", "content-state": {"home": 2}}}}
                    """
                let record = try await admin.send("POST", "/api/v1/pushes", body: body)
                #expect(record.object["status"] as? Int == 200, "\(record.text)")
                #expect(record.object["sentBy"] as? String == "admin" && record.object["call"] as? String == "publish")
                #expect(record.object["channel"] as? String == id && record.object["delivered"] as? Int == 1)
            }
            #expect(server.channel("final")?.published == 2)
            let live = try await admin.send(
                "POST", "/api/v1/pushes",
                body: """
                    {"channel": "league", "pushType": "liveactivity", "priority": 10, "expiration": 0,
                     "payload": {"aps": {"timestamp": \(Int(Date().timeIntervalSince1970)), "event": "update", "content-state": {}}}}
                    """)
            #expect(live.object["status"] as? Int == 200 && server.channel("league")?.published == 1, "\(live.text)")
            let refused = try await admin.send("POST", "/api/v1/pushes", body: #"{"channel": "final", "payload": {}}"#)
            #expect(refused.object["status"] as? Int == 400, "\(refused.text)")
            let unknown = try await admin.send("POST", "/api/v1/pushes", body: #"{"channel": "semi-final"}"#)
            #expect(unknown.status == 404 && unknown.text.contains("semi-final"))
        }
    }

    @Test func aPushOfTheAPIIsFoundByItsIDs() async throws {
        try await withAdmin {
            $0.play(Self.alice)
        } _: { _, admin async throws in
            _ = try await admin.send("POST", "/api/v1/pushes", body: #"{"device": "alice", "payload": {}}"#)
            let record = try await admin.get("/api/v1/requests/1").object
            for key in ["apnsID", "uniqueID"] {
                let id = try #require(record[key] as? String)
                #expect(try await admin.get("/api/v1/requests/\(id)").object["sequence"] as? Int == 1)
                #expect(try await admin.get("/api/v1/requests/\(id)/screen").status == 200)
            }
        }
    }

    @Test func repetitionsAreDecidedTogetherOrInTurn() async throws {
        try await withAdmin {
            $0.play(Self.alice)
        } _: { server, admin async throws in
            let all = try await admin.send(
                "POST", "/api/v1/pushes", body: #"{"device": "alice", "payload": {}, "repeat": 5}"#)
            #expect(all.status == 202 && all.list("requests").map { $0["sequence"] as? Int } == [1, 2, 3, 4, 5])
            let first = try await admin.send(
                "POST", "/api/v1/pushes", body: #"{"device": "alice", "payload": {}, "repeat": 3, "every": "1ms"}"#)
            #expect(first.list("requests").count == 1)
            let rest = try await admin.send(
                "POST", "/api/v1/requests/wait",
                body: #"{"requests": {"sentBy": "admin"}, "count": 8, "timeout": "5m"}"#)
            #expect(rest.status == 200)
            // One provider token for all of them.
            let tokens = Set(rest.list("requests").map { $0["providerTokenNumber"] as? Int })
            #expect(tokens.count == 1)
        }
    }

    @Test("A server that only knows the public half of its key cannot sign")
    func noKey() async throws {
        try await withAdmin {
            $0.play(Self.alice)
        } _: { server, admin async throws in
            let half = try ES256SigningKey.generate().publicKey.pem
            let pem = String(decoding: half, as: UTF8.self).replacing("\n", with: "\\n")
            let scenario =
                #"{"authentication": {"teams": [{"teamID": "TEAM123456", "keys": [{"keyID": "KEY1234567", "pem": "\#(pem)"}]}]}}"#
            #expect(try await admin.send("PUT", "/api/v1/scenario", body: scenario).status == 200)
            let push = #"{"token": "\#(TestPush.device)", "payload": {}"#
            let refused = try await admin.send("POST", "/api/v1/pushes", body: push + "}")
            #expect(refused.status == 409 && refused.text.contains("noSigningKey"), "\(refused.text)")
            let own = try await admin.send(
                "POST", "/api/v1/pushes", body: push + #", "headers": {"authorization": null}}"#)
            #expect(own.object["reason"] as? String == "MissingProviderToken")
        }
    }
}
