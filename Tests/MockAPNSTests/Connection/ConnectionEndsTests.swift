import Dispatch
import NIOCore
import TestClients
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSCore

/// Ends of connections, and connections that are dead without ending.
@Suite struct ConnectionEndsTests {
    static let ends: [(Ending, saidGoodbye: Bool, wasReset: Bool)] = [
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

    @Test func requestsFollowedByAHalfCloseAreAnswered() async throws {
        try await withServer { server in
            let push = TestPush(try server.authorization())
            // Answers on the only connection of a loop leave at once.
            let other = try await TestProvider.connect(to: server)
            let provider = try await TestProvider.connect(to: server)
            #expect(try await provider.push(push).status == "200")
            // The server's loop stands still until both are there, the requests and the end.
            let gate = DispatchSemaphore(value: 0)
            server.engine.timers.schedule(in: .zero) { gate.wait() }
            let streams = try await provider.perform { client in
                (1...3).map { _ in client.http2!.request(push.fields, body: push.body) }
            }
            try await provider.channel.close(mode: .output)
            gate.signal()
            for stream in streams { #expect(try await provider.answer(to: stream).status == "200") }
            await provider.close()
            #expect(try await other.push(push).status == "200")
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
            await server.goAway(plan: GoAwayPlan([.init(lastStream: .zero)], then: .stayOpen), to: .connection(id: 1))
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
            // Its preface comes with the handshake: however slow the client is, it is idle from then on.
            let provider = try await TestProvider.connect(
                to: server, speech: .tls, greeting: RawFrame.preface + RawFrame.settings().bytes)
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
            let provider = try await TestProvider.connect(
                to: server, speech: .tls, greeting: RawFrame.preface + RawFrame.settings().bytes)
            try await server.until { server in
                server.engine.gateway.withLock { $0.connections.open.first?.life.fate(of: 1) == .tooLate }
            }
            // What was said before may be on its way.
            try await Task.sleep(for: .milliseconds(300))
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
            $0.play(#"{"connection": {"idle": {"after": "2s", "then": "end"}}}"#)
        } _: { server in
            // On a machine that is busy with other tests a ping may come too late; then another run shows more.
            for number in 1...20 {
                let last = ContinuousClock.now
                let provider = try await TestProvider.connect(
                    to: server, speech: .tls, greeting: RawFrame.preface + RawFrame.settings().bytes)
                let longest = await Self.longestPause(of: provider, since: last)
                let connection = try #require(server.connection(number))
                if longest < .seconds(2) {
                    #expect(connection.closedAt == nil)
                    _ = try await provider.framesUntilEnd()
                    return
                }
                await provider.close()
            }
            Issue.record("The machine was too busy in each of the runs.")
        }
    }

    /// Sends PING for longer than a connection may be idle. Between two of them no more time can have passed for the server
    /// than from before the one was sent until the other was acknowledged.
    private static func longestPause(
        of provider: TestProvider, since start: ContinuousClock.Instant
    ) async -> Duration {
        var (last, longest) = (start, Duration.zero)
        for _ in 0..<8 {
            try? await Task.sleep(for: .milliseconds(350))
            let sent = ContinuousClock.now
            guard (try? await provider.ping()) != nil else { return max(longest, .seconds(2)) }
            longest = max(longest, .now - last)
            last = sent
        }
        return max(longest, .now - last)
    }
}
