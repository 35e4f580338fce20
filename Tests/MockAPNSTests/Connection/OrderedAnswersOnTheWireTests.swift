import MockAPNSCore
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// The answers to pushes that waited for the order of a fleet.
@Suite struct OrderedAnswersOnTheWireTests {
    /// Pushes on stream 1, and decides when its turn has come; the connection has not heard of it yet.
    private static func decisionOnPush(
        of provider: TestProvider, to server: MockAPNSServer, after latencyMicroseconds: Int = 0
    ) async throws -> OrderedDecision {
        let waiting = Guarded([OrderedPush]())
        server.orderPushes { pushes in waiting.withLock { $0 += pushes } }
        try await provider.send(TestPush(server.authorization()).frames(on: 1))
        try await server.until { _ in waiting.withLock { !$0.isEmpty } }
        let push = waiting.withLock { $0[0] }
        return try #require(
            server.engine.gateway.withLock { gateway in
                gateway.decideInOrder(
                    push, latencyMicroseconds: latencyMicroseconds, seed: 1, at: Moment(real: WallClock.now()))
            })
    }

    /// The client cancels the push after it was decided, and before the connection hears of it.
    @Test(arguments: [
        #"{"goAway": {"reason": "Shutdown", "lastStream": "all", "then": "stayOpen"}}"#,
        #"{"goAway": {"reason": "Shutdown", "lastStream": "all", "then": "stayOpen"}, "delay": "1h"}"#,
    ])
    func connectionActionsSurviveACancelledPush(_ step: String) async throws {
        let isDelayed = step.contains("delay")
        try await withServer {
            $0.play(#"{"rules": [{"times": 1, "then": \#(step)}]}"#)
        } _: { server in
            let provider = try await TestProvider.raw(to: server)
            let decided = try await Self.decisionOnPush(of: provider, to: server)
            try await provider.send([.reset(1)])
            // Whoever answers this has read the reset.
            try await provider.ping()
            // A loop reads what has arrived before it does what it was passed.
            await OpenConnections.settle(server.engine.connections.deliver([decided]) { _ in })
            try await provider.ping()
            let frames = try await provider.frames
            #expect(frames.goAways.count == (isDelayed ? 0 : 1))
            #expect(frames.of(.headers).isEmpty)
            #expect(try server.records.map(\.outcome) == [isDelayed ? "cancelled" : "responded"])
        }
    }

    /// The connection ends after the push was decided, and before it hears of it.
    @Test func aDelayedAnswerEndsWithItsConnection() async throws {
        try await withServer {
            $0.play(#"{"rules": [{"times": 1, "then": {"pass": true, "delay": "1h"}}]}"#)
        } _: { server in
            let provider = try await TestProvider.raw(to: server)
            let decided = try await Self.decisionOnPush(of: provider, to: server)
            #expect(try server.records.map(\.outcome) == ["delayed"])
            await provider.close()
            try await server.until { $0.engine.connections.all.isEmpty }
            let engine = server.engine
            engine.connections.deliver([decided]) { engine.giveUp($0) }
            #expect(try server.records.map(\.outcome) == ["cancelled"])
        }
    }

    /// The latency counts from its own arrival, not from what was read since.
    @Test func aDelayedAnswerHasWaitedForItsTurnToo() async throws {
        try await withServer {
            $0.play(#"{"rules": [{"times": 1, "then": {"pass": true, "delay": "10ms"}}]}"#)
        } _: { server in
            let provider = try await TestProvider.raw(to: server)
            let decided = try await Self.decisionOnPush(of: provider, to: server, after: 5_000_000)
            let engine = server.engine
            engine.connections.deliver([decided]) { engine.giveUp($0) }
            try await server.until { try $0.records.map(\.outcome) == ["responded"] }
            #expect(try server.records[0].latencyMicroseconds >= 5_010_000)
        }
    }
}
