import MockAPNS
import TestClients
import TestSupport
import Testing

@Suite struct SettingsTests {
    private func settings(streams: UInt32) -> RawFrame {
        RawFrame.settings([(1, 4096), (3, streams), (4, 65_535), (5, 16_384), (6, 8000)])
    }

    @Test func theServerSpeaksFirstAndAllowsOneStream() async throws {
        try await withServer { server in
            let provider = try await TestProvider.connect(to: server, speech: .tls)
            let first = try await provider.wait { $0.frames.first }
            #expect(first == settings(streams: 1))
        }
    }

    @Test func oneRaiseComesBeforeTheFirstGoodAnswer() async throws {
        try await withProvider { provider, server in
            let authorization = try server.authorization()
            #expect(try await provider.push(TestPush()).status == "403")
            #expect(try await provider.frames.of(.settings).filter { $0.flags == 0 } == [settings(streams: 1)])
            for _ in 1...3 { #expect(try await provider.push(TestPush(authorization)).status == "200") }
            let frames = try await provider.frames
            #expect(frames.of(.settings).filter { $0.flags == 0 } == [settings(streams: 1), settings(streams: 1000)])
            let raise = try #require(frames.firstIndex(of: settings(streams: 1000)))
            let answer = try #require(frames.firstIndex { $0.kind == .headers && $0.stream == 3 })
            #expect(raise < answer)
            #expect(raise > (try #require(frames.firstIndex { $0.kind == .data && $0.stream == 1 })))
        }
    }

    @Test func goodTokensOfRefusedPushesRaiseTheLimit() async throws {
        try await withProvider { provider, server in
            let answer = try await provider.push(TestPush(server.authorization(), [("apns-topic", nil)]))
            #expect(answer.reason == "MissingTopic")
            #expect(try await provider.frames.contains(settings(streams: 1000)))
        }
    }

    @Test func initialStreamsAreAnnouncedAndNeedNoRaise() async throws {
        try await withProvider {
            $0.initialStreams = 1000
        } _: { provider, server in
            try await provider.push(TestPush(server.authorization()))
            #expect(try await provider.frames.of(.settings).filter { $0.flags == 0 } == [settings(streams: 1000)])
        }
    }

    @Test func fewerInitialStreamsAreRaised() async throws {
        try await withProvider {
            $0.initialStreams = 10
        } _: { provider, server in
            try await provider.push(TestPush(server.authorization()))
            #expect(
                try await provider.frames.of(.settings).filter { $0.flags == 0 }
                    == [settings(streams: 10), settings(streams: 1000)])
        }
    }

    @Test func aCertificateAllows1000StreamsAtOnce() async throws {
        try await withServer { server in
            let pair = server.identity.client
            let provider = try await TestProvider.connect(
                to: server, tls: .init(certificate: (pair.certificate, pair.privateKey)))
            #expect(try await provider.push(TestPush()).status == "200")
            #expect(try await provider.frames.of(.settings).filter { $0.flags == 0 } == [settings(streams: 1000)])
        }
    }

    @Test func pingIsAcknowledgedWithItsData() async throws {
        try await withServer { server in
            let provider = try await TestProvider.connect(to: server, speech: .tls)
            let data: [UInt8] = [8, 7, 6, 5, 4, 3, 2, 1]
            try await provider.send(RawFrame.preface + [RawFrame.settings(), RawFrame(.ping, data)].bytes)
            let answer = try await provider.wait { $0.frames.of(.ping).first }
            #expect(answer == RawFrame(.ping, flags: RawFrame.acknowledgement, data))
        }
    }

    @Test func priorityIsIgnored() async throws {
        try await withProvider { provider, server in
            try await provider.send([RawFrame(.priority, stream: 1, [0, 0, 0, 0, 16])])
            #expect(try await provider.push(TestPush(server.authorization())).status == "200")
        }
    }
}
