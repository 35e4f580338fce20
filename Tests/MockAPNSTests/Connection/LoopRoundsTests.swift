import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import MockAPNS

@Suite("When the answers of a loop's connections leave")
struct LoopRoundsTests {
    /// Counts how often its connection is flushed.
    private final class FlushCounter: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var count = 0

        func flush(context: ChannelHandlerContext) {
            count += 1
            context.flush()
        }
    }

    /// What asks for flushes.
    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
    }

    /// The connections of one event loop, whose rounds end when the test says so.
    private struct Rig {
        let loop = EmbeddedEventLoop()
        let rounds = LoopRounds()
        private var counters: [FlushCounter] = []
        private var contexts: [ChannelHandlerContext] = []

        init(connections: Int) throws {
            rounds.connections = connections
            for _ in 0..<connections {
                let (counter, connection) = (FlushCounter(), Connection())
                let channel = EmbeddedChannel(handlers: [counter, connection], loop: loop)
                counters.append(counter)
                contexts.append(try channel.pipeline.syncOperations.context(handler: connection))
            }
        }

        /// How often each connection was flushed.
        var flushes: [Int] { counters.map(\.count) }

        func answer(on connections: Range<Int>) { for index in connections { rounds.flushLater(contexts[index]) } }
    }

    @Test("The loop's only connection does not wait")
    func onlyConnection() throws {
        let rig = try Rig(connections: 1)
        for count in 1...2 {
            rig.answer(on: 0..<1)
            #expect(rig.flushes == [count])
        }
        rig.loop.run()
        #expect(rig.flushes == [2])
    }

    @Test("The answers of several connections leave together at the end of the round, in each round anew")
    func severalConnections() throws {
        let rig = try Rig(connections: 3)
        for round in 1...3 {
            rig.answer(on: 0..<2)
            #expect(rig.flushes == [round - 1, round - 1, 0])
            rig.loop.run()
            #expect(rig.flushes == [round, round, 0])
        }
    }

    @Test("At most sixteen wait; those after them wait for the end of the round")
    func limit() throws {
        let rig = try Rig(connections: 20)
        rig.answer(on: 0..<15)
        #expect(rig.flushes.allSatisfy { $0 == 0 })
        rig.answer(on: 15..<20)
        #expect(rig.flushes == Array(repeating: 1, count: 16) + [0, 0, 0, 0])
        rig.loop.run()
        #expect(rig.flushes.allSatisfy { $0 == 1 })
    }
}
