import Foundation
import MockAPNSCore
import MockAPNSTransport
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// `/api/v1/scenario`, `/api/v1/rules` and `/api/v1/reset`, over HTTP as their users call them.
@Suite struct AdminScenarioTests {
    // MARK: Scenario

    @Test func theScenarioIsReadAsItWasWritten() async throws {
        let text = "{ \"name\": \"it\",\n  \"rules\": [] }\n"
        try await withAdmin {
            $0.play(text)
        } _: { _, admin async throws in
            #expect(try await admin.get("/api/v1/scenario").text == text)
        }
        try await withAdmin { _, admin async throws in
            #expect(try await admin.get("/api/v1/scenario").text == "{}")
        }
    }

    @Test func anotherScenarioIsPlayedFromItsBeginning() async throws {
        try await withAdmin {
            $0.play(#"{"rules": [{"name": "old", "then": {"reject": "Shutdown"}}]}"#)
        } _: { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            let push = try TestPush(server.authorization())
            #expect(try await provider.push(push).reason == "Shutdown")
            let text = #"""
                {"clock": {"manual": "2026-01-01T00:00:00Z"}, "unknownDevices": "reject",
                 "devices": [{"name": "alice", "token": "\#(TestPush.device)"}]}
                """#
            let put = try await admin.send("PUT", "/api/v1/scenario", body: text)
            #expect(put.status == 200)
            #expect(put.text == text)
            #expect(try await admin.get("/api/v1/scenario").text == text)
            #expect(try await provider.push(push).status == "200")
            #expect(try await provider.push(.init(server.authorization(), [(":path", unknown)])).status == "400")
            #expect(try await admin.get("/api/v1/devices").list("devices").map { $0["name"] as? String } == ["alice"])
            #expect(try await admin.get("/api/v1/rules").text == #"{"rules":[],"outages":[],"total":0,"next":null}"#)
            #expect(try await admin.get("/api/v1/clock").object["kind"] as? String == "manual")
            // The log goes on.
            #expect(try await admin.get("/api/v1/requests").object["total"] as? Int == 3)
        }
    }

    @Test("What a scenario expects counts from when it is played; other expectations see the whole log")
    func expectationsBeginWithTheirScenario() async throws {
        try await withAdmin { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            #expect(try await provider.push(TestPush(server.authorization())).status == "200")
            let expect = #"{"expect": [{"requests": {}, "count": 1}, {"connections": 1}]}"#
            #expect(try await admin.send("PUT", "/api/v1/scenario", body: expect).status == 200)
            let own = try await admin.send("POST", "/api/v1/verify", body: "{}")
            #expect(own.list("results").map { $0["seen"] as? String } == ["0 requests", "0 connections"])
            let asked = #"{"expect": [{"requests": {}, "count": 1}]}"#
            let other = try await admin.send("POST", "/api/v1/verify", body: asked)
            #expect(other.object["passed"] as? Bool == true)
        }
    }

    @Test func aScenarioInYAMLIsRecognized() async throws {
        try await withAdmin { _, admin async throws in
            let answer = try await admin.send("PUT", "/api/v1/scenario", body: "# a\nrules:\n  - name: x\n")
            #expect(answer.status == 400)
            #expect(
                answer.error["message"] as? String
                    == "The body is not JSON at line 2, column 1: this is YAML, and a scenario is JSON; convert it, for example with yq -o=json."
            )
        }
    }

    static let bad: [(body: String, pointer: String, message: String)] = [
        (#"{"rules": [{"then": {"rejct": "BadTopic"}}]}"#, "/rules/0/then/rejct", "did you mean \"reject\"?"),
        ("{\n \"rules\": [{\"then\": {\"reject\": \"BadTopik\"}}]}", "/rules/0/then/reject", "Line 2, column"),
        (#"{"seed": -1, "name": 7, "clock": "real"}"#, "/seed", " Line 1, column 22: name is 7"),
        (#"{"a": 1, "b": 2, "c": 3, "d": 4}"#, "/a", " There is one more mistake; mock-apns check lists all of them."),
        (#"{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}"#, "/a", " There are 2 more mistakes; mock-apns check"),
        (#"{"timeline": [{"at": "1s", "do": {"key": "NONE567890", "revoked": true}}]}"#, "/timeline/0/do/key", "key"),
        (
            #"{"authentication": {"teams": [{"teamID": "TEAM567890", "keys": [{"keyID": "KEY4567890", "file": "no.p8"}]}]}}"#,
            "", "no.p8"
        ),
        (
            #"{"authentication": {"teams": [{"teamID": "TEAM567890", "keys": [{"keyID": "KEY4567890", "file": "bad.p8"}]}]}}"#,
            "", "bad.p8"
        ),
        ("[]", "", "the scenario is a list"), ("", "", "not JSON at line 1, column 1"), ("{", "", "not JSON"),
    ]

    @Test(arguments: bad.indices)
    func aBadScenarioLeavesTheOldOne(index: Int) async throws {
        let row = Self.bad[index]
        let old = #"{"rules": [{"name": "old", "then": {"reject": "Shutdown"}}]}"#
        try await withFolder { folder in
            try write(Array("garbage".utf8), to: folder.appending("bad.p8"))
            try await withAdmin {
                $0.play(old, in: folder)
            } _: { server, admin async throws in
                let answer = try await admin.send("PUT", "/api/v1/scenario", body: row.body)
                #expect(answer.status == 400)
                #expect(answer.error["pointer"] as? String == row.pointer)
                #expect(answer.errorMessage.contains(row.message), "\(answer.errorMessage)")
                #expect(try await admin.get("/api/v1/scenario").text == old)
                let provider = try await TestProvider.connect(to: server)
                #expect(try await provider.push(TestPush(server.authorization())).reason == "Shutdown")
            }
        }
    }

    // MARK: Rules

    @Test func anAddedRuleComesFirstUntilRemoved() async throws {
        try await withFolder { folder in
            let file = folder.appending("log.jsonl")
            try await withAdmin {
                $0.log = .file(file)
                $0.play(#"{"rules": [{"name": "old", "then": {"reject": "Shutdown"}}]}"#)
            } _: { server, admin async throws in
                let provider = try await TestProvider.connect(to: server)
                let push = try TestPush(server.authorization())
                let rule = #"{"name": "new one", "times": 1, "then": {"reject": "TooManyRequests"}}"#
                let added = try await admin.send("POST", "/api/v1/rules", body: rule)
                #expect(added.status == 201)
                #expect(added.text == #"{"name":"new one"}"#)
                #expect(try await admin.send("POST", "/api/v1/rules", body: rule).status == 409)
                #expect(try await provider.push(push).reason == "TooManyRequests")
                #expect(try await provider.push(push).reason == "Shutdown")
                #expect(
                    try await admin.get("/api/v1/rules").text
                        == #"{"rules":[{"name":"new one","on":"push","steps":1,"decided":1,"left":0,"usedUp":true,"added":true},"#
                        + #"{"name":"old","on":"push","steps":1,"decided":1,"left":null,"usedUp":false,"added":false}],"outages":[],"total":2,"next":null}"#
                )
                for name in ["new%20one", "old"] {
                    #expect(try await admin.send("DELETE", "/api/v1/rules/\(name)").text == #"{"deleted":1}"#)
                    let again = try await admin.send("DELETE", "/api/v1/rules/\(name)")
                    #expect(again.status == 404)
                    #expect(again.errorMessage.contains("GET /api/v1/rules"))
                }
                #expect(try await provider.push(push).status == "200")
            }
            let events = try jsonLines(file).filter { $0["event"] as? String == "rule" }
            #expect(events.map { $0["rule"] as? String } == ["new one", "new one", "old"])
            #expect(events.map { $0["state"] as? String } == ["added", "removed", "removed"])
            #expect(events.allSatisfy { $0["time"] is String && $0["clock"] is String })
        }
    }

    @Test func aRuleWithoutANameGetsOne() async throws {
        try await withAdmin { _, admin async throws in
            func add() async throws -> String {
                try await admin.send("POST", "/api/v1/rules", body: #"{"then": {"pass": true}}"#).text
            }
            #expect(try await add() == #"{"name":"rule-1"}"#)
            #expect(try await add() == #"{"name":"rule-2"}"#)
            #expect(try await admin.send("DELETE", "/api/v1/rules/rule-1").status == 200)
            #expect(try await add() == #"{"name":"rule-1"}"#)
        }
    }

    @Test func rulesMayNameDevicesDeclaredLater() async throws {
        let bob = String(repeating: "b0", count: 32)
        try await withAdmin {
            $0.play(#"{"devices": [{"name": "alice", "token": "\#(TestPush.device)"}]}"#)
        } _: { server, admin async throws in
            let rule = #"{"when": {"device": {"oneOf": ["bob"]}}, "then": {"reject": "TooManyRequests"}}"#
            let unknown = try await admin.send("POST", "/api/v1/rules", body: rule)
            #expect(unknown.status == 400)
            #expect(unknown.error["pointer"] as? String == "/when/device/oneOf/0")
            let device = #"{"name": "bob", "token": "\#(bob)"}"#
            #expect(try await admin.send("POST", "/api/v1/devices", body: device).status == 201)
            #expect(try await admin.send("POST", "/api/v1/rules", body: rule).status == 201)
            let provider = try await TestProvider.connect(to: server)
            let authorization = try server.authorization()
            #expect(try await provider.push(TestPush(authorization)).status == "200")
            #expect(
                try await provider.push(TestPush(authorization, [(":path", "/3/device/\(bob)")])).reason
                    == "TooManyRequests")
        }
    }

    @Test(arguments: [
        (#"{"then": {"rejct": "Shutdown"}}"#, "/then/rejct", "did you mean \"reject\"?"),
        (#"{"when": {"topik": "a"}, "then": {"pass": true}}"#, "/when/topik", "did you mean \"topic\"?"),
        (#"{"when": {"device": "alicia"}, "then": {"pass": true}}"#, "/when/device", "but no device has that name"),
        (#"{"name": "", "then": {"pass": true}}"#, "/name", "1 to 200"),
        ("{}", "", "The body has no \"then\""), ("3", "", "The body is 3"), ("{", "", "not JSON"),
    ])
    func aBadRuleSaysWhatAndWhere(body: String, pointer: String, message: String) async throws {
        try await withAdmin { _, admin async throws in
            let answer = try await admin.send("POST", "/api/v1/rules", body: body)
            #expect(answer.status == 400)
            #expect(answer.error["pointer"] as? String == pointer)
            #expect(answer.errorMessage.contains(message), "\(answer.errorMessage)")
            #expect(try await admin.get("/api/v1/rules").text == #"{"rules":[],"outages":[],"total":0,"next":null}"#)
        }
    }

    // MARK: Methods and bodies

    @Test(arguments: [
        ("POST", "/api/v1/scenario", "GET, HEAD, PUT"), ("GET", "/api/v1/reset", "POST"),
        ("PUT", "/api/v1/devices/alice", "DELETE, GET, HEAD, PATCH"), ("GET", "/api/v1/clock/advance", "POST"),
        ("POST", "/api/v1/identity", "GET, HEAD"), ("DELETE", "/livez", "GET, HEAD"),
        ("GET", "/api/v1/connections/1/close", "POST"), ("PATCH", "/api/v1/rules", "GET, HEAD, POST"),
    ])
    func aKnownPathSaysWhichMethodsItTakes(method: String, path: String, allowed: String) async throws {
        try await withAdmin { _, admin async throws in
            let answer = try await admin.send(method, path)
            #expect(answer.status == 405)
            #expect(answer.fields["Allow"] as? String ?? answer.fields["allow"] as? String == allowed)
            #expect(answer.error["code"] as? String == "methodNotAllowed")
            #expect(answer.errorMessage.contains(path))
        }
    }

    @Test(arguments: [("GET", "/api/v1/device"), ("POST", "/api/v1"), ("GET", "/uj/"), ("GET", "/api/v1/devices/a/b")])
    func anUnknownPathIsNotFound(method: String, path: String) async throws {
        try await withAdmin { _, admin async throws in
            let answer = try await admin.send(method, path)
            #expect(answer.status == 404)
            #expect(answer.error["code"] as? String == "notFound")
        }
    }

    @Test func headIsAnsweredLikeGetWithoutABody() async throws {
        try await withAdmin { _, admin async throws in
            let answer = try await admin.send("HEAD", "/readyz")
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
        }
    }

    @Test(arguments: ["devices", "rules", "clock/advance"])
    func aBodyIsBounded(path: String) async throws {
        try await withAdmin { _, admin async throws in
            let long = #"{"name": ""# + String(repeating: "x", count: 1 << 20) + #""}"#
            let answer = try await admin.send("POST", "/api/v1/\(path)", body: long)
            #expect(answer.status == 413)
            #expect(answer.error["code"] as? String == "tooLarge")
            #expect(answer.errorMessage.contains("1048576"))
            // A scenario may be longer.
            let scenario = long.replacing("name", with: "description")
            #expect(try await admin.send("PUT", "/api/v1/scenario", body: scenario).status == 200)
        }
    }
}

private let unknown = "/3/device/" + String(repeating: "0a", count: 32)
