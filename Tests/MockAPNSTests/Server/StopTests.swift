import MockAPNSCore
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

@Suite struct StopTests {
    private func connect(to server: MockAPNSServer) async throws -> TestProvider {
        let provider = try await TestProvider.connect(to: server, speech: .tls)
        try await provider.send(RawFrame.preface + [RawFrame.settings(), .settingsAcknowledgement].bytes)
        return provider
    }

    @Test func openRequestsAreAnsweredAndLaterOnesIgnored() async throws {
        let server = try await MockAPNSServer.start()
        let provider = try await connect(to: server)
        let push = TestPush(try server.authorization())
        try await provider.send(push.frames(on: 1))
        try await provider.wait { $0.frames.contains { $0.kind == .headers } ? true : nil }
        try await provider.send([.headers(3, push.fields, ends: false)])
        try await provider.ping()

        async let stop: Void = server.stop()
        let goAways = try await provider.wait { $0.frames.goAways.isEmpty ? nil : $0.frames.goAways }
        #expect(goAways == [GoAway(lastStream: 3, errorCode: 0, text: #"{"reason":"Shutdown"}"#)])
        try await provider.send(push.frames(on: 5))
        try await provider.ping()
        try await provider.send([.data(3, push.body!)])
        let frames = try await provider.framesUntilEnd()
        await stop
        #expect(frames.of(.headers).map(\.stream) == [1, 3])
        #expect(frames.goAways.count == 1)
        #expect(try await provider.perform { $0.tls!.isClosed })
        #expect(try server.records.map(\.stream) == [1, 5, 3])
        #expect(try server.records.map(\.outcome) == ["responded", "ignored", "responded"])
        #expect(server.connection(1)?.closedBy == .server)
    }

    @Test func anIdleConnectionIsNotWaitedFor() async throws {
        let server = try await MockAPNSServer.start()
        let provider = try await TestProvider.connect(to: server)
        let other = try await connect(to: server)
        try await other.ping()
        try await provider.push(TestPush(server.authorization()))
        let time = await ContinuousClock().measure { await server.stop(waiting: .seconds(3600)) }
        #expect(try await provider.framesUntilEnd().goAways.map(\.lastStream) == [1])
        #expect(try await other.framesUntilEnd().goAways.map(\.lastStream) == [0])
        #expect(time < .patience)
        #expect(!server.isReady)
        await server.stop()
        #expect(await !isServing(port: server.ports[0], authority: server.identity.certificateAuthority))
    }

    @Test func clientsThatNeverFinishAreAwaitedFiveSeconds() async throws {
        let server = try await MockAPNSServer.start()
        let provider = try await connect(to: server)
        try await provider.send([.headers(1, TestPush().fields, ends: false)])
        try await provider.ping()
        // One that never shakes hands is not waited for.
        let silent = try await TestProvider.connect(to: server, speech: .tcp)
        let time = await ContinuousClock().measure { await server.stop() }
        // On a machine that is busy it may be noticed later.
        #expect(time > .seconds(4.5) && time < .seconds(60))
        #expect(try await provider.framesUntilEnd().goAways.map(\.lastStream) == [1])
        try await silent.wait { $0.hasEnded ? true : nil }
        #expect(try server.records.map(\.outcome) == ["cancelled"])
    }

    @Test func severalServersLiveSideBySide() async throws {
        try await withServer { first in
            try await withServer { second in
                #expect(first.ports != second.ports)
                #expect(first.seed != second.seed)
                let (one, two) = (try await TestProvider.connect(to: first), try await TestProvider.connect(to: second))
                let authorization = try first.authorization()
                #expect(try await one.push(TestPush(authorization)).status == "200")
                #expect(try await two.push(TestPush(authorization)).reason == "InvalidProviderToken")
                #expect(try first.records.count == 1)
                #expect(try second.records.count == 1)
                await first.stop()
                #expect(try await two.push(TestPush(second.authorization())).status == "200")
            }
        }
    }

    @Test func severalPortsAndThreadsAreServed() async throws {
        try await withServer {
            $0.ports = [0, 0]
            $0.threads = 3
        } _: { server in
            #expect(server.ports.count == 2)
            let authorization = try server.authorization()
            try await withThrowingTaskGroup { group in
                for number in 0..<12 {
                    group.addTask {
                        let provider = try await TestProvider.connect(port: server.ports[number % 2])
                        for _ in 1...20 {
                            #expect(try await provider.push(TestPush(authorization)).status == "200")
                        }
                        await provider.close()
                    }
                }
                try await group.waitForAll()
            }
            #expect(try server.records.count == 240)
        }
    }
}
