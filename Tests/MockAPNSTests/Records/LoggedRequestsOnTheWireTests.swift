import TestClients
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSCore
@testable import MockAPNSScenario

/// What the library returns for requests of each kind says the same as the admin API.
@Suite struct LoggedRequestsOnTheWireTests {
    private static let scenario = """
        {"seed": 1,
         "devices": [{"name": "alice", "token": "\(TestPush.device)", "topic": "com.example.app", "online": false}],
         "rules": [{"name": "busy \\"now\\"", "when": {"collapseID": "busy"}, "then": {"reject": "TooManyRequests"}},
                   {"name": "reset", "when": {"collapseID": "reset"}, "then": {"resetStream": "REFUSED_STREAM"}},
                   {"name": "late", "when": {"collapseID": "late"},
                    "then": {"reject": "InternalServerError", "delay": "1ms"}},
                   {"name": "own", "when": {"collapseID": "own"},
                    "then": {"respond": {"status": 502, "headers": {}, "body": "<html>"}}}]}
        """

    private func check(_ server: MockAPNSServer, _ count: Int) throws {
        let log = server.requestLog
        #expect(log.latestSequence == count)
        for sequence in 1...log.latestSequence {
            let record = try #require(log.record(sequence))
            let differences = try #require(log.request(sequence)).differences(from: record)
            #expect(differences.isEmpty, "\(String(decoding: record, as: UTF8.self))")
        }
    }

    @Test func pushes() async throws {
        try await withProvider {
            $0.play(Self.scenario)
        } _: { provider, server in
            let token = try server.authorization()
            let changes: [[(String, String?)]] = [
                [], [("apns-collapse-id", "score"), ("apns-expiration", "4000000000"), ("apns-priority", "5")],
                [("apns-topic", "com.example.other")], [("apns-push-type", "unheard-of")], [(":path", "/3/device/zz")],
                [("authorization", nil)], [("authorization", "bearer a.b.c")], [(":method", "GET")],
                [("apns-collapse-id", "busy")], [("apns-collapse-id", "reset")], [("apns-collapse-id", "late")],
                [("apns-collapse-id", "own")],
            ]
            for change in changes { try await provider.push(TestPush(token, change)) }
            let bodies = [
                "", "null", "text", "{ \"aps\" : {} }", #"{"a":1,"a":2}"#, #"{"a":"\ud83d"}"#, "[1e999]",
                String(repeating: "€", count: 3000),
            ]
            for body in bodies { try await provider.push(TestPush(token, body: body)) }
            var push = TestPush(token)
            push.body = [0xFF, 0x00]
            try await provider.push(push)
            _ = try await server.push(AdminPush(recipient: .device("alice")))
            try check(server, changes.count + bodies.count + 2)
        }
    }

    @Test func pushesWithACertificate() async throws {
        try await withServer { server in
            let (pair, _) = try server.clientCertificate(nil, topics: ["com.example.app"])
            let provider = try await TestProvider.connect(
                to: server, tls: .init(certificate: (pair.certificate, pair.privateKey)))
            #expect(try await provider.push(TestPush()).status == "200")
            try await provider.push(TestPush(nil, [("apns-topic", nil)]))
            try check(server, 2)
        }
    }

    @Test func calls() async throws {
        try await withServer {
            $0.play(Self.scenario)
        } _: { server in
            let provider = GoodBroadcaster(server)
            let channel = try #require(try await provider.create())
            _ = try await provider.list()
            _ = try await provider.read(channel)
            try await provider.publish("1-0", to: channel)
            try await provider.publish("1-0", to: "AAAA")
            try await provider.delete(channel)
            await provider.close()
            try check(server, 6)
        }
    }

    @Test("A key that occurs twice in a payload does not keep a request from being found")
    func aRepeatedKey() async throws {
        try await withProvider { provider, server in
            let push = TestPush(try server.authorization(), body: #"{"aps":{"alert":"1"},"aps":{"alert":"2"}}"#)
            try await provider.push(push)
            let requests = try await server.requests(count: 1, within: .patience)
            #expect(requests.map { $0.payload(at: "/aps/alert") } == ["2"])
        }
    }
}
