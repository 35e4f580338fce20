import NIOCore
import NIOPosix
import Testing

@testable import MockAPNSProbe

@Suite("What a probe reads") struct ProbeSocketTests {
    /// Sends without end, as fast as the other end reads.
    private final class Flood: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        static let piece = ByteBuffer(repeating: 0, count: 1 << 16)

        func channelActive(context: ChannelHandlerContext) { channelWritabilityChanged(context: context) }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            while context.channel.isWritable {
                context.writeAndFlush(wrapOutboundOut(Self.piece), promise: nil)
            }
        }
    }

    /// Does something with a socket that is connected to a server, silent or not.
    private func withSocket(
        floods: Bool, unless stop: ProbeStop = ProbeStop(), _ body: (ProbeSocket) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if floods { try channel.pipeline.syncOperations.addHandler(Flood()) }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let socket = try await ProbeSocket.open(
            host: "127.0.0.1", port: port, on: group, within: .patience, unless: stop)
        try await body(socket)
        await socket.close()
        try await server.close()
    }

    /// Reads until something else than bytes happens; returns that, and how many bytes there were.
    private func read(_ socket: ProbeSocket, until deadline: ContinuousClock.Instant) async -> (
        ProbeSocket.Event, Int
    ) {
        var count = 0
        while true {
            let event = await socket.next(until: deadline)
            guard case .bytes(let bytes) = event else { return (event, count) }
            count += bytes.count
        }
    }

    @Test func aFloodingServerIsAbandonedAfterAMegabyte() async throws {
        try await withSocket(floods: true) { socket in
            let (event, count) = await read(socket, until: .now + .patience)
            guard case .excess = event else { return #expect(Bool(false), "\(event)") }
            #expect(count <= ProbeSocket.allowance && count > ProbeSocket.allowance / 2)
            // The next probe does not go on with it.
            socket.beginProbe()
            #expect(socket.left < 0)
        }
    }

    @Test func eachProbeMayGetAMegabyte() async throws {
        try await withSocket(floods: true) { socket in
            for _ in 0..<5 {
                var count = 0
                while count < ProbeSocket.allowance / 2 {
                    guard case .bytes(let bytes) = await socket.next(until: .now + .patience) else {
                        return #expect(Bool(false))
                    }
                    count += bytes.count
                }
                socket.beginProbe()
            }
        }
    }

    @Test func timeIsOverForASilentServer() async throws {
        try await withSocket(floods: false) { socket in
            let (event, _) = await read(socket, until: .now + .milliseconds(20))
            guard case .timeLimit = event else { return #expect(Bool(false), "\(event)") }
        }
    }

    @Test func theWishToEndCutsAWaitShort() async throws {
        let stop = ProbeStop()
        try await withSocket(floods: false, unless: stop) { socket in
            async let coming: Void = stop.come()
            // Long before that.
            let (event, _) = await read(socket, until: .now + .seconds(3600))
            guard case .timeLimit = event else { return #expect(Bool(false), "\(event)") }
            await coming
            #expect(stop.hasCome && stop.isOver)
            stop.beginCleanup()
            #expect(stop.hasCome && !stop.isOver)
            let deadline = ContinuousClock.now + .seconds(3600)
            #expect(stop.limit(deadline) == deadline)
        }
    }

    @Test func stoppingWakesWhoeverWaitsForThePace() async throws {
        let stop = ProbeStop()
        var pace = Pace(isSlow: true)
        try await pace.beforeConnection(unless: stop)
        try await pace.beforeConnection(unless: stop)
        stop.come()
        await #expect(throws: CancellationError.self) { try await pace.beforeConnection(unless: stop) }
    }
}
