import MockAPNSCore
import TestClients
import TestSupport
import Testing

@testable import MockAPNS

/// The answers to pushes that waited for the order of a fleet.
@Suite struct OrderedAnswersOnTheWireTests {
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
            let waiting = Guarded([OrderedPush]())
            server.orderPushes { pushes in waiting.withLock { $0 += pushes } }
            let provider = try await TestProvider.raw(to: server)
            let push = try TestPush(server.authorization())
            try await provider.send(push.frames(on: 1))
            try await server.until { _ in waiting.withLock { !$0.isEmpty } }
            let pushes = waiting.withLock(\.self)
            let decided = server.engine.gateway.withLock { gateway in
                gateway.decideInOrder(pushes[0], latencyMicroseconds: 0, seed: 1, at: Moment(real: WallClock.now()))
            }
            try await provider.send([.reset(1)])
            // Whoever answers this has read the reset.
            try await provider.ping()
            // A loop reads what has arrived before it does what it was passed.
            await OpenConnections.settle(server.engine.connections.deliver([try #require(decided)]))
            try await provider.ping()
            let frames = try await provider.frames
            #expect(frames.goAways.count == (isDelayed ? 0 : 1))
            #expect(frames.of(.headers).isEmpty)
            #expect(try server.records.map(\.outcome) == [isDelayed ? "cancelled" : "responded"])
        }
    }
}
