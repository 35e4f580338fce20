import Foundation
import MockAPNSCore
import NIOCore
import Synchronization
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

@Suite struct HostileClientTests {
    /// Nothing is left of any connection, and a good provider is served.
    private func expectCalm(_ server: MockAPNSServer) async throws {
        await server.engine.connections.untilEmpty(within: TimeAmount(.patience), on: server.engine.timers)
        #expect(server.engine.gateway.withLock { $0.connections.openCount } == 0)
        let provider = try await TestProvider.connect(to: server)
        #expect(try await provider.push(TestPush(server.authorization())).status == "200")
        await provider.close()
    }

    @Test func garbageInsteadOfAHandshakeEndsTheConnection() async throws {
        try await withServer { server in
            var random = SeededRandom(seed: 1)
            for length in [1, 5, 100, 10_000, 100_000] {
                let garbage = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                let provider = try await TestProvider.connect(to: server, speech: .tcp, greeting: garbage)
                if length > 5 { try await provider.wait { $0.hasEnded ? true : nil } }
                await provider.close()
            }
            // HTTP in the clear, as from a client that forgot the s.
            let clear = try await TestProvider.connect(
                to: server, speech: .tcp, greeting: Array("POST /3/device/00 HTTP/1.1\r\n\r\n".utf8))
            try await clear.wait { $0.hasEnded ? true : nil }
            try await expectCalm(server)
            #expect(try server.records.count == 1)
        }
    }

    @Test func halfAHandshakeLeavesNothing() async throws {
        try await withServer { server in
            let hello = TestTLSClient()
            hello.receive([])
            let bytes = hello.takeOutput()
            for length in stride(from: 0, to: bytes.count + 1, by: 37) {
                let provider = try await TestProvider.connect(
                    to: server, speech: .tcp, greeting: Array(bytes.prefix(length)))
                await provider.close()
            }
            try await expectCalm(server)
        }
    }

    @Test func garbageInsideTLSGetsGoAway() async throws {
        try await withServer { server in
            var random = SeededRandom(seed: 2)
            for _ in 1...20 {
                let provider = try await TestProvider.connect(to: server, speech: .tls)
                let garbage = (0..<500).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                try await provider.send(RawFrame.preface + RawFrame.settings().bytes + [0, 0, 1, 4, 0] + garbage)
                let frames = try await provider.framesUntilEnd()
                #expect(frames.of(.goAway).count == 1)
            }
            try await expectCalm(server)
        }
    }

    @Test func connectsAndDisconnectsLeaveNothing() async throws {
        try await withServer { server in
            let authorization = try server.authorization()
            try await withThrowingTaskGroup { group in
                for number in 0..<200 {
                    group.addTask {
                        let speech: TestProvider.Speech = number % 4 == 0 ? .tcp : .ordinary
                        let provider = try await TestProvider.connect(to: server, speech: speech)
                        if number % 4 == 1 { try await provider.push(TestPush(authorization)) }
                        if number % 4 == 2 { _ = try await provider.start(TestPush(authorization)) }
                        await provider.close()
                    }
                }
                try await group.waitForAll()
            }
            try await expectCalm(server)
        }
    }

    /// So many that their answers, some 8 MB, do not fit into the kernel's buffers.
    private static let flood = 100_000

    /// A client that sends very many requests and reads nothing; its own bytes wait when the server stops to read.
    private func floodWithoutReading(port: Int, authorization: String?) async throws -> TestProvider {
        let provider = try await TestProvider.connect(port: port, speech: .tls, receiveBuffer: 4096)
        try await provider.wait { $0.frames.first }
        try await provider.send(RawFrame.preface + [RawFrame.settings(), .settingsAcknowledgement].bytes)
        var push = TestPush(authorization).frames(on: 1)
        try await provider.send(push)
        try await provider.wait { $0.frames.contains { $0.kind == .headers } ? true : nil }
        try await provider.stopReading()
        for batch in 0..<Self.flood / 500 {
            var bytes: [UInt8] = []
            for number in 0..<500 {
                // But for the stream all are the same.
                for index in push.indices { push[index].stream = Int32(3 + 1000 * batch + 2 * number) }
                bytes += push.bytes
            }
            try await provider.send(bytes)
        }
        return provider
    }

    /// Another provider is served while the server gets stuck with the one that does not read.
    private func pushUntilStuck(_ server: MockAPNSServer, _ other: TestProvider) async throws {
        let authorization = try server.authorization()
        for _ in 1...10_000 {
            #expect(try await other.push(TestPush(authorization)).status == "200")
            if server.engine.connections.all.contains(where: { !$0.isWritable }) { return }
        }
        Issue.record("The server never stopped to write to a client that does not read.")
    }

    @Test(.withoutSanitizer) func aClientThatReadsLateGetsEveryAnswer() async throws {
        try await withServer { server in
            let authorization = try server.authorization()
            let flood = try await floodWithoutReading(port: server.ports[0], authorization: authorization)
            let other = try await TestProvider.connect(to: server)
            try await pushUntilStuck(server, other)
            try await flood.startReading()
            let frames = try await flood.wait { client in
                client.headersReceived == 1 + Self.flood ? client.frames : nil
            }
            #expect(frames.of(.reset).isEmpty)
            #expect(frames.goAways.isEmpty)
        }
    }

    @Test func clientsThatNeverReadDoNotDelayStopping() async throws {
        let server = try await MockAPNSServer.start()
        let flood = try await floodWithoutReading(
            port: server.ports[0], authorization: try server.authorization())
        try await pushUntilStuck(server, .connect(to: server))
        let time = await ContinuousClock().measure { await server.stop(waiting: .milliseconds(100)) }
        // A server that waited for the client would wait forever.
        #expect(time < .patience)
        await flood.close()
    }

    // MARK: Memory, seen from outside

    @Test(.withoutSanitizer, .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status")))
    func nonReadingClientsTakeAtMost8MB() async throws {
        try await withServerProcess(["--auth", "none", "--log-limit", "1000"]) { server, ready, _ in
            let other = try await TestProvider.connect(port: ready.port)
            for _ in 1...10 { _ = try await other.push((0..<500).map { _ in TestPush() }) }
            let before = try server.status("VmRSS")
            let flood = try await floodWithoutReading(port: ready.port, authorization: nil)
            for _ in 1...20 {
                for _ in 1...25 { #expect(try await other.push(TestPush()).status == "200") }
                #expect(try server.status("VmRSS") - before < 8 * 1024)
            }
            await flood.close()
        }
    }

    @Test(.withoutSanitizer, .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status")))
    func aThousandUnfinishedStreamsFitInto16MB() async throws {
        try await withServerProcess(["--initial-streams", "1000", "--auth", "none"]) { server, ready, _ in
            let other = try await TestProvider.connect(port: ready.port)
            try await other.push(TestPush())
            let before = try server.status("VmRSS")
            let half = try await TestProvider.connect(port: ready.port, speech: .tls)
            try await half.send(RawFrame.preface + [RawFrame.settings(), .settingsAcknowledgement].bytes)
            let long = TestPush(nil, [("x-long", String(repeating: "x", count: 7000))])
            for number in 0..<1000 {
                let stream = Int32(1 + 2 * number)
                try await half.send([
                    .headers(stream, long.fields, ends: false),
                    .data(stream, Array(repeating: 120, count: 5000), ends: false),
                ])
            }
            try await half.ping()
            #expect(try await half.frames.of(.reset).isEmpty)
            #expect(try await other.push(TestPush()).status == "200")
            #expect(try server.status("VmRSS") - before < 16 * 1024)
            await half.close()
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
    func connectsAndDisconnectsLeaveNoFileDescriptor() async throws {
        try await withServerProcess(["--auth", "none"]) { server, ready, _ in
            func rounds() async throws {
                try await withThrowingTaskGroup { group in
                    for number in 0..<200 {
                        group.addTask {
                            let speech: TestProvider.Speech = number % 3 == 0 ? .tcp : .ordinary
                            let provider = try await TestProvider.connect(port: ready.port, speech: speech)
                            if number % 3 == 1 { try await provider.push(TestPush()) }
                            await provider.close()
                        }
                    }
                    try await group.waitForAll()
                }
                // The server's ends of the others are closed when this one is served and its own is still open.
                let last = try await TestProvider.connect(port: ready.port)
                try await last.push(TestPush())
                await last.close()
            }
            let before = try server.openFiles
            try await rounds()
            try await until { try server.openFiles <= before }
        }
    }
}
