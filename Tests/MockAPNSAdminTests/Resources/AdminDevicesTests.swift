import Foundation
import MockAPNSCore
import SystemPackage
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// `/api/v1/devices`, over HTTP as its users call it.
@Suite struct AdminDevicesTests {
    private static let alice =
        #"{"devices": [{"name": "alice", "token": "\#(TestPush.device)", "topic": "com.example.app"}]}"#
    private static let bob = String(repeating: "b0", count: 32)

    @Test func declaredDevicesAreReadByNameOrToken() async throws {
        try await withAdmin {
            $0.play(Self.alice)
        } _: { _, admin async throws in
            let byName = try await admin.get("/api/v1/devices/alice")
            #expect(byName.status == 200)
            let byToken = try await admin.get("/api/v1/devices/\(TestPush.device.uppercased())")
            #expect(byToken.text == byName.text)
            #expect(
                byName.text
                    == #"{"name":"alice","token":"\#(TestPush.device)","topics":["com.example.app"],"environment":"sandbox","#
                    + #""online":true,"registered":true,"notifications":true,"platform":"iOS","app":{"state":"background","#
                    + #""backgroundRefresh":true,"presentsInForeground":false},"apps":{},"budgets":{},"#
                    + #""power":"normal","pushToStartToken":null,"badge":0,"displayed":[],"#
                    + #""activities":[],"stored":[],"received":0,"history":[]}"#)
        }
    }

    @Test func aNotificationIsOpenedWithOneOfItsActions() async throws {
        let category =
            #"{"id": "C", "actions": [{"id": "LIKE", "title": "Like"}, {"id": "REPLY", "title": "Reply", "textInput": {}}]}"#
        let app = #""apps": [{"topic": "com.example.app", "categories": [\#(category)]}]"#
        try await withAdmin {
            $0.play(#"{\#(app), \#(Self.alice.dropFirst())"#)
        } _: { _, admin async throws in
            let payload = #"{"aps": {"alert": "Hello", "category": "C"}}"#
            for _ in 0..<3 {
                let push = try await admin.send(
                    "POST", "/api/v1/pushes", body: #"{"device": "alice", "payload": \#(payload)}"#)
                #expect(push.status == 200)
            }
            let displayed = "/api/v1/devices/alice/displayed"
            for (body, pointer, message) in [
                (#"{"action": "SHARE"}"#, "/action", #"it has "LIKE" and "REPLY"."#),
                (#"{"action": "RELPY"}"#, "/action", #"did you mean "REPLY"?"#),
                (#"{"action": "LIKE", "text": "Yes"}"#, "/text", "takes no text."),
                (#"{"text": "Yes"}"#, "/text", "takes"),
            ] {
                let answer = try await admin.send("POST", "\(displayed)/1/open", body: body)
                #expect(answer.status == 400 && answer.error["pointer"] as? String == pointer, "\(body)")
                #expect(answer.errorMessage.contains(message), "\(answer.errorMessage)")
            }
            let reply = #"{"action": "REPLY", "text": "Yes"}"#
            #expect(try await admin.send("POST", "\(displayed)/1/open", body: reply).status == 200)
            let again = try await admin.send("POST", "\(displayed)/1/open", body: reply)
            #expect(again.status == 404 && again.errorMessage.contains(#"chose the action "REPLY""#))
            let shown = try await admin.send("POST", "\(displayed)/2/open")
            #expect(shown.status == 200 && (shown.object["displayed"] as? [Any])?.count == 1)
            #expect(try await admin.send("POST", "\(displayed)/3/dismiss", body: #"{"action": "LIKE"}"#).status == 400)
            let last = try await admin.send("POST", "\(displayed)/3/dismiss", body: "{}")
            let history = last.object["history"] as? [[String: Any]]
            let states = history?.compactMap { $0["state"] as? String }
            #expect(states == ["shown", "shown", "shown", "opened", "opened", "dismissed"])
        }
    }

    @Test func selfRegisteredDevicesShowWhatTheLogHas() async throws {
        try await withAdmin { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            let authorization = try server.authorization()
            try await provider.push(TestPush(authorization, [("apns-collapse-id", "score")]))
            try await provider.push(
                TestPush(
                    authorization, [("apns-collapse-id", "score")], body: #"{ "aps": {"alert": "2-1", "badge": 3} }"#))
            let device = try await admin.get("/api/v1/devices/\(TestPush.device)").object
            #expect(device["name"] is NSNull)
            #expect(device["received"] as? Int == 2)
            #expect(device["badge"] as? Int == 3)
            let displayed = try #require(device["displayed"] as? [[String: Any]])
            #expect(displayed.map { $0["sequence"] as? Int } == [2])
            #expect(displayed[0]["collapseID"] as? String == "score")
            let payload = displayed[0]["payload"] as? [String: [String: AnyHashable]]
            #expect(payload == ["aps": ["alert": "2-1", "badge": 3]])
            let list = try await admin.get("/api/v1/devices")
            #expect(list.list("devices").count == 1)
            #expect((list.list("devices")[0]["displayed"] as? [Any])?.count == 1)
            #expect(list.object["next"] is NSNull)
        }
    }

    @Test func aDeviceIsDeclaredChangedAndRemoved() async throws {
        try await withFolder { folder in
            let file = folder.appending("log.jsonl")
            try await withAdmin {
                $0.log = .file(file)
            } _: { server, admin async throws in
                let device =
                    #"{"name": "bob's phone", "token": "\#(Self.bob)", "topics": ["a.b", "a.c"], "power": "saving"}"#
                let made = try await admin.send("POST", "/api/v1/devices", body: device)
                #expect(made.status == 201)
                #expect(made.object["topics"] as? [String] == ["a.b", "a.c"])
                let path = "/api/v1/devices/bob%27s%20phone"
                #expect(try await admin.get(path).text == made.text)
                let changed = try await admin.send(
                    "PATCH", path, body: #"{"power": "normal", "registered": {"expiredAt": "2026-01-01T00:00:00Z"}}"#)
                #expect(changed.status == 200)
                #expect(changed.object["power"] as? String == "normal")
                #expect(changed.object["registered"] as? [String: String] == ["expiredAt": "2026-01-01T00:00:00.000Z"])
                let provider = try await TestProvider.connect(to: server)
                let answer = try await provider.push(
                    TestPush(server.authorization(), [(":path", "/3/device/\(Self.bob)"), ("apns-topic", "a.b")]))
                #expect(answer.body == #"{"reason":"ExpiredToken","timestamp":1767225600000}"#)
                #expect(try await admin.send("DELETE", path).text == #"{"deleted":1}"#)
                #expect(try await admin.get(path).status == 404)
                // The token is free again.
                let again = try await provider.push(
                    TestPush(server.authorization(), [(":path", "/3/device/\(Self.bob)"), ("apns-topic", "a.d")]))
                #expect(again.status == "200")
            }
            let events = try jsonLines(file).filter { $0["event"] as? String == "device" }
            #expect(events.map { $0["state"] as? String } == ["declared", "changed", "removed"])
        }
    }

    @Test func aDeviceWithoutATokenGetsOne() async throws {
        var drawn: [[String]] = []
        for seed in [1, 1, 2] {
            try await withAdmin {
                $0.play(#"{"seed": \#(seed), "unknownDevices": "reject"}"#)
            } _: { server, admin async throws in
                var tokens: [String] = []
                for name in ["alice", "bob"] {
                    let made = try await admin.send("POST", "/api/v1/devices", body: #"{"name": "\#(name)"}"#)
                    #expect(made.status == 201)
                    tokens.append(try #require(made.object["token"] as? String))
                    #expect(try await admin.get("/api/v1/devices/\(name)").text == made.text)
                }
                let provider = try await TestProvider.connect(to: server)
                let push = try TestPush(server.authorization(), [(":path", "/3/device/\(tokens[1])")])
                #expect(try await provider.push(push).status == "200")
                drawn.append(tokens)
            }
        }
        #expect(drawn[0] == drawn[1])
        #expect(Set(drawn.joined()).count == 4)
    }

    @Test func aDeviceThatRegisteredItselfCanBeDeclared() async throws {
        try await withAdmin { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            try await provider.push(TestPush(server.authorization()))
            let device = #"{"name": "alice", "token": "\#(TestPush.device)", "topic": "com.example.app"}"#
            let made = try await admin.send("POST", "/api/v1/devices", body: device)
            #expect(made.status == 201)
            #expect(made.object["received"] as? Int == 1)
            #expect(try await admin.send("POST", "/api/v1/devices", body: device).status == 409)
        }
    }

    @Test(arguments: [
        (#"{"name": "alice", "token": "\#(bob)"}"#, "\"alice\""),
        (#"{"name": "bob", "token": "\#(TestPush.device.uppercased())"}"#, "\"alice\""),
    ])
    func whatIsTakenIsAConflict(body: String, word: String) async throws {
        try await withAdmin {
            $0.play(Self.alice)
        } _: { _, admin async throws in
            let answer = try await admin.send("POST", "/api/v1/devices", body: body)
            #expect(answer.status == 409)
            #expect(answer.errorMessage.contains(word), "\(answer.errorMessage)")
            #expect(try await admin.get("/api/v1/devices").list("devices").count == 1)
        }
    }

    @Test(arguments: [Configuration.Environment.production, .sandbox])
    func devicesBelongToThePlayedEnvironment(environment: Configuration.Environment) async throws {
        try await withAdmin {
            $0.environment = environment
        } _: { server, admin async throws in
            let made = try await admin.send("POST", "/api/v1/devices", body: #"{"token": "\#(Self.bob)"}"#)
            #expect(made.object["environment"] as? String == environment.rawValue)
            let provider = try await TestProvider.connect(to: server)
            let answer = try await provider.push(
                TestPush(server.authorization(), [(":path", "/3/device/\(Self.bob)")]))
            #expect(answer.status == "200")
        }
    }

    static let wrong: [(method: String, path: String, body: String?, status: Int, pointer: String, message: String)] = [
        ("POST", "", #"{"name": ""}"#, 400, "/name", "a name of 1 to 200 characters"),
        ("POST", "", #"{"token": "abc"}"#, 400, "/token", "3 digits"),
        ("POST", "", #"{"token": "\#(bob)", "onlin": true}"#, 400, "/onlin", "did you mean \"online\"?"),
        ("POST", "", #"{"token": "\#(bob)", "topic": "a b"}"#, 400, "/topic", "a topic"),
        ("POST", "", #"{"token": "\#(bob)", "power": "savin"}"#, 400, "/power", "did you mean \"saving\"?"),
        ("POST", "", "[]", 400, "", "The body is a list"),
        ("POST", "", " ", 400, "", "not JSON at line 1, column 2"),
        ("PATCH", "/alice", "{}", 400, "", "changes nothing"),
        ("PATCH", "/alice", #"{"online": "yes"}"#, 400, "/online", "true or false"),
        ("PATCH", "/alice", #"{"name": "bob"}"#, 400, "/name", "is not a key"),
        ("PATCH", "/alice", #"{"registered": {"unregisteredAt": "today"}}"#, 400, "/registered/unregisteredAt", "3339"),
        ("PATCH", "/alice", #"{"endActivity": "score"}"#, 400, "/endActivity", "no Live Activity \"score\""),
        ("PATCH", "/alice", #"{"dismissActivity": "score"}"#, 400, "/dismissActivity", "it has none."),
        ("PATCH", "/alice", #"{"startActivity": {"topic": "com.example.other"}}"#, 400, "/startActivity", "no topic"),
        (
            "PATCH", "/alice", #"{"apps": {"com.exmaple.app": {"state": "forceQuit"}}}"#, 400, "/apps",
            "no topic of the app \"com.exmaple.app\"; did you mean"
        ),
        (
            "PATCH", "/alice", #"{"apps": {\#(forceQuitApps(51))}}"#, 400, "/apps",
            "51 apps; expected at most 50 with a state of their own"
        ),
        ("PATCH", "/alicia", #"{"online": true}"#, 404, "", "\"alicia\""),
        ("GET", "/\(bob)", nil, 404, "", "GET /api/v1/devices"),
        ("GET", "/%FF", nil, 400, "", "percent"),
        ("GET", "/100%25", nil, 404, "", "\"100%\""),
        ("DELETE", "/bob", nil, 404, "", "\"bob\""),
        ("GET", "?onlin=true", nil, 400, "/onlin", "Did you mean \"online\"?"),
        ("GET", "?online=yes", nil, 400, "/online", "\"true\" or \"false\""),
        ("GET", "?power=low", nil, 400, "/power", "\"normal\" or \"saving\""),
        ("GET", "?limit=0", nil, 400, "/limit", "from 1 to 1000"),
        ("GET", "?after=-1", nil, 400, "/after", "whole number"),
        ("GET", "?online=true&online=true", nil, 400, "/online", "more than once"),
    ]

    private static func forceQuitApps(_ count: Int) -> String {
        (1...count).map { #""com.example.app\#($0)": {"state": "forceQuit"}"# }.joined(separator: ",")
    }

    @Test func appsThatGoBeyondTheBoundTogetherAreRefused() async throws {
        try await withAdmin {
            $0.play(Self.alice.replacing(#", "topic": "com.example.app""#, with: ""))
        } _: { _, admin async throws in
            func change(_ apps: String) async throws -> AdminClient.Answer {
                try await admin.send("PATCH", "/api/v1/devices/alice", body: #"{"apps": {\#(apps)}}"#)
            }
            #expect(try await change(Self.forceQuitApps(50)).status == 200)
            let refused = try await change(#""com.example.other": {"state": "foreground"}"#)
            #expect(refused.status == 400 && refused.error["pointer"] as? String == "/apps")
            #expect(refused.errorMessage.contains("null takes one away"))
            let other = #""com.example.app1": null, "com.example.other": {"state": "foreground"}"#
            #expect(try await change(other).status == 200)
        }
    }

    @Test(arguments: wrong.indices)
    func wrongInputSaysWhatAndWhere(index: Int) async throws {
        let row = Self.wrong[index]
        try await withAdmin {
            $0.play(Self.alice)
        } _: { _, admin async throws in
            let before = try await admin.get("/api/v1/devices").text
            let answer = try await admin.send(row.method, "/api/v1/devices" + row.path, body: row.body)
            #expect(answer.status == row.status)
            #expect(answer.error["pointer"] as? String == row.pointer)
            #expect(answer.errorMessage.contains(row.message), "\(answer.errorMessage)")
            #expect(!answer.errorMessage.contains("scenario"), "\(answer.errorMessage)")
            #expect(try await admin.get("/api/v1/devices").text == before)
        }
    }

    @Test func devicesAreFilteredAndListedInPages() async throws {
        let devices = (0..<25).map { number in
            let token = String(repeating: number < 10 ? "0\(number)" : "\(number)", count: 32)
            return #"{"name": "d\#(number)", "token": "\#(token)", "topic": "t.\#(number % 5)","#
                + #""online": \#(number % 2 == 0)}"#
        }
        try await withAdmin {
            $0.play(#"{"devices": [\#(devices.joined(separator: ","))]}"#)
        } _: { _, admin async throws in
            func names(_ query: String) async throws -> [String] {
                try await admin.get("/api/v1/devices?\(query)").list("devices").compactMap { $0["name"] as? String }
            }
            #expect(try await names("limit=1000").count == 25)
            #expect(try await names("topic=t.3&online=true") == ["d8", "d18"])
            #expect(try await names("name=d7") == ["d7"])
            #expect(try await names("environment=production").isEmpty)
            #expect(try await names("registered=true&notifications=true&power=normal").count == 25)
            var pages: [String] = []
            var after: Int? = 0
            while let start = after {
                let page = try await admin.get("/api/v1/devices?limit=4&online=false&after=\(start)")
                #expect(page.list("devices").count <= 4)
                pages += page.list("devices").compactMap { $0["name"] as? String }
                after = page.object["next"] as? Int
            }
            #expect(pages == (0..<25).filter { $0 % 2 == 1 }.map { "d\($0)" })
        }
    }
}

extension Configuration {
    typealias Environment = MockAPNSServer.Configuration.Environment
}
