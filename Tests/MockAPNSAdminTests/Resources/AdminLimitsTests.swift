import Foundation
import MockAPNSCore
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// What the API can make grow has a bound: beyond it, a call is refused with a sentence, and `/metrics` counts that.
@Suite struct AdminLimitsTests {
    /// The figures of a collection in `/metrics`.
    private static func figures(_ name: String, _ admin: AdminClient) async throws -> [Int] {
        let text = try await admin.get("/metrics").text
        return ["limit", "used", "dropped_total"].compactMap { family in
            let start = "mock_apns_\(family){name=\"\(name)\"} "
            return text.split(separator: "\n").first { $0.hasPrefix(start) }.flatMap { Int($0.dropFirst(start.count)) }
        }
    }

    // MARK: Repeated pushes

    private static let repeated =
        #"{"token": "\#(TestPush.device)", "topic": "com.example.app", "payload": {}, "repeat": 1000, "every": "1h"}"#

    @Test func atMostAHundredRepeatedPushesRunConcurrently() async throws {
        try await withAdmin { server, admin async throws in
            func push() async throws -> AdminClient.Answer {
                try await admin.send("POST", "/api/v1/pushes", body: Self.repeated)
            }
            for _ in 0..<RepeatedPushes.limit { #expect(try await push().status == 202) }
            let refused = try await push()
            #expect(refused.status == 409 && refused.error["code"] as? String == "taken")
            #expect(
                refused.errorMessage
                    == "100 repeated pushes are being sent, which is the maximum; wait until one has ended, or end all of them with POST /api/v1/reset."
            )
            #expect(try await Self.figures("repeated_pushes", admin) == [100, 100, 1])
            // One that is not repeated needs no place.
            let once = try await admin.send(
                "POST", "/api/v1/pushes", body: Self.repeated.replacing(#", "every": "1h""#, with: ""))
            #expect(once.status == 202)
        }
    }

    @Test(arguments: ["reset", "scenario"])
    func aResetOrAScenarioEndsThem(_ end: String) async throws {
        try await withAdmin { server, admin async throws in
            for _ in 0..<3 { _ = try await admin.send("POST", "/api/v1/pushes", body: Self.repeated) }
            #expect(server.repeatedPushes.count == 3)
            switch end {
            case "reset": _ = try await admin.send("POST", "/api/v1/reset")
            default: _ = try await admin.send("PUT", "/api/v1/scenario", body: "{}")
            }
            #expect(server.repeatedPushes.count == 0)
            let next = try await admin.send("POST", "/api/v1/pushes", body: Self.repeated)
            #expect(next.status == 202 && server.repeatedPushes.count == 1)
        }
    }

    @Test func theEndOfASessionEndsThem() async throws {
        try await withAdmin { server, admin async throws in
            _ = try await admin.send("POST", "/api/v1/sessions", body: #"{"name": "one"}"#)
            let answer = try await admin.send("POST", "/api/v1/sessions/one/pushes", body: Self.repeated)
            #expect(answer.status == 202, "\(answer.text)")
            let session = try #require(server.sessions["one"]).server
            #expect(session.repeatedPushes.count == 1 && server.repeatedPushes.count == 0)
            _ = try await admin.send("DELETE", "/api/v1/sessions/one")
            #expect(session.repeatedPushes.count == 0)
        }
    }

    @Test func theLastRepetitionMakesRoom() async throws {
        try await withAdmin { server, admin async throws in
            let body = Self.repeated.replacing("1000", with: "3").replacing("1h", with: "1ms")
            _ = try await admin.send("POST", "/api/v1/pushes", body: body)
            let wait = #"{"requests": {"sentBy": "admin"}, "count": 3, "timeout": "5m"}"#
            #expect(try await admin.send("POST", "/api/v1/requests/wait", body: wait).status == 200)
            try await until { server.repeatedPushes.count == 0 }
        }
    }

    @Test func aPushThatIsRefusedKeepsNoPlace() async throws {
        try await withAdmin { server, admin async throws in
            let body = #"{"device": "nobody", "payload": {}, "repeat": 3, "every": "1h"}"#
            #expect(try await admin.send("POST", "/api/v1/pushes", body: body).status == 404)
            #expect(server.repeatedPushes.count == 0)
        }
    }

    // MARK: Rules

    @Test func rulesBeyondTheLimitAreRefused() async throws {
        try await withAdmin { server, admin async throws in
            let rules = (0..<RuleBook.limit).map {
                #"{"when": {"topic": "com.example.t\#($0)"}, "then": {"pass": true}}"#
            }
            let scenario = #"{"rules": [\#(rules.joined(separator: ","))]}"#
            #expect(try await admin.send("PUT", "/api/v1/scenario", body: scenario).status == 200)
            let rule = #"{"then": {"reject": "Shutdown"}}"#
            let refused = try await admin.send("POST", "/api/v1/rules", body: rule)
            #expect(refused.status == 409 && refused.error["code"] as? String == "taken")
            #expect(
                refused.errorMessage
                    == "There is no room for another rule; 10000 rules, and 67108864 bytes of those that were added, are the maximum. Remove rules you no longer need."
            )
            #expect(try await Self.figures("rules", admin) == [10_000, 10_000, 1])
            #expect(try await admin.send("DELETE", "/api/v1/rules/rules%5B7%5D").status == 200)
            #expect(try await admin.send("POST", "/api/v1/rules", body: rule).status == 201)
            #expect(try await Self.figures("removed_rules", admin) == [10_000, 1, 0])
        }
    }

    @Test func rulesAreReadInPages() async throws {
        try await withAdmin {
            let rules = (0..<250).map {
                #"{"name": "r\#($0)", "when": {"topic": "a.t\#($0)"}, "then": {"pass": true}}"#
            }
            $0.play(#"{"rules": [\#(rules.joined(separator: ","))]}"#)
        } _: { server, admin async throws in
            func page(_ query: String) async throws -> (names: [String], total: Int?, next: Int?) {
                let answer = try await admin.get("/api/v1/rules" + query)
                return (
                    answer.list("rules").compactMap { $0["name"] as? String }, answer.object["total"] as? Int,
                    answer.object["next"] as? Int
                )
            }
            let first = try await page("")
            #expect(first.names == (0..<100).map { "r\($0)" } && first.total == 250)
            // Neither a rule that is added meanwhile nor one that is removed moves the next page.
            let rule = #"{"name": "new", "times": 1, "then": {"reject": "Shutdown"}}"#
            #expect(try await admin.send("POST", "/api/v1/rules", body: rule).status == 201)
            #expect(try await admin.send("DELETE", "/api/v1/rules/r50").status == 200)
            let second = try await page("?limit=120&after=\(try #require(first.next))")
            #expect(second.names == (100..<220).map { "r\($0)" } && second.total == 250)
            let last = try await page("?after=\(try #require(second.next))")
            #expect(last.names == (220..<250).map { "r\($0)" } && last.next == nil)
            #expect(try await page("?limit=1").names == ["new"])
            #expect(try await page("?limit=1000").names.count == 250)
            // By name, and by what became of them.
            let named = try await page("?name=r249")
            #expect(named.names == ["r249"] && named.total == 1 && named.next == nil)
            #expect(try await page("?name=r50").total == 0)
            #expect(try await page("?added=true").names == ["new"])
            #expect(try await page("?added=false&usedUp=false&limit=1").total == 249)
            #expect(try await page("?usedUp=true").total == 0)
            _ = try await admin.send(
                "POST", "/api/v1/pushes", body: #"{"token": "\#(TestPush.device)", "payload": {}}"#)
            #expect(try await page("?usedUp=true").names == ["new"])
            for wrong in ["limit=0", "limit=1001", "after=-1", "added=yes", "nmae=r1", "limit=1&limit=2"] {
                #expect(try await admin.get("/api/v1/rules?\(wrong)").status == 400, "\(wrong)")
            }
            #expect(server.rules(RuleQuery()).total == 250)
        }
    }

    @Test(arguments: ["devices", "channels", "rules"])
    func onlyReadingAListTakesParameters(_ list: String) async throws {
        try await withAdmin { _, admin async throws in
            #expect(try await admin.get("/api/v1/\(list)?limit=1&after=\(Int.max)").status == 200)
            let refused = try await admin.send("POST", "/api/v1/\(list)?limit=1", body: "{}")
            #expect(refused.status == 400 && refused.error["pointer"] as? String == "/limit")
        }
    }

    // MARK: Topics

    @Test func excessTopicsAreRefusedAndNeverMeanAll() async throws {
        try await withAdmin { server, admin async throws in
            var answers: [AdminClient.Answer] = []
            for number in 0..<70 {
                let topics = (0..<1000).map { "\"com.example.t\(number).n\($0)\"" }.joined(separator: ",")
                let digits = String(number, radix: 16)
                let token = String(repeating: "0", count: 64 - digits.count) + digits
                answers.append(
                    try await admin.send(
                        "POST", "/api/v1/devices", body: #"{"token": "\#(token)", "topics": [\#(topics)]}"#))
            }
            #expect(
                answers.prefix(65).allSatisfy { $0.status == 201 && ($0.object["topics"] as? [String])?.count == 1000 })
            #expect(answers.dropFirst(65).allSatisfy { $0.status == 409 })
            #expect(
                answers[69].errorMessage
                    == "The topics of this device do not fit beside those known so far; 65534 topics with 4194304 bytes are the maximum. POST /api/v1/reset forgets those of pushes and of earlier scenarios."
            )
            let device = #"{"token": "\#(TestPush.device)", "topic": "com.example.app"}"#
            #expect(try await admin.send("POST", "/api/v1/devices", body: device).status == 201, "there is room for it")
            let topics = (0..<1000).map { "\"com.example.new\($0)\"" }.joined(separator: ",")
            let scenario = #"{"devices": [{"token": "\#(TestPush.device)", "topics": [\#(topics)]}]}"#
            let refused = try await admin.send("PUT", "/api/v1/scenario", body: scenario)
            #expect(refused.status == 409 && refused.errorMessage.contains("PUT /api/v1/scenario?reset=true"))
            #expect(
                try await admin.get("/api/v1/devices?limit=1000").list("devices").count == 66, "nothing has changed")
            #expect(try await admin.send("PUT", "/api/v1/scenario?reset=true", body: scenario).status == 200)
            #expect(try await Self.figures("topics", admin)[1] == 1000)
        }
    }

    // MARK: Channels

    @Test func channelsComeInPages() async throws {
        try await withAdmin { server, admin async throws in
            for number in 0..<250 { try server.addChannel("c\(number)", topic: "com.example.app\(number % 2)") }
            var (names, next): ([String?], Int?) = ([], 0)
            var pages = 0
            while let after = next {
                let page = try await admin.get("/api/v1/channels?limit=100&after=\(after)")
                #expect(page.status == 200 && page.object["total"] as? Int == 250)
                let apps = page.list("apps")
                #expect(apps.map { $0["topic"] as? String } == ["com.example.app0", "com.example.app1"])
                #expect(apps.allSatisfy { $0["channels"] as? Int == 125 })
                names += page.list("channels").map { $0["name"] as? String }
                next = page.object["next"] as? Int
                pages += 1
            }
            #expect(names == (0..<250).map { "c\($0)" } && pages == 3)
            let usual = try await admin.get("/api/v1/channels")
            #expect(usual.list("channels").count == 100 && usual.object["next"] as? Int == 100)
            let one = try await admin.get("/api/v1/channels?name=c117")
            #expect(one.list("channels").count == 1 && one.list("apps").count == 1)
            #expect(one.object["total"] as? Int == 1 && one.object["next"] is NSNull)
            #expect(try await admin.get("/api/v1/channels?name=none").list("channels").isEmpty)
            #expect(server.channels.map(\.name) == (0..<250).map { "c\($0)" })
            for wrong in ["limit=0", "limit=1001", "after=x", "topic=a", "limit=1&limit=2"] {
                #expect(try await admin.get("/api/v1/channels?\(wrong)").status == 400, "\(wrong)")
            }
            #expect(try await Self.figures("channels", admin) == [1_000_000, 250, 0])
        }
    }
}
