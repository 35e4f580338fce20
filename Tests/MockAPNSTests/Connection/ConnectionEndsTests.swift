import MockAPNSCore
import NIOCore
import TestClients
import Testing

@testable import MockAPNS

/// Ends of connections, and connections that are dead without ending.
@Suite struct ConnectionEndsTests {
    static let ends: [(ConnectionAction.Ending, saidGoodbye: Bool, wasReset: Bool)] = [
        (.end, true, false), (.truncate, false, false), (.reset, false, true),
    ]

    @Test(arguments: ends.indices, [TestTLSClient.Version.tls12, .tls13])
    func eachEndIsSeenOnTheWire(index: Int, version: TestTLSClient.Version) async throws {
        let (ending, saidGoodbye, wasReset) = Self.ends[index]
        try await withServer { server in
            let push = TestPush(try server.authorization())
            let provider = try await TestProvider.raw(to: server, tls: .init(version: version))
            _ = try await provider.exchange(push, on: 1)
            try await provider.send([.headers(3, push.fields, ends: false)])
            try await provider.ping()
            #expect(await server.close(.connection(id: 1), by: ending) == [1])
            let end = try await provider.end()
            #expect(end.saidGoodbye == saidGoodbye)
            #expect(end.wasReset == wasReset)
            #expect(try await provider.frames.goAways.isEmpty)
            #expect(try await server.closer(of: 1) == ClosedBy(rawValue: ending.rawValue))
            #expect(await server.close(.connection(id: 1), by: ending) == [])
        }
    }

    @Test func silenceAnswersNothingWhileTCPStaysUp() async throws {
        try await withServer { server in
            let push = TestPush(try server.authorization())
            let provider = try await TestProvider.raw(to: server)
            _ = try await provider.exchange(push, on: 1)
            let before = try await provider.perform { $0.received.count }
            #expect(await server.close(.all, by: .silent) == [1])
            try await provider.send(push.frames(on: 3))
            try await provider.send([RawFrame(.ping, [UInt8](repeating: 7, count: 8))])
            // Another connection is served meanwhile; a push and its answer are time enough for this one to be read.
            let other = try await TestProvider.connect(to: server)
            for _ in 0..<20 { #expect(try await other.push(push).status == "200") }
            #expect(try await provider.perform { $0.received.count } == before)
            #expect(try await provider.perform { $0.hasEnded } == false)
            #expect(try server.records.count { $0.connection == 1 } == 1)
            await provider.close()
            #expect(try await server.closer(of: 1) == .silent)
        }
    }

    /// What a rule on PING will order.
    private func order(_ actions: [ConnectionAction], of server: MockAPNSServer) async throws {
        for channel in server.engine.connections.all {
            channel.pipeline.fireUserInboundEventTriggered(OrderEvent(actions: actions))
            // The loop runs things in order: when this is done, the order is carried out.
            try await channel.eventLoop.submit {}.get()
        }
    }

    @Test func pingIsIgnoredWhilePushesAreAnswered() async throws {
        try await withServer { server in
            let push = TestPush(try server.authorization())
            let provider = try await TestProvider.raw(to: server)
            try await order([.ignorePings(true)], of: server)
            _ = try await provider.exchange(push, on: 1)
            let count = try await provider.perform { $0.pingAcknowledgements }
            try await provider.send([RawFrame(.ping, [UInt8](repeating: 7, count: 8))])
            _ = try await provider.exchange(push, on: 3)
            #expect(try await provider.perform { $0.pingAcknowledgements } == count)
            #expect(await server.connections().first?.counters.pings == 2)
            try await order([.ignorePings(false)], of: server)
            try await provider.ping()
        }
    }

    @Test func pushesAreIgnoredWhilePingIsAnswered() async throws {
        try await withServer { server in
            let push = TestPush(try server.authorization())
            let provider = try await TestProvider.raw(to: server)
            await server.goAway(GoAwayPlan([.init(lastStream: .zero)], then: .stayOpen), to: .connection(id: 1))
            try await provider.send(push.frames(on: 1))
            try await provider.ping()
            #expect(try await provider.frames.of(.headers).isEmpty)
            #expect(try server.records.map(\.outcome) == ["ignored"])
        }
    }

    // MARK: Idle

    private static func idle(_ then: String) -> String {
        #"{"connection": {"idle": {"after": "1s", "then": "\#(then)"}}}"#
    }

    @Test(arguments: ["goAway", "end", "truncate", "reset"])
    func anIdleConnectionEndsInThatWay(then: String) async throws {
        try await withServer {
            $0.play(Self.idle(then))
        } _: { server in
            let provider = try await TestProvider.raw(to: server)
            let frames = try await provider.framesUntilEnd()
            let end = try await provider.end()
            #expect(frames.goAways == (then == "goAway" ? [.reason("IdleTimeout", lastStream: 0)] : []))
            #expect(end.saidGoodbye == (then == "goAway" || then == "end"))
            #expect(end.wasReset == (then == "reset"))
            #expect(try await server.closer(of: 1) == .idle)
        }
    }

    @Test func anIdleConnectionGoesSilent() async throws {
        try await withServer {
            $0.play(Self.idle("silent"))
        } _: { server in
            let push = TestPush(try server.authorization())
            let provider = try await TestProvider.raw(to: server)
            try await Task.sleep(for: .milliseconds(2500))
            let before = try await provider.perform { $0.received.count }
            try await provider.send(push.frames(on: 3))
            try await provider.send([RawFrame(.ping, [UInt8](repeating: 7, count: 8))])
            try await Task.sleep(for: .milliseconds(300))
            #expect(try await provider.perform { $0.received.count } == before)
            #expect(try await provider.perform { $0.hasEnded } == false)
            await provider.close()
        }
    }

    @Test func pingsKeepAConnectionFromBeingIdle() async throws {
        try await withServer {
            $0.play(#"{"connection": {"idle": {"after": "3s", "then": "end"}}}"#)
        } _: { server in
            let provider = try await TestProvider.raw(to: server)
            // On a machine that is busy with other tests a ping may come too late; then this run shows nothing.
            var last = ContinuousClock.now
            var longest = Duration.zero
            for _ in 0..<9 {
                try await Task.sleep(for: .milliseconds(400))
                guard (try? await provider.ping()) != nil else { break }
                longest = max(longest, .now - last)
                last = .now
            }
            longest = max(longest, .now - last)
            #expect(server.connection(1)?.closedAt == nil || longest > .seconds(2))
            _ = try await provider.framesUntilEnd()
        }
    }
}
