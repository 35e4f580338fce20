import NIOCore
import NIOEmbedded
import Testing

@testable import MockAPNSFleet

@Suite("How long a reply of the engine may be") struct ReplyMeterTests {
    /// Whether something is too long: the parts, then one again and again.
    private func isTooLong(_ parts: String..., then again: String = "", times: Int = 0) -> Bool {
        var meter = ReplyMeter()
        do throws(RESPMistake) {
            for part in parts { try meter.take(Array(part.utf8).span) }
            let bytes = Array(again.utf8)
            for _ in 0..<times { try meter.take(bytes.span) }
            return false
        } catch {
            return error.isTooLong
        }
    }

    @Test func aTextIsRefusedWhenItIsAnnounced() {
        // The line that announces it counts as well.
        #expect(!isTooLong("$\((256 << 20) - 12)\r\n"))
        #expect(isTooLong("$\((256 << 20) - 11)\r\n"))
        #expect(isTooLong("$536870912\r\n"))
    }

    @Test func aListIsRefusedWhenItIsAnnounced() {
        #expect(!isTooLong("*131072\r\n"))
        #expect(isTooLong("*131073\r\n"))
        #expect(isTooLong("*1000000000\r\n"))
        // All lists of a reply count.
        #expect(!isTooLong("*2\r\n*131070\r\n"))
        #expect(isTooLong("*2\r\n*131071\r\n"))
        #expect(isTooLong(then: "*2\r\n", times: 65_537))
    }

    @Test(arguments: ["+", "-ERR ", ":", "$", "*"]) func aLineEnds(_ beginning: String) {
        let rest = (1 << 16) - beginning.utf8.count
        #expect(!isTooLong(beginning, then: "1", times: rest))
        #expect(isTooLong(beginning, then: "1", times: rest + 1))
        // A line feed alone ends none.
        #expect(isTooLong(beginning, then: "\n", times: rest + 1))
    }

    @Test func manyTextsAreTooLongTogether() {
        let text = "$1048576\r\n" + String(repeating: "x", count: 1 << 20) + "\r\n"
        #expect(!isTooLong("*300\r\n", then: text, times: 255))
        #expect(isTooLong("*300\r\n", then: text, times: 256))
        // One after the other, they may come for ever.
        #expect(!isTooLong(then: text, times: 257))
    }

    @Test func itKnowsWhereRepliesEnd() throws {
        let replies = [
            "+OK\r\n", "$0\r\n\r\n", "$5\r\na\r\n\0b\r\n", "$-1\r\n", "*-1\r\n", ":-42\r\n", "-ERR no\r\n", "*0\r\n",
            "*1\r\n*2\r\n$1\r\nk\r\n*1\r\n*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\nd\r\n$-1\r\n",
        ]
        var meter = ReplyMeter()
        for reply in replies {
            let bytes = Array(reply.utf8)
            for (index, byte) in bytes.enumerated() {
                try meter.take([byte].span)
                #expect(meter.isWithinReply == (index < bytes.count - 1), "\(reply) at \(index)")
            }
        }
    }

    @Test func overlongRepliesCloseTheConnection() throws {
        let channel = EmbeddedChannel(handler: ReplyHandler())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 6379)).wait()
        let reply = send(on: channel)
        try channel.writeInbound(ByteBuffer(string: "*1000000000\r\n"))
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
        let told =
            "the engine's answer is too long: a list of 1000000000 values was announced, in a reply of at most 131072"
        #expect { _ = try reply.wait() } throws: { "\($0)" == told }
    }

    @Test func endlessRepliesCloseTheConnection() throws {
        let channel = EmbeddedChannel(handler: ReplyHandler())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 6379)).wait()
        let reply = send(on: channel)
        try channel.writeInbound(ByteBuffer(string: "$1000\r\n"))
        for _ in 0..<59 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            try channel.writeInbound(ByteBuffer(string: "x"))
        }
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
        #expect { _ = try reply.wait() } throws: { "\($0)".hasSuffix("its answer has not ended within 60 s") }
    }

    private func send(on channel: EmbeddedChannel) -> EventLoopFuture<RESPValue> {
        let promise = channel.embeddedEventLoop.makePromise(of: RESPValue.self)
        channel.writeAndFlush(
            EngineCommand(bytes: channel.allocator.buffer(string: "a"), reply: promise, patience: .seconds(2))
        ).cascadeFailure(to: promise)
        return promise.futureResult
    }
}
