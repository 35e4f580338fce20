import MockAPNS
import MockAPNSCore
import TestClients
import TestSupport
import Testing

@Suite struct AnswerTests {
    @Test func aGoodPushIsAnsweredByHeadersAlone() async throws {
        try await withProvider { provider, server in
            let answer = try await provider.push(TestPush(server.authorization()))
            #expect(answer.fields.map { $0[0] } == [":status", "apns-id", "apns-unique-id"])
            #expect(answer.status == "200")
            #expect(answer.body.isEmpty)
            #expect(answer.frames.map(\.kind) == [.headers])
            #expect(answer.frames[0].flags == RawFrame.endStream | RawFrame.endHeaders)
        }
    }

    @Test func idsAreGeneratedInUpperAndLowerCase() async throws {
        try await withProvider { provider, server in
            let answer = try await provider.push(TestPush(server.authorization()))
            let (made, unique) = try (#require(answer["apns-id"]), #require(answer["apns-unique-id"]))
            for (id, digits) in [(made, "0123456789ABCDEF"), (unique, "0123456789abcdef")] {
                #expect(id.split(separator: "-", omittingEmptySubsequences: false).map(\.count) == [8, 4, 4, 4, 12])
                #expect(id.allSatisfy { digits.contains($0) || $0 == "-" }, "\(id)")
            }
            #expect(try server.records.map(\.apnsID) == [made])
            #expect(try server.records.map(\.uniqueID) == [unique])
        }
    }

    @Test(arguments: [
        "eabeae54-14a8-11e5-b60b-1697f925ec7b", "EABEAE54-14A8-11E5-B60B-1697F925EC7B",
        "eAbEaE54-14a8-11E5-b60b-1697f925EC7B",
    ])
    func aClientsIDIsEchoedByteForByte(id: String) async throws {
        try await withProvider { provider, server in
            let authorization = try server.authorization()
            let good = try await provider.push(TestPush(authorization, [("apns-id", id)]))
            #expect(good["apns-id"] == id)
            let refused = try await provider.push(TestPush(authorization, [("apns-id", id), ("apns-priority", "7")]))
            #expect(refused["apns-id"] == id)
            #expect(refused.reason == "BadPriority")
        }
    }

    @Test func refusalsAreOneDataFrameWithoutExtraHeaders() async throws {
        try await withProvider { provider, server in
            let answer = try await provider.push(TestPush(server.authorization(), [("apns-priority", "11")]))
            #expect(answer.status == "400")
            #expect(answer.fields.map { $0[0] } == [":status", "apns-id"])
            #expect(answer.frames.map(\.kind) == [.headers, .data])
            #expect(answer.frames[0].flags == RawFrame.endHeaders)
            #expect(answer.frames[1].flags == RawFrame.endStream)
            #expect(answer.body == #"{"reason":"BadPriority"}"#)
        }
    }

    @Test func productionHasNoUniqueID() async throws {
        try await withProvider {
            $0.environment = .production
        } _: { provider, server in
            let answer = try await provider.push(TestPush(server.authorization()))
            #expect(answer.fields.map { $0[0] } == [":status", "apns-id"])
        }
    }

    @Test func theServerNameChoosesTheEnvironment() async throws {
        try await withServer {
            $0.environment = .serverName
        } _: { server in
            let names = [
                ("0a", "api.push.apple.com", 2), ("0b", "api.sandbox.push.apple.com", 3), ("0c", "localhost", 3),
            ]
            for (digits, name, count) in names {
                let provider = try await TestProvider.connect(to: server, tls: .init(serverName: name))
                let device = "/3/device/" + String(repeating: digits, count: 32)
                let answer = try await provider.push(TestPush(server.authorization(), [(":path", device)]))
                #expect(answer.status == "200")
                #expect(answer.fields.count == count, "\(name)")
                await provider.close()
            }
        }
    }

    @Test func theSameSeedMakesTheSameIDs() async throws {
        func ids(seed: UInt64) async throws -> [String?] {
            try await withProvider {
                $0.seed = seed
            } _: { provider, server in
                #expect(server.seed == seed)
                let authorization = try server.authorization()
                var ids: [String?] = []
                for _ in 1...3 { ids.append(try await provider.push(TestPush(authorization))["apns-id"]) }
                return ids
            }
        }
        let first = try await ids(seed: 7)
        #expect(Set(first).count == 3)
        #expect(try await ids(seed: 7) == first)
        #expect(try await ids(seed: 8) != first)
    }

    @Test func headersMayComeInAnyFormAndNumber() async throws {
        try await withProvider { provider, server in
            let more = (0..<20).map { ("x-header-\($0)", String(repeating: "v", count: 100) as String?) }
            let answer = try await provider.push(
                TestPush(
                    server.authorization(),
                    more + [
                        ("content-type", "application/json; charset=utf-8"), ("user-agent", "test"),
                        (":authority", nil), ("host", "localhost"), ("apns-push-type", nil), ("apns-expiration", "0"),
                    ]))
            #expect(answer.status == "200")
        }
    }

    @Test func batchedPushesAreAnsweredOnTheirOwnStreams() async throws {
        try await withProvider { provider, server in
            let authorization = try server.authorization()
            try await provider.push(TestPush(authorization))
            let pushes = (0..<500).map { number in
                TestPush(authorization, [("apns-priority", number % 3 == 0 ? "9" : "10")])
            }
            let answers = try await provider.push(pushes)
            for (number, answer) in answers.enumerated() {
                #expect(answer.reason == (number % 3 == 0 ? "BadPriority" : nil))
            }
            #expect(try server.records.count == 501)
        }
    }
}
