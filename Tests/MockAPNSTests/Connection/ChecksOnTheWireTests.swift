import MockAPNS
import MockAPNSCore
import TestClients
import TestSupport
import Testing

@Suite struct ChecksOnTheWireTests {
    struct Case: Sendable {
        var changes: [(String, String?)]
        var body: String? = #"{"aps":{"alert":"Hello"}}"#
        /// `nil` for a good push.
        var status: Int
        var reason: String?
        /// What the explanation has to contain: the offending value.
        var names: String = ""

        static func refused(
            _ changes: [(String, String?)], body: String? = #"{"aps":{}}"#, _ status: Int, _ reason: String,
            names: String
        ) -> Case {
            Case(changes: changes, body: body, status: status, reason: reason, names: names)
        }

        static func good(_ changes: [(String, String?)], body: String? = #"{"aps":{}}"#) -> Case {
            Case(changes: changes, body: body, status: 200)
        }
    }

    private static func payload(_ count: Int) -> String {
        #"{"aps":{},"x":""# + String(repeating: "x", count: count - 17) + #""}"#
    }

    static let cases: [Case] = [
        .refused([(":method", "GET")], body: nil, 405, "MethodNotAllowed", names: #""GET""#),
        .refused([(":method", "PUT"), (":path", "/")], 405, "MethodNotAllowed", names: #""PUT""#),
        .refused([(":path", "/3/devices/00ff")], 404, "BadPath", names: #""/3/devices/00ff""#),
        .refused([(":path", "/3/device/\(TestPush.device)/x")], 404, "BadPath", names: "/x"),
        .refused([("apns-id", "12345")], 400, "BadMessageId", names: #""12345""#),
        .refused([("authorization", nil)], 403, "MissingProviderToken", names: "no authorization"),
        .refused([("authorization", "basic abc")], 403, "MissingProviderToken", names: "basic abc"),
        .refused([("apns-topic", nil)], 400, "MissingTopic", names: "no apns-topic"),
        .refused([("apns-topic", "<com.example.app>")], 400, "TopicDisallowed", names: "<com.example.app>"),
        .refused([(":path", "/3/device/")], 400, "MissingDeviceToken", names: #""/3/device/""#),
        .refused([], body: nil, 400, "PayloadEmpty", names: "0 bytes"),
        .refused([], body: "", 400, "PayloadEmpty", names: "0 bytes"),
        .good([], body: "{}"),
        .good([], body: payload(4096)),
        .refused([], body: payload(4097), 413, "PayloadTooLarge", names: "4097"),
        .refused([], body: payload(100_000), 413, "PayloadTooLarge", names: "100000"),
        .good(
            [("apns-topic", "com.example.app.voip"), ("apns-push-type", "voip"), (":path", voIP)], body: payload(5120)),
        .refused(
            [("apns-topic", "com.example.app.voip"), ("apns-push-type", "voip"), (":path", voIP)], body: payload(5121),
            413, "PayloadTooLarge", names: "5121"),
        .refused([("apns-expiration", "1518182259.475")], 400, "BadExpirationDate", names: "1518182259.475"),
        .refused([("apns-expiration", "soon")], 400, "BadExpirationDate", names: #""soon""#),
        .refused([("apns-priority", "7")], 400, "BadPriority", names: #""7""#),
        .refused([("apns-priority", " 5")], 400, "BadPriority", names: #"" 5""#),
        .refused([("apns-push-type", "background"), ("apns-priority", "10")], 400, "BadPriority", names: #""10""#),
        .refused(
            [("apns-collapse-id", String(repeating: "c", count: 65))], 400, "BadCollapseId", names: "65 bytes"),
        .good([("apns-collapse-id", String(repeating: "c", count: 64))]),
        .refused([("apns-push-type", "Alert")], 400, "InvalidPushType", names: #""Alert""#),
        .refused(
            [("apns-topic", "com.example.app.voip"), (":path", voIP)], 400, "InvalidPushType", names: ".voip"),
        .refused([(":path", "/3/device/00fg")], 400, "BadDeviceToken", names: #""00fg""#),
        .refused([("apns-push-type", "liveactivity")], 400, "DeviceTokenNotForTopic", names: "liveactivity"),
        .refused([("apns-topic", "com.example.other")], 400, "DeviceTokenNotForTopic", names: "com.example.other"),
        .good([(":path", "/3/device/" + TestPush.device.uppercased())]),
    ]

    private static let voIP = "/3/device/" + String(repeating: "ab", count: 32)

    @Test func oneConnectionSurvivesEveryRefusal() async throws {
        try await withProvider { provider, server in
            let authorization = try server.authorization()
            #expect(try await provider.push(TestPush(authorization)).status == "200")
            for test in Self.cases {
                let answer = try await provider.push(TestPush(authorization, test.changes, body: test.body))
                let what = Comment(rawValue: "\(test.changes) \(test.body?.utf8.count ?? 0)")
                #expect(answer.status == "\(test.status)", what)
                #expect(answer.reason == test.reason, what)
                #expect(answer.errorCode == nil, what)
                let record = try #require(try server.records.last)
                #expect(record.status == test.status, what)
                #expect(record.reason == test.reason, what)
                #expect(record.explanation?.contains(test.names) ?? (test.reason == nil), what)
                #expect(record.decidedBy == "checks")
            }
            #expect(try server.records.count == 1 + Self.cases.count)
            #expect(try await provider.push(TestPush(authorization)).status == "200")
        }
    }

    @Test func repeatedHeadersAreRefused() async throws {
        try await withProvider { provider, server in
            var push = TestPush(try server.authorization())
            push.fields.append(("apns-topic", "com.example.second"))
            let answer = try await provider.push(push)
            #expect(answer.reason == "DuplicateHeaders")
            #expect(try server.records.last?.explanation?.contains("com.example.second") == true)
        }
    }

    @Test func aMissingTokenComesAfterMethodBeforeTopic() async throws {
        try await withProvider { provider, _ in
            let get = TestPush(nil, [(":method", "GET"), (":path", "/3/device/")], body: nil)
            #expect(try await provider.push(get).reason == "MethodNotAllowed")
            let head = try await provider.push(TestPush(nil, [(":method", "HEAD"), (":path", "/")], body: nil))
            #expect(head.status == "405")
            let bare = TestPush(nil, [(":path", "/3/device/aaaa"), ("apns-topic", nil)], body: "{}")
            #expect(try await provider.push(bare).reason == "MissingProviderToken")
        }
    }

    @Test func anAnswerToHEADHasNoBody() async throws {
        try await withProvider { provider, server in
            let answer = try await provider.push(
                TestPush(try server.authorization(), [(":method", "HEAD")], body: nil))
            #expect(answer.status == "405")
            #expect(answer.body.isEmpty)
            #expect(answer.frames.count == 1)
        }
    }

    @Test func connectIsAWrongMethodTheConnectionSurvives() async throws {
        try await withServer { server in
            let provider = try await TestProvider.raw(to: server)
            // As a client asks that wants a tunnel: the stream stays open, its bytes are to follow.
            let tunnel = [(":method", "CONNECT"), (":authority", "localhost")]
            try await provider.send([.headers(1, tunnel, ends: false)])
            try await provider.wait { $0.frames.resets(of: 1) == [0] ? true : nil }
            let frames = try await provider.framesOfEnded(1)
            #expect(frames.map(\.kind) == [.headers, .data, .reset])
            #expect(frames[1].payload == Array(#"{"reason":"MethodNotAllowed"}"#.utf8))
            let record = try #require(try server.records.last)
            #expect((record.method, record.path, record.status) == ("CONNECT", nil, 405))
            #expect(record.explanation?.contains("CONNECT") == true)
            let answer = try await provider.exchange(TestPush(server.authorization()), on: 3)
            #expect(answer.map(\.kind) == [.headers])
            #expect(await server.connections().first?.counters.inFlight == 0)
        }
    }

    @Test func explanationsOfFaultsContainNoSignature() async throws {
        try await withServer { server in
            let authorization = try server.authorization()
            let signature = try #require(authorization.split(separator: ".").last)
            let provider = try await TestProvider.raw(to: server)
            let push = TestPush(nil, [("Authorization", authorization)])
            try await provider.send(push.frames(on: 1))
            try await provider.wait { $0.frames.resets(of: 1).isEmpty ? nil : true }
            let record = try #require(try server.records.last)
            #expect(record.outcome == "reset")
            #expect(record.explanation?.contains("Authorization") == true)
            #expect(record.explanation?.contains(signature) == false)
        }
    }

    @Test func headerListsOver8000BytesAreAnswered431() async throws {
        try await withProvider { provider, server in
            let authorization = try server.authorization()
            let long = TestPush(authorization, [("x-long", String(repeating: "x", count: 8000))])
            let answer = try await provider.push(long)
            #expect(answer.status == "431")
            #expect(answer.body.isEmpty)
            #expect(answer.fields.count == 1)
            #expect(answer.frames[0].flags & RawFrame.endStream != 0)
            let record = try #require(try server.records.last)
            #expect(record.status == 431)
            #expect(record.explanation?.contains("8000") == true)
            #expect(try await provider.push(TestPush(authorization)).status == "200")
        }
    }
}
