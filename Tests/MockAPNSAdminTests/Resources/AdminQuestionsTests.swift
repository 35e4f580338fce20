import Foundation
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSCore

/// Asking the API for requests with conditions, waiting for them, and letting it judge.
@Suite struct AdminQuestionsTests {
    private static let devices =
        #"[{"name": "alice", "token": "\#(TestPush.device)"}, {"name": "bob", "token": "\#(bob)", "online": false}]"#
    private static let bob = String(repeating: "b0", count: 32)
    private static let other = String(repeating: "00", count: 32)

    /// A server that has had three requests: a push for alice, one for bob, and for neither one without a topic.
    private func withPushes(
        _ more: String = "", _ body: (MockAPNSServer, AdminClient, TestProvider, TestPush) async throws -> Void
    ) async throws {
        try await withAdmin {
            $0.play("{\(more)\"devices\": \(Self.devices)}")
        } _: { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            let push = TestPush(try server.authorization())
            _ = try await provider.push([
                push, TestPush(try server.authorization(), [(":path", "/3/device/\(Self.bob)")]),
                TestPush(try server.authorization(), [(":path", "/3/device/\(Self.other)"), ("apns-topic", nil)]),
            ])
            try await body(server, admin, provider, push)
            await provider.close()
        }
    }

    // MARK: Finding and counting

    @Test(arguments: [
        (#"{}"#, [1, 2, 3]), (#"{"requests": {"device": "bob"}}"#, [2]), (#"{"order": "desc", "limit": 2}"#, [3, 2]),
        (#"{"requests": {"device": {"oneOf": ["alice", "bob"]}}, "after": 1, "limit": 5}"#, [2]),
        (#"{"requests": {"payload": {"/aps/alert": {"prefix": "Hell"}}, "status": {"atMost": 200}}}"#, [1, 2]),
        (#"{"requests": {"header": {"apns-topic": {"exists": false}}}, "$comment": "no topic"}"#, [3]),
    ])
    func findsRequests(by question: String, _ sequences: [Int]) async throws {
        try await withPushes { _, admin, _, _ async throws in
            let answer = try await admin.send("POST", "/api/v1/requests/find", body: question)
            #expect(answer.status == 200)
            #expect(answer.requests.map { $0["sequence"] as? Int } == sequences)
            #expect(answer.object["dropped"] as? Int == 0)
        }
    }

    @Test func callsAboutChannelsAreFoundWhenAskedFor() async throws {
        try await withPushes { _, admin, provider, push async throws in
            let id = "a1b2c3d4-0000-1111-2222-333344445555"
            for (method, path) in [
                ("POST", "/1/apps/com.example.app/channels"), ("GET", "/1/apps/com.example.app/channels"),
                ("DELETE", "/1/apps/com.example.app/channels"), ("GET", "/1/apps/com.example.app/all-channels"),
                ("POST", "/4/broadcasts/apps/com.example.app"), ("GET", "/4/broadcasts/apps/com.example.app"),
            ] {
                var call = push
                call.fields.removeAll { [":method", ":path"].contains($0.0) }
                call.fields.insert(contentsOf: [(":method", method), (":path", path)], at: 0)
                if path.hasSuffix("all-channels") { call.fields.append(("apns-request-id", id)) }
                try await provider.push(call)
            }
            func found(_ match: String) async throws -> [Int?] {
                let question = #"{"requests": \#(match)}"#
                let answer = try await admin.send("POST", "/api/v1/requests/find", body: question)
                let count = try await admin.send("POST", "/api/v1/requests/count", body: question)
                #expect(count.object["count"] as? Int == answer.requests.count, "\(count.text)")
                return answer.requests.map { $0["sequence"] as? Int }
            }
            #expect(try await found("{}") == [1, 2, 3])
            #expect(try await found(#"{"call": {"exists": true}}"#) == [4, 5, 6, 7, 8])
            // The last fits no call.
            #expect(try await found(#"{"call": {"exists": false}}"#) == [1, 2, 3, 9])
            #expect(try await found(#"{"requestID": "\#(id)"}"#) == [7])
            func listed(_ filters: String) async throws -> [Int?] {
                try await admin.get("/api/v1/requests\(filters)").requests.map { $0["sequence"] as? Int }
            }
            #expect(try await listed("") == [1, 2, 3])
            #expect(try await listed("?call=publish") == [8])
            let delete = #"{"requests": {"call": {"exists": true}}}"#
            #expect(try await admin.send("POST", "/api/v1/requests/delete", body: delete).text == #"{"deleted":5}"#)
            #expect(try await admin.send("DELETE", "/api/v1/requests").text == #"{"deleted":4}"#)
        }
    }

    @Test func countsRequests() async throws {
        try await withPushes { _, admin, _, _ async throws in
            func count(_ question: String) async throws -> Int? {
                try await admin.send("POST", "/api/v1/requests/count", body: question).object["count"] as? Int
            }
            #expect(try await count("{}") == 3)
            #expect(try await count(#"{"requests": {"status": 200}}"#) == 2)
            #expect(try await count(#"{"requests": {"delivery": "Stored - Device Offline"}}"#) == 1)
            #expect(try await count(#"{"requests": {"status": 503}}"#) == 0)
        }
    }

    @Test func countsRequestsByTheirFields() async throws {
        try await withPushes { _, admin, _, _ async throws in
            func count(_ question: String) async throws -> String {
                try await admin.send("POST", "/api/v1/requests/count", body: question).text
            }
            let all = try await count(#"{"by": ["status", "reason", "topic", "pushType"]}"#)
            let byReason = #""reason":{"TooManyProviderTokenUpdates":1}"#
            let byTopic = #""topic":{"com.example.app":2},"pushType":{"alert":3}"#
            #expect(all == #"{"count":3,"dropped":0,"by":{"status":{"200":2,"429":1},\#(byReason),\#(byTopic)}}"#)
            let accepted = try await count(#"{"requests": {"status": 200}, "by": ["reason"]}"#)
            #expect(accepted == #"{"count":2,"dropped":0,"by":{"reason":{}}}"#)
        }
    }

    @Test func whatTheLogHasDroppedIsTold() async throws {
        try await withAdmin {
            $0.logLimit = 1000
        } _: { server, admin async throws in
            let count = 4000
            let push =
                #"{"token": "\#(Self.other)", "topic": "com.example.app", "payload": {"aps": {"badge": "1"}}, "repeat": 100}"#
            for _ in 0..<(count / 100) {
                #expect(try await admin.send("POST", "/api/v1/pushes", body: push).status == 202)
            }
            let page = try await admin.send("POST", "/api/v1/requests/find", body: "{}").object
            let dropped = try #require(page["dropped"] as? Int)
            #expect(dropped > 0)
            let question = #"{"requests": {"sentBy": "admin"}}"#
            let counted = try await admin.send("POST", "/api/v1/requests/count", body: question).object
            #expect(counted["dropped"] as? Int == dropped)
            #expect(try #require(counted["count"] as? Int) < count)
            #expect(try await admin.get("/api/v1/lint?sentBy=admin").object["dropped"] as? Int == dropped)
            #expect(try await admin.get("/api/v1/lint/pushes?sentBy=admin").object["dropped"] as? Int == dropped)
            #expect(server.droppedRequests == dropped)
        }
    }

    @Test func onlyPushesInWhichLintFindsSomething() async throws {
        try await withPushes { _, admin, _, _ async throws in
            for payload in [#"{"aps": {"badge": "1"}}"#, #"{"aps": {"sound": "Default"}}"#, #"{"aps": {"badge": 1}}"#] {
                let push = #"{"device": "alice", "payload": \#(payload)}"#
                #expect(try await admin.send("POST", "/api/v1/pushes", body: push).status == 200)
            }
            func found(_ lint: String, _ match: String = #""sentBy": "admin""#) async throws -> [Int?] {
                let question = #"{"requests": {\#(match)}, "lint": \#(lint), "order": "desc"}"#
                return try await admin.send("POST", "/api/v1/requests/find", body: question).requests
                    .map { $0["sequence"] as? Int }
            }
            #expect(try await found(#"{"severity": "warning"}"#) == [5, 4])
            #expect(try await found(#"{"severity": "error"}"#) == [4])
            #expect(try await found(#"{"rule": "sound-default-case"}"#) == [5])
            #expect(try await found(#"{"severity": "warning"}"#, #""sentBy": "admin", "payloadBytes": 21"#) == [4])
            let count = #"{"requests": {"sentBy": "admin"}, "lint": {"severity": "warning"}}"#
            #expect(
                try await admin.send("POST", "/api/v1/requests/count", body: count).text == #"{"count":2,"dropped":0}"#)
            #expect(try await admin.send("POST", "/api/v1/requests/delete", body: count).text == #"{"deleted":2}"#)
            let left = try await admin.send(
                "POST", "/api/v1/requests/find", body: #"{"requests": {"sentBy": "admin"}}"#)
            #expect(left.requests.map { $0["sequence"] as? Int } == [6])
        }
    }

    @Test func devicesDeclaredLaterCanBeNamed() async throws {
        try await withPushes { _, admin, provider, push async throws in
            let token = String(repeating: "ca", count: 32)
            let device = #"{"name": "carol", "token": "\#(token)"}"#
            #expect(try await admin.send("POST", "/api/v1/devices", body: device).status == 201)
            var push = push
            push.fields = push.fields.map { $0.0 == ":path" ? (":path", "/3/device/\(token)") : $0 }
            try await provider.push(push)
            let question = #"{"requests": {"device": "carol"}}"#
            #expect(try await admin.send("POST", "/api/v1/requests/count", body: question).object["count"] as? Int == 1)
            let expectations =
                #"{"expect": [{"device": "carol", "received": 1}, {"requests": {"device": "carol"}, "count": 1}]}"#
            let answer = try await admin.send("POST", "/api/v1/verify", body: expectations)
            #expect(answer.object["passed"] as? Bool == true, "\(answer.text)")
        }
    }

    @Test func waitsForNone() async throws {
        try await withAdmin { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            let push = try TestPush(server.authorization())
            try await provider.push(push)
            let path = "/api/v1/requests/wait"
            // What came before does not count, unless it is asked for.
            let quiet = try await admin.send("POST", path, body: #"{"count": 0, "for": "20ms"}"#)
            #expect(quiet.status == 200 && quiet.requests.isEmpty, "\(quiet.text)")
            let earlier = try await admin.send("POST", path, body: #"{"count": 0, "for": "5m", "after": 0}"#)
            #expect(earlier.status == 409 && earlier.requests.count == 1, "\(earlier.text)")
            async let broken = admin.send(
                "POST", path, body: #"{"requests": {"status": 200}, "count": 0, "for": "5m"}"#)
            while server.waitCount == 0 { await Task.yield() }
            try await provider.push(push)
            let came = try await broken
            #expect(came.status == 409, "\(came.text)")
            #expect(came.requests.map { $0["sequence"] as? Int } == [2])
            let others = try await admin.send(
                "POST", path, body: #"{"requests": {"status": 429}, "count": 0, "for": "20ms"}"#)
            #expect(others.status == 200)
        }
    }

    @Test func aResetEndsAWaitForNone() async throws {
        try await withAdmin { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            try await provider.push(TestPush(server.authorization()))
            // Sequence numbers start at 1 again, so what comes afterwards is not after the latest of now.
            async let waiting = admin.send("POST", "/api/v1/requests/wait", body: #"{"count": 0, "for": "5m"}"#)
            while server.waitCount == 0 { await Task.yield() }
            #expect(try await admin.send("POST", "/api/v1/reset").status == 200)
            let answer = try await waiting
            #expect(answer.status == 409 && answer.error["code"] as? String == "reset", "\(answer.text)")
            #expect(answer.errorMessage.contains("not known whether a request came"))
        }
    }

    @Test(arguments: [
        ("requests/find", #"{"request": {}}"#, "/request", #""requests""#),
        ("requests/find", #"{"requests": {"staus": 200}}"#, "/requests/staus", #""status""#),
        ("requests/find", #"{"requests": {"status": {"equal": 200}}}"#, "/requests/status/equal", #""equals""#),
        ("requests/find", #"{"limit": 1001}"#, "/limit", "1000"),
        ("requests/find", #"{"after": -1}"#, "/after", "0"),
        ("requests/find", #"{"order": "dsc"}"#, "/order", #""desc""#),
        ("requests/count", #"{"requests": {}, "count": 1}"#, "/count", #""requests""#),
        ("requests/count", #"{"by": ["state"]}"#, "/by/0", #""status""#),
        ("requests/count", #"{"by": []}"#, "/by", "one element"),
        ("requests/find", #"{"lint": {"rule": "connection-churn"}}"#, "/lint/rule", "single pushes"),
        ("requests/count", #"{"requests": {"device": "alise"}}"#, "/requests/device", #""alice""#),
        ("requests/wait", #"{"timeout": 5}"#, "/timeout", #"with a unit, such as "5s""#),
        ("requests/wait", #"{"timeout": "601s"}"#, "/timeout", #""10m""#),
        ("requests/wait", #"{"count": 0}"#, "", #"has no "for""#),
        ("requests/wait", #"{"count": -1}"#, "/count", "from 0 to 100000"),
        ("requests/wait", #"{"for": "1s"}"#, "/for", #"is for "count": 0"#),
        ("requests/wait", #"{"count": 0, "for": "601s"}"#, "/for", #""10m""#),
        ("requests/wait", #"{"count": 0, "for": "1s", "timeout": "1s"}"#, "/for", #"contradicts "timeout""#),
        ("requests/wait", #"{"count": 100001}"#, "/count", "from 0 to 100000"),
        ("requests/wait", #"{"requests": [], "timeout": "1ms"}"#, "/requests", "an object of conditions"),
        ("verify", #"{"expects": []}"#, "/expects", #""expect""#),
        (
            "verify", #"{"expect": [{"requests": {}, "count": 1}, {"request": {}}]}"#, "/expect/1/request",
            #""requests""#
        ),
        ("verify", #"{"within": {}}"#, "/within", #""expect""#),
        ("verify", #"{"expect": [{"connections": 1}], "within": {}}"#, "/expect/0/connections", #""within""#),
        (
            "verify", #"{"within": {"status": 200}, "expect": [{"requests": {}, "count": 1}, {"pings": 1}]}"#,
            "/expect/1/pings", #""within""#
        ),
        (
            "verify", #"{"expect": [{"spacing": {"connections": true, "atLeast": "1s"}}], "within": {}}"#,
            "/expect/0/spacing/connections", #""distinct": "connection""#
        ),
        ("verify", #"[]"#, "", "an object"),
        ("verify", #" "#, "", "line 1, column 2"),
        ("reset", #"{"to": 1}"#, "", "takes no body"),
    ])
    func saysWhatIsWrong(with path: String, _ body: String, at pointer: String, naming words: String) async throws {
        try await withAdmin {
            $0.play("{\"devices\": \(Self.devices)}")
        } _: { _, admin async throws in
            let answer = try await admin.send("POST", "/api/v1/\(path)", body: body)
            #expect(answer.status == 400)
            #expect(answer.error["pointer"] as? String == pointer)
            #expect(answer.errorMessage.contains(words), "\(answer.errorMessage)")
        }
    }

    @Test func withoutABodyNothingSpecialIsAsked() async throws {
        try await withPushes(#""expect": [{"name": "three", "requests": {}, "count": 3}],"#) {
            _, admin, _, _ async throws in
            #expect(try await admin.send("POST", "/api/v1/requests/find").requests.count == 3)
            #expect(try await admin.send("POST", "/api/v1/verify").object["passed"] as? Bool == true)
            #expect(try await admin.send("POST", "/api/v1/reset").status == 200)
        }
    }

    @Test(arguments: ["find", "wait"])
    func theLargestNumberCanBeTheOneBefore(call: String) async throws {
        try await withPushes { _, admin, _, _ async throws in
            let timeout = call == "wait" ? #", "timeout": "1ms""# : ""
            let answer = try await admin.send(
                "POST", "/api/v1/requests/\(call)", body: #"{"after": \#(Int.max)\#(timeout)}"#)
            #expect(answer.status == (call == "wait" ? 408 : 200))
            #expect(answer.requests.isEmpty)
        }
    }

    @Test func aBodyIsBounded() async throws {
        try await withAdmin { _, admin async throws in
            let white = String(repeating: " ", count: 1 << 20)
            for path in ["requests/find", "requests/count", "requests/wait", "verify"] {
                let answer = try await admin.send("POST", "/api/v1/\(path)", body: white + "{}")
                #expect(answer.status == 413)
                #expect(answer.errorMessage.contains(path.hasSuffix("wait") ? "65536" : "1048576"))
            }
        }
    }

    // MARK: Waiting

    private func wait(_ admin: AdminClient, _ question: String) async throws -> AdminClient.Answer {
        try await admin.send("POST", "/api/v1/requests/wait", body: question)
    }

    @Test func whatIsThereIsAnsweredAtOnce() async throws {
        try await withPushes { _, admin, _, _ async throws in
            let answer = try await wait(admin, #"{"requests": {"status": 200}, "count": 2, "timeout": "0ms"}"#)
            #expect(answer.status == 200)
            #expect(answer.requests.map { $0["sequence"] as? Int } == [1, 2])
            #expect(Set(answer.object.keys) == ["requests", "total", "dropped"])
        }
    }

    @Test func waitsForWhatIsToCome() async throws {
        try await withPushes { server, admin, provider, push async throws in
            async let waited = wait(
                admin, #"{"requests": {"device": "alice"}, "count": 2, "after": 1, "timeout": "1m"}"#)
            try await server.until { $0.hasWaiters }
            try await provider.push(push)
            #expect(server.hasWaiters)
            try await provider.push(push)
            let answer = try await waited
            #expect(answer.status == 200)
            #expect(answer.requests.map { $0["sequence"] as? Int } == [4, 5])
        }
    }

    @Test func aTimeoutTellsWhatThereIs() async throws {
        try await withPushes { server, admin, _, _ async throws in
            let answer = try await wait(
                admin, #"{"requests": {"device": "alice", "status": 200}, "count": 2, "timeout": "20ms"}"#)
            #expect(answer.status == 408)
            #expect(answer.requests.map { $0["sequence"] as? Int } == [1])
            let nearest = try #require(answer.list("nearMisses").first)
            #expect(nearest["sequence"] as? Int == 2)
            let differences = try #require(nearest["differences"] as? [[String: String]])
            #expect(differences == [["field": "device", "expected": #""alice""#, "found": "bob"]])
            #expect(!server.hasWaiters)
        }
    }

    @Test func waitsForWhatBecomesOfAPush() async throws {
        try await withPushes { server, admin, _, _ async throws in
            async let waited = wait(
                admin, #"{"requests": {"delivery": "Delivered to Device (From Storage)"}, "timeout": "1m"}"#)
            try await server.until { $0.hasWaiters }
            #expect(try await admin.send("PATCH", "/api/v1/devices/bob", body: #"{"online": true}"#).status == 200)
            #expect(try await waited.requests.map { $0["sequence"] as? Int } == [2])
        }
    }

    @Test func whatIsForgottenIsWaitedForAnew() async throws {
        try await withPushes { server, admin, provider, push async throws in
            async let waited = wait(admin, #"{"requests": {"device": "alice"}, "count": 2, "timeout": "1m"}"#)
            try await server.until { $0.hasWaiters }
            #expect(try await admin.send("DELETE", "/api/v1/requests").status == 200)
            try await provider.push(push)
            try await provider.push(push)
            #expect(try await waited.requests.map { $0["sequence"] as? Int } == [4, 5])
        }
    }

    @Test func waitsDoNotCountDroppedRequests() async throws {
        try await withAdmin {
            $0.logLimit = 2
        } _: { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            let good = TestPush(try server.authorization())
            async let waited = wait(admin, #"{"requests": {"status": 200}, "count": 2, "timeout": "1m"}"#)
            try await server.until { $0.hasWaiters }
            for push in [good, TestPush(), TestPush(), good, good] { try await provider.push(push) }
            #expect(try await waited.requests.map { $0["sequence"] as? Int } == [4, 5])
            await provider.close()
        }
    }

    @Test func aClientThatGoesAwayEndsItsWait() async throws {
        try await withPushes { server, admin, _, _ async throws in
            let client = try await TestProvider.connect(port: try admin.port, speech: .tcp)
            let body = #"{"requests": {"status": 503}, "timeout": "10m"}"#
            try await client.send(
                Array(
                    "POST /api/v1/requests/wait HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                        .utf8))
            try await server.until { $0.hasWaiters }
            await client.close()
            try await server.until { !$0.hasWaiters }
        }
    }

    @Test func theEndOfTheListenerEndsAWait() async throws {
        try await withAdmin { server, admin async throws in
            let client = try await TestProvider.connect(port: try admin.port, speech: .tcp)
            try await client.send(
                Array(
                    "POST /api/v1/requests/wait HTTP/1.1\r\nHost: x\r\nContent-Length: 17\r\n\r\n{\"timeout\":\"10m\"}"
                        .utf8))
            try await server.until { $0.hasWaiters }
        }
        // It has returned, so it was not held up.
    }

    // MARK: Judging

    @Test func judgesTheScenariosOwnExpectations() async throws {
        try await withPushes(#""expect": [{"name": "two", "requests": {"device": "alice"}, "count": 2}],"#) {
            _, admin, provider, push async throws in
            var answer = try await admin.send("POST", "/api/v1/verify", body: "{}")
            #expect(answer.status == 200)
            #expect(answer.object["passed"] as? Bool == false)
            let result = try #require(answer.list("results").first)
            #expect(Set(result.keys) == ["name", "passed", "expected", "seen", "nearMisses"])
            #expect(result["name"] as? String == "two")
            #expect((result["nearMisses"] as? [Any])?.isEmpty == false)
            try await provider.push(push)
            answer = try await admin.send("POST", "/api/v1/verify", body: "{}")
            #expect(answer.object["passed"] as? Bool == true)
        }
    }

    @Test func judgesOthersWithin() async throws {
        try await withPushes { _, admin, _, _ async throws in
            func passed(_ question: String) async throws -> Bool? {
                try await admin.send("POST", "/api/v1/verify", body: question).object["passed"] as? Bool
            }
            #expect(try await passed(#"{"expect": [{"requests": {}, "count": 3}, {"connections": 1}]}"#) == true)
            #expect(try await passed(#"{"expect": [{"requests": {}, "count": 2}], "within": {"status": 200}}"#) == true)
            #expect(
                try await passed(#"{"expect": [{"requests": {}, "count": 3}], "within": {"status": 200}}"#) == false)
            let bob = #"{"device": "bob", "stored": 1, "displayed": []}"#
            #expect(try await passed(#"{"expect": [\#(bob)]}"#) == true)
            #expect(try await passed(#"{"expect": [\#(bob)], "within": {"device": "alice"}}"#) == true)
            let distinct = #"{"requests": {}, "count": 1, "distinct": "connection"}"#
            #expect(try await passed(#"{"expect": [\#(distinct)], "within": {"status": 200}}"#) == true)
        }
    }

    @Test func ofDroppedRecordsNothingIsClaimed() async throws {
        try await withAdmin {
            $0.logLimit = 2
        } _: { server, admin async throws in
            let provider = try await TestProvider.connect(to: server)
            let push = TestPush(try server.authorization())
            for _ in 0..<3 { try await provider.push(push) }
            let question = #"{"expect": [{"requests": {}, "count": {"atMost": 2}}]}"#
            let answer = try await admin.send("POST", "/api/v1/verify", body: question)
            #expect(answer.object["passed"] as? Bool == false)
            #expect((answer.list("results").first?["seen"] as? String)?.contains("dropped") == true, "\(answer.text)")
            let found = try await admin.send("POST", "/api/v1/requests/find", body: "{}")
            #expect(found.object["dropped"] as? Int == 1)
            await provider.close()
        }
    }
}

extension AdminClient {
    var port: Int { get throws { try #require(URL(string: url)?.port) } }
}
