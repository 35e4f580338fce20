import MockAPNSCore
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import MockAPNSAdmin

/// What a client does not read is bounded in bytes and in time.
@Suite struct UnreadAnswersTests {
    private let loop = EmbeddedEventLoop()

    private func channel(_ answers: UnreadAnswers) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: UnreadAnswers.Handler(answers), loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    /// Makes so many bytes wait, as if the client did not read.
    private func wait(_ channel: EmbeddedChannel, _ count: Int) {
        channel.write(ByteBuffer(repeating: 0, count: count), promise: nil)
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
    }

    private func read(_ channel: EmbeddedChannel) {
        channel.flush()
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
    }

    @Test func aClientThatReadsNothingIsDisconnected() throws {
        let answers = UnreadAnswers(patience: .seconds(30))
        let (silent, reading) = (try channel(answers), try channel(answers))
        wait(silent, 100)
        wait(reading, 200)
        #expect(answers.limitUse.used == 300 && answers.limitUse.limit == UnreadAnswers.byteLimit)
        read(reading)
        #expect(answers.limitUse.used == 100)
        loop.advanceTime(by: .seconds(29))
        #expect(silent.isActive)
        loop.advanceTime(by: .seconds(1))
        #expect(!silent.isActive && reading.isActive)
        #expect(answers.limitUse.used == 0 && answers.limitUse.dropped == 1)
    }

    @Test func aClientThatReadsSlowlyIsNot() throws {
        let answers = UnreadAnswers(patience: .seconds(30))
        let slow = try channel(answers)
        wait(slow, 1000)
        slow.flush()
        slow.write(ByteBuffer(repeating: 0, count: 900), promise: nil)
        loop.advanceTime(by: .seconds(30))
        #expect(slow.isActive && answers.limitUse.used == 900)
        loop.advanceTime(by: .seconds(30))
        #expect(!slow.isActive && answers.limitUse.dropped == 1)
    }

    /// What the kernel takes at first looks as if the client had read it, and an event stream goes on writing.
    @Test func clientsThatStopReadingAreDisconnectedAsSoon() throws {
        let answers = UnreadAnswers(patience: .seconds(30))
        let stream = try channel(answers)
        wait(stream, 1000)
        stream.flush()
        for second in 1...30 {
            stream.write(ByteBuffer(repeating: 0, count: 10), promise: nil)
            loop.advanceTime(by: .seconds(1))
            #expect(stream.isActive && answers.limitUse.used == second * 10)
        }
        loop.advanceTime(by: .seconds(1))
        #expect(!stream.isActive && answers.limitUse.dropped == 1)
    }

    @Test func whatWaitsInAllConnectionsIsLimited() throws {
        let answers = UnreadAnswers(byteLimit: 1000)
        let all = try (0..<4).map { _ in try channel(answers) }
        for (number, channel) in all.enumerated() {
            loop.advanceTime(by: .seconds(1))
            wait(channel, 300)
            #expect(all.map(\.isActive) == all.indices.map { !(number == 3 && $0 == 0) })
        }
        #expect(answers.limitUse.used == 900 && answers.limitUse.dropped == 1)
        all[1].close(promise: nil)
        #expect(answers.limitUse.used == 600 && answers.limitUse.dropped == 1)
    }
}

/// The same with a kernel that keeps what is not read.
@Suite struct UnreadAnswersOnTheWireTests {
    @Test func theClientNoticesWithoutReading() async throws {
        let answers = UnreadAnswers(patience: .milliseconds(50))
        let group = MultiThreadedEventLoopGroup.singleton
        let accepted = group.any().makePromise(of: (any Channel).self)
        let listener = try await ServerBootstrap(group: group).childChannelInitializer { channel in
            accepted.succeed(channel)
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandlers(UnreadAnswers.Handler(answers), Flood())
            }
        }.bind(host: "127.0.0.1", port: 0).get()
        // More waits than its window and the kernel take, so that an ordinary end of the stream would not arrive.
        let client = try await ClientBootstrap(group: group).channelOption(.autoRead, value: false)
            .connect(to: listener.localAddress!).get()
        try await client.closeFuture.get()
        // The server's own side ends on a thread of its own.
        try await accepted.futureResult.get().closeFuture.get()
        #expect(answers.limitUse.used == 0 && answers.limitUse.dropped == 1)
        try await listener.close()
    }

    /// Sends more than the kernel takes.
    private final class Flood: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelActive(context: ChannelHandlerContext) {
            context.channel.writeAndFlush(ByteBuffer(repeating: 0, count: 32 << 20), promise: nil)
        }
    }
}
