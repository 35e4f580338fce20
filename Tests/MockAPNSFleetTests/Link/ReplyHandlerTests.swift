import NIOCore
import NIOEmbedded
import Testing

@testable import MockAPNSFleet

@Suite("One connection to the engine")
struct ReplyHandlerTests {
    private func send(_ text: String, on channel: EmbeddedChannel) -> EventLoopFuture<RESPValue> {
        let promise = channel.embeddedEventLoop.makePromise(of: RESPValue.self)
        channel.writeAndFlush(
            EngineCommand(
                bytes: channel.allocator.buffer(string: text), reply: promise, patience: .seconds(2))
        ).cascadeFailure(to: promise)
        return promise.futureResult
    }

    private func connected() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: ReplyHandler())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 6379)).wait()
        return channel
    }

    @Test func eachCommandGetsItsReplyInOrder() throws {
        let channel = try connected()
        let replies = ["a", "b", "c"].map { send($0, on: channel) }
        #expect(
            try (0..<3).map { _ in try channel.readOutbound(as: ByteBuffer.self).map { String(buffer: $0) } } == [
                "a", "b", "c",
            ])
        for byte in "+1\r\n-ERR no\r\n:3\r\n".utf8 { try channel.writeInbound(ByteBuffer(bytes: [byte])) }
        #expect(try replies.map { try $0.wait() } == [.text([UInt8(ascii: "1")]), .error("ERR no"), .number(3)])
        #expect(try channel.finish().isClean)
    }

    @Test(arguments: ["+OK\r\n+too many\r\n", "HTTP/1.1 200 OK\r\n"])
    func whatIsNoReplyEndsTheConnection(_ bytes: String) throws {
        let channel = try connected()
        let (first, second) = (send("a", on: channel), bytes.hasPrefix("+") ? nil : send("b", on: channel))
        try channel.writeInbound(ByteBuffer(string: bytes))
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
        if let second {
            #expect(throws: FleetError.self) { _ = try first.wait() }
            #expect(throws: FleetError.self) { _ = try second.wait() }
        }
        // Later commands fail at once.
        #expect(throws: (any Error).self) { _ = try send("c", on: channel).wait() }
    }

    @Test func aSlowReplyIsAwaitedWhileBytesArrive() throws {
        let channel = try connected()
        let reply = send("a", on: channel)
        try channel.writeInbound(ByteBuffer(string: "$9\r\n"))
        for byte in "long text".utf8 {
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(1900))
            try channel.writeInbound(ByteBuffer(bytes: [byte]))
        }
        try channel.writeInbound(ByteBuffer(string: "\r\n"))
        #expect(try reply.wait() == .text(Array("long text".utf8)))
        // No reply is awaited, so nothing has to come.
        channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        #expect(channel.isActive)
        let late = send("b", on: channel)
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(!channel.isActive)
        #expect(throws: FleetError.self) { _ = try late.wait() }
    }

    @Test func aClosedConnectionFailsWhatWaits() throws {
        let channel = try connected()
        let reply = send("a", on: channel)
        try channel.close().wait()
        #expect(throws: FleetError.self) { _ = try reply.wait() }
    }
}
