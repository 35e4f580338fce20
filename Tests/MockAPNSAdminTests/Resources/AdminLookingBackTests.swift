import Foundation
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// What came before: the timeline, the differences of two requests, and a device as it was.
@Suite struct AdminLookingBackTests {
    private static let scenario = #"""
        {"devices": [{"name": "alice", "token": "\#(TestPush.device)"}],
         "rules": [{"name": "third", "skip": 2, "times": 1, "then": {"reject": "TooManyRequests"}}]}
        """#

    @Test func aRunCanBeLookedBackAt() async throws {
        try await withAdmin {
            $0.play(Self.scenario)
        } _: { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            for (body, status) in [
                (#"{"aps":{"alert":"One","badge":1}}"#, "200"), (#"{"aps":{"alert":"Two"}}"#, "200"), ("{}", "429"),
            ] {
                var push = try TestPush(server.authorization())
                push.body = Array(body.utf8)
                #expect(try await provider.push(push).status == status)
            }
            let timeline = try await admin.get("/api/v1/timeline").object
            let buckets = try #require(timeline["buckets"] as? [[String: Any]])
            #expect(buckets.reduce(0) { $0 + ($1["2xx"] as? Int ?? 0) } == 2)
            #expect(buckets.reduce(0) { $0 + ($1["4xx"] as? Int ?? 0) } == 1)
            let marks = try #require(timeline["marks"] as? [[String: Any]])
            #expect(marks.compactMap { $0["kind"] as? String } == ["scenario", "rule"])
            #expect(marks.last?["name"] as? String == "third")

            let differences = try await admin.get("/api/v1/requests/2/differences?from=1").text
            #expect(
                differences.contains(#"{"pointer":"/payload/aps/alert","from":"One","to":"Two"}"#)
                    && differences.contains(#"{"pointer":"/payload/aps/badge","from":1}"#)
                    && !differences.contains(#""/sequence""#), "\(differences)")
            #expect(
                try await admin.get("/api/v1/requests/1/differences?from=1").text
                    == #"{"from":1,"to":1,"differences":[]}"#)

            for (sequence, shown) in [(1, [1]), (2, [1, 2]), (3, [1, 2])] {
                let device = try await admin.get("/api/v1/devices/alice?at=\(sequence)").object
                let displayed = device["displayed"] as? [[String: Any]]
                #expect(displayed?.compactMap { $0["sequence"] as? Int } == shown, "after \(sequence)")
                #expect(try await server.device("alice", at: sequence).displayed.map(\.sequence) == shown)
            }
            #expect(try await admin.get("/api/v1/devices/nobody?at=1").status == 404)
            #expect(try await admin.get("/api/v1/devices/alice?at=now").status == 400)
            let early = try await admin.get("/api/v1/devices/alice?at=4")
            #expect(early.status == 404 && early.text.contains(#""code":"dropped""#))
            await #expect(throws: MockAPNSServer.ControlError.self) { try await server.device("alice", at: 4) }

            for (search, count) in [
                ("two", 1), ("is:refused", 1), ("429", 1), ("rule:third", 1), ("-status:200", 1), ("alice", 3),
            ] {
                let found = try await admin.send("POST", "/api/v1/requests/find", body: #"{"q": "\#(search)"}"#).object
                #expect(found["total"] as? Int == count, "\(search)")
                let query = search.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                #expect(
                    try await admin.get("/api/v1/requests?q=\(query)").object["total"] as? Int == count, "\(search)")
                let counted = try await admin.send("POST", "/api/v1/requests/count", body: #"{"q": "\#(search)"}"#)
                    .object
                #expect(counted["count"] as? Int == count, "\(search)")
            }
            let by = try await admin.send(
                "POST", "/api/v1/requests/count",
                body: #"{"by": ["device", "token", "keyID", "teamID", "connection", "decidedBy"]}"#)
            #expect(by.text.contains(#""device":{"alice":3}"#) && by.text.contains(#""connection":{"1":3}"#))
            #expect(by.text.contains(#""token":{"\#(TestPush.device)":3}"#))
            #expect(by.text.contains(#""decidedBy":{"checks":2,"rule:third":1}"#))
            let wrong = try await admin.send("POST", "/api/v1/requests/find", body: #"{"q": "stauts:200"}"#)
            #expect(wrong.status == 400 && wrong.text.contains(#""pointer":"/q""#))
            #expect(try await admin.get("/api/v1/requests?q=lint:no-rule").status == 400)
            let gone = try await admin.send("DELETE", "/api/v1/requests?q=one").object
            #expect(gone["deleted"] as? Int == 1)
        }
    }
}
