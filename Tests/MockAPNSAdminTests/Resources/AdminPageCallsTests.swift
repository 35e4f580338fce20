import Foundation
import MockAPNSCore
import MockAPNSTransport
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// Calls that the page asks, over HTTP: the checks of a request, and the scenario of now.
@Suite struct AdminPageCallsTests {
    @Test func theChecksOfARequest() async throws {
        try await withAdmin { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            let id = "EABE9F27-06B2-4FCC-8E9B-3FA3D5B6A6B1"
            try await provider.push(TestPush(server.authorization(), [("apns-id", id), ("apns-priority", "7")]))
            for name in ["1", id.lowercased()] {
                let answer = try await admin.get("/api/v1/requests/\(name)/checks")
                let checks = answer.list("checks")
                #expect(answer.status == 200 && checks.count == Check.allCases.count)
                #expect(checks.first { $0["state"] as? String == "failed" }?["check"] as? String == "priorityIsKnown")
                #expect(checks.last?["state"] as? String == "notReached")
            }
            #expect(try await admin.get("/api/v1/requests/2/checks").status == 404)
            await provider.close()
        }
    }

    @Test func theScenarioOfNowCanBePlayed() async throws {
        let pem = String(decoding: try ES256SigningKey.generate().pem, as: UTF8.self)
        let key = pem.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
        let text = #"""
            {"authentication": {"teams": [{"teamID": "TEAM567890", "keys": [{"keyID": "KEY4567890", "pem": "\#(key)"}]}]},
             "devices": [{"name": "alice", "token": "\#(TestPush.device)"}], "rules": []}
            """#
        try await withAdmin {
            $0.play(text)
        } _: { server, admin async throws in
            let rule = #"{"times": 3, "then": {"reject": "TooManyRequests"}}"#
            _ = try await admin.send("POST", "/api/v1/rules", body: rule)
            _ = try await admin.send("PATCH", "/api/v1/devices/alice", body: #"{"online": false}"#)
            let current = try await admin.get("/api/v1/scenario?current=true")
            #expect(current.status == 200 && !current.text.contains("PRIVATE KEY"))
            #expect(current.text.contains("PUBLIC KEY"))
            #expect(current.list("rules").map { $0["name"] as? String } == ["rule-1"])
            #expect(current.list("devices").map { $0["online"] as? Bool } == [false])
            // What GET told before stays as it was.
            #expect(try await admin.get("/api/v1/scenario").list("rules").isEmpty)
            #expect(try await admin.send("PUT", "/api/v1/scenario", body: current.text).status == 200)
            #expect(try await admin.get("/api/v1/scenario?current=true").text == current.text)
            #expect(try await admin.get("/api/v1/rules").list("rules").count == 1)
        }
    }

    @Test("Outages are told beside the rules, and rules that were added are told apart")
    func outages() async throws {
        try await withAdmin {
            $0.play(
                #"""
                {"clock": {"manual": "2026-01-01T00:00:00Z"}, "rules": [{"name": "own", "then": {"pass": true}}],
                 "timeline": [{"at": "0s", "do": {"outage": {"reason": "Shutdown", "for": "1h"}}}]}
                """#)
        } _: { server, admin async throws in
            let rule = #"{"times": 1, "then": {"outage": {"reason": "ServiceUnavailable", "for": "2h"}}}"#
            _ = try await admin.send("POST", "/api/v1/clock/advance", body: #"{"by": "30m"}"#)
            _ = try await admin.send("POST", "/api/v1/rules", body: rule)
            let rules = try await admin.get("/api/v1/rules")
            #expect(rules.list("rules").map { $0["added"] as? Bool } == [true, false])
            #expect(
                rules.text.contains(
                    #""outages":[{"reason":"Shutdown","rule":null,"until":"2026-01-01T01:00:00.000Z"}]"#),
                "\(rules.text)")
            _ = try await admin.send("POST", "/api/v1/clock/advance", body: #"{"by": "30m"}"#)
            #expect(try await admin.get("/api/v1/rules").list("outages").isEmpty)
            _ = try await admin.send(
                "POST", "/api/v1/pushes", body: #"{"token": "\#(TestPush.device)", "payload": {}}"#)
            let begun = try await admin.get("/api/v1/rules").list("outages")
            #expect(begun.map { $0["rule"] as? String } == ["rule-1"])
            #expect(begun.map { $0["until"] as? String } == ["2026-01-01T03:00:00.000Z"])
            let push =
                #"{"token": "\#(TestPush.device)", "topic": "com.example.app", "payload": {"aps": {"badge": 1}}}"#
            #expect(try await admin.send("POST", "/api/v1/pushes", body: push).object["status"] as? Int == 503)
            let ended = try await admin.send("DELETE", "/api/v1/outages")
            #expect(ended.object["deleted"] as? Int == 1)
            #expect(try await admin.get("/api/v1/rules").list("outages").isEmpty)
            #expect(try await admin.send("POST", "/api/v1/pushes", body: push).object["status"] as? Int == 200)
            #expect(try await admin.send("DELETE", "/api/v1/outages").object["deleted"] as? Int == 0)
        }
    }

    @Test func everyReasonHasAMeaning() async throws {
        try await withAdmin { _, admin async throws in
            let reasons = try await admin.get("/api/v1/reasons").list("reasons")
            #expect(reasons.count == Reason.allCases.count)
            for each in reasons {
                let reason = try #require(Reason(rawValue: each["reason"] as? String ?? ""))
                #expect(each["status"] as? Int == Int(reason.status))
                #expect((each["meaning"] as? String)?.isEmpty == false)
            }
            #expect(Set(reasons.compactMap { $0["meaning"] as? String }).count > reasons.count - 5)
        }
    }

    @Test func theBuiltInScenarios() async throws {
        try await withAdmin { _, admin async throws in
            let scenarios = try await admin.get("/api/v1/scenarios").list("scenarios")
            #expect(scenarios.count > 70)
            for scenario in scenarios {
                let name = try #require(scenario["name"] as? String)
                #expect(scenario["description"] is String, "\(name)")
                let text = try await admin.get("/api/v1/scenarios/\(name)")
                #expect(text.object["name"] as? String == name)
            }
            #expect(try await admin.get("/api/v1/scenarios/none").status == 404)
            let tour = try await admin.get("/api/v1/scenarios/tour")
            #expect(try await admin.send("PUT", "/api/v1/scenario", body: tour.text).status == 200)
        }
    }

    @Test func scenariosNamingWhatIsGoneAreNotShown() async throws {
        try await withAdmin {
            $0.play(
                #"{"devices": [{"name": "alice", "token": "\#(TestPush.device)"}], "rules": [{"when": {"device": "alice"}, "then": {"reject": "Shutdown"}}]}"#
            )
        } _: { _, admin async throws in
            _ = try await admin.send("DELETE", "/api/v1/devices/alice")
            let answer = try await admin.get("/api/v1/scenario?current=true")
            #expect(answer.status == 409 && answer.error["code"] as? String == "outdated")
            #expect(
                answer.errorMessage
                    == "The scenario cannot be saved in its current state: rules[0].when.device is \"alice\", but no device has that name."
            )
            #expect(try await admin.get("/api/v1/scenario?current=now").status == 400)
            #expect(try await admin.get("/api/v1/scenario?curent=true").status == 400)
        }
    }
}
