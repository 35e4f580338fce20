import MockAPNS
import MockAPNSCore
import NIOCore
import NIOPosix
import Testing

@testable import MockAPNSFleet

@Suite("The link to the engine")
struct EngineLinkTests {
    /// Answers whatever it receives with a time, and counts its connections.
    private final class Clock: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // Commands may come together.
            let commands = String(buffer: unwrapInboundIn(data)).split(separator: "TIME").count - 1
            for _ in 0..<max(1, commands) {
                context.write(wrapOutboundOut(ByteBuffer(string: "*2\r\n$1\r\n7\r\n$1\r\n0\r\n")), promise: nil)
            }
            context.flush()
        }
    }

    @Test func callsAtTheSameTimeShareOneConnection() async throws {
        let accepted = Guarded(0)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                accepted.withLock { $0 += 1 }
                return channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Clock()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let url = try FleetURL("redis://127.0.0.1:\(port)")
        let link = EngineLink(url, on: MultiThreadedEventLoopGroup.singleton)
        let times = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<8 { group.addTask { try await link.time().milliseconds } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(times == Array(repeating: 7000, count: 8))
        #expect(accepted.withLock { $0 } == 1)
        await link.close()
        await #expect(throws: FleetError.self) { try await link.time() }
        try await server.close()
    }

    /// Takes what it receives and answers nothing; tells of the first bytes.
    private final class Silence: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let heard: AsyncStream<Void>.Continuation

        init(_ heard: AsyncStream<Void>.Continuation) { self.heard = heard }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { heard.finish() }
    }

    /// The password makes the link wait while it connects.
    @Test(.timeLimit(.minutes(10)), arguments: ["", ":secret@"])
    func closingEndsWhatWaitsForASilentEngine(login: String) async throws {
        let (hearing, heard) = AsyncStream<Void>.makeStream()
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Silence(heard))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let url = try FleetURL("redis://\(login)127.0.0.1:\(port)")
        let link = EngineLink(url, on: MultiThreadedEventLoopGroup.singleton, patience: .hours(1))
        let calls = (1...2).map { _ in Task { try await link.time() } }
        for await _ in hearing {}
        await link.close()
        for call in calls { await #expect(throws: FleetError.self) { try await call.value } }
        try await server.close()
    }
}
