import Foundation
import MockAPNSAdmin
import MockAPNSCore
import MockAPNSJudge
import TestSupport
import Testing

@testable import MockAPNS

/// Beginning anew over the admin API: what becomes of connections and their numbers, and of what was expected.
@Suite struct AdminResetTests {
    @Test func aScenarioCanBePlayedWithAReset() async throws {
        try await withAdmin { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            let push = try TestPush(server.authorization())
            try await provider.push(push)
            let text = #"{"name":"second","expect":[{"requests":{},"count":1}]}"#
            let answer = try await admin.send("PUT", "/api/v1/scenario?reset=true", body: text)
            #expect(answer.status == 200 && answer.text == text)
            #expect(try await admin.get("/api/v1/requests").object["total"] as? Int == 0)
            try await provider.push(push)
            let other = try await TestProvider.connect(to: server)
            try await other.push(push)
            let records = try await admin.get("/api/v1/requests").requests
            #expect(records.map { $0["sequence"] as? Int } == [1, 2])
            #expect(records.map { $0["connection"] as? Int } == [nil, 1])
            #expect(records.map { $0["connectionID"] as? Int } == [1, 2])
            let connections = try await admin.get("/api/v1/connections").list("connections")
            #expect(connections.map { $0["id"] as? Int } == [1, 2])
            #expect(connections.map { $0["connection"] as? Int } == [nil, 1])
            let summary = try await admin.get("/api/v1/summary").object["connections"] as? [String: Int]
            #expect(summary == ["opened": 1, "closed": 0, "open": 1])
            // By its id it can still be closed.
            let closed = try await admin.send("POST", "/api/v1/connections/1/close", body: #""end""#)
            #expect(closed.object["connections"] as? [Int] == [1])
            let wrong = try await admin.send("PUT", "/api/v1/scenario?reset=perhaps", body: text)
            #expect(wrong.status == 400 && wrong.error["pointer"] as? String == "/reset")
        }
    }

    @Test func whatWasExpectedIsJudgedAtAReset() async throws {
        let text = #"{"expect": [{"name": "one", "requests": {"status": 200}, "count": 1}]}"#
        try await withAdmin {
            $0.play(text)
            $0.keepsEarlierResults = true
        } _: { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            let push = try TestPush(server.authorization())
            _ = try await admin.send("POST", "/api/v1/reset")
            for _ in 0..<2 { try await provider.push(push) }
            _ = try await admin.send("POST", "/api/v1/reset")
            try await provider.push(push)
            _ = try await admin.send("PUT", "/api/v1/scenario", body: "{}")
            let results = await server.earlierResults()
            #expect(results.map(\.passed) == [false, true])
            #expect(results.map(\.end?.cause) == [.reset, .replacement])
        }
        // Who does not ask for it has nothing kept.
        try await withAdmin {
            $0.play(text)
        } _: { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            try await provider.push(TestPush(server.authorization()))
            server.reset()
            #expect(await server.earlierResults().isEmpty)
        }
    }

    @Test func theVerdictComesInOtherForms() async throws {
        let text = """
            {"name": "forms", "clock": {"manual": "now"},
             "devices": [{"name": "alice", "token": "\(TestPush.device)", "online": false}],
             "timeline": [{"at": "1h", "do": {"device": "alice", "online": true}}],
             "expect": [{"device": "alice", "received": 1}]}
            """
        try await withAdmin {
            $0.play(text)
        } _: { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            let expiration = "\(WallClock.now().seconds + 86_400)"
            try await provider.push(TestPush(server.authorization(), [("apns-expiration", expiration)]))
            let failed = try await admin.send("POST", "/api/v1/verify", body: "{}")
            #expect(failed.object["passed"] as? Bool == false)
            let report = try #require(failed.object["report"] as? String)
            #expect(report.hasPrefix("1 of 1 expectation failed.\nFAILED  expect[0]\n"))
            let plain = try await admin.send("POST", "/api/v1/verify?format=text")
            #expect(plain.text == report)
            let junit = try await admin.send("POST", "/api/v1/verify?format=junit")
            #expect(junit.text.contains(#"<testsuite name="forms" tests="1" failures="1""#))
            #expect((junit.fields["Content-Type"] as? String)?.hasPrefix("application/xml") == true)
            let finished = try await admin.send("POST", "/api/v1/verify?format=markdown&finish=true")
            #expect(finished.text.hasPrefix("## ✅ forms\n\n**The expectation holds.**"))
            for (query, pointer) in [
                ("format=xml", "/format"), ("finish=1", "/finish"), ("reset=true", "/reset"), ("finish=", "/finish"),
                ("finish=true&finish=false", "/finish"), ("allowMissing=1", "/allowMissing"),
            ] {
                let wrong = try await admin.send("POST", "/api/v1/verify?\(query)", body: "{}")
                #expect(wrong.status == 400 && wrong.error["pointer"] as? String == pointer)
            }
        }
    }

    @Test func theVersionIsAmongTheMetrics() async throws {
        try await withAdmin { _, admin async throws in
            let metrics = try await admin.get("/metrics").text
            #expect(metrics.contains("\nmock_apns_build_info{version=\"\(MockAPNSVersion.text)\"} 1\n"))
        }
    }
}
