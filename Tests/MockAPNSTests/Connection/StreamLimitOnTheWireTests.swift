import MockAPNS
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

@Suite struct StreamLimitOnTheWireTests {
    /// A client that leaves nothing to nghttp2, beyond the acknowledgement of the first SETTINGS.
    private func connect(to server: MockAPNSServer, acknowledges: Bool = true) async throws -> TestProvider {
        let provider = try await TestProvider.connect(to: server, speech: .tls)
        try await provider.wait { $0.frames.first }
        try await provider.send(RawFrame.preface + RawFrame.settings().bytes)
        if acknowledges { try await provider.send([.settingsAcknowledgement]) }
        try await provider.ping()
        return provider
    }

    @Test func excessStreamsAreRefusedTwiceWithoutEndingConnections() async throws {
        try await withServer { server in
            let provider = try await connect(to: server)
            let authorization = try server.authorization()
            let push = TestPush(authorization)
            // Stream 1 stays half sent; 3 has a body, 5 has none.
            try await provider.send([.headers(1, push.fields, ends: false), .headers(3, push.fields, ends: false)])
            try await provider.send([.data(3, push.body!), .headers(5, TestPush(body: nil).fields)])
            try await provider.ping()
            let frames = try await provider.frames
            #expect(frames.resets(of: 3) == [7, 5])
            #expect(frames.resets(of: 5) == [7])
            #expect(frames.goAways.isEmpty)
            #expect(try server.records.map(\.stream) == [3, 5])
            #expect(try server.records.allSatisfy { $0.outcome == "reset" && $0.status == nil })
            #expect(try server.records.allSatisfy { $0.decidedBy == "connection" })
            #expect(try server.records.allSatisfy { $0.explanation?.contains("REFUSED_STREAM") == true })

            try await provider.send([.data(1, push.body!)])
            try await provider.wait { $0.frames.contains { $0.stream == 1 && $0.kind == .headers } ? true : nil }
            // Now it knows the token: as many as are wanted.
            let many = stride(from: Int32(7), to: 407, by: 2)
            try await provider.send(many.map { .headers($0, push.fields, ends: false) })
            try await provider.send(many.map { .data($0, push.body!) })
            try await provider.wait { $0.frames.of(.headers).count == 201 ? true : nil }
            #expect(try await provider.frames.of(.reset).count == 3)
        }
    }

    @Test func theFirstLimitCountsFromItsAcknowledgementOn() async throws {
        try await withServer { server in
            let provider = try await connect(to: server, acknowledges: false)
            let push = TestPush(try server.authorization())
            try await provider.send((0..<50).flatMap { push.frames(on: $0 * 2 + 1) })
            try await provider.wait { $0.frames.of(.headers).count == 50 ? true : nil }
            #expect(try await provider.frames.of(.reset).isEmpty)
        }
    }

    @Test func burstsBeforeClientsKnowTheLimitAreTaken() async throws {
        try await withProvider { provider, server in
            let authorization = try server.authorization()
            let answers = try await provider.push((0..<100).map { _ in TestPush(authorization) })
            #expect(answers.allSatisfy { $0.status == "200" })
        }
    }

    @Test func initialStreamsAllowAsManyWithoutAToken() async throws {
        try await withServer {
            $0.initialStreams = 3
        } _: { server in
            let provider = try await connect(to: server)
            let push = TestPush(nil)
            try await provider.send([1, 3, 5, 7].map { .headers($0, push.fields, ends: false) })
            try await provider.ping()
            let frames = try await provider.frames
            #expect(frames.of(.reset).map(\.stream) == [7, 7])
            // What is half sent would keep the server waiting for its end.
            await provider.close()
        }
    }

    @Test func aCancelledStreamMakesRoomAndIsRecorded() async throws {
        try await withServer { server in
            let provider = try await connect(to: server)
            let push = TestPush(try server.authorization())
            try await provider.send([.headers(1, push.fields, ends: false), .reset(1)])
            try await provider.send(push.frames(on: 3))
            try await provider.wait { $0.frames.contains { $0.stream == 3 && $0.kind == .headers } ? true : nil }
            #expect(try server.records.map(\.outcome) == ["cancelled", "responded"])
        }
    }
}
