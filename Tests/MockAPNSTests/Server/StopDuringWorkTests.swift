import MockAPNSCore
import TestClients
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSScenario

/// Stops a server while something is under way. A call that hangs ends the test run by its time limit.
@Suite struct StopDuringWorkTests {
    /// Lets a test go on once something has happened often enough.
    private final class Milestone: Sendable {
        private let count = Guarded(0)
        private let goal: Int
        private let (events, event) = AsyncStream<Void>.makeStream()

        init(after goal: Int) { self.goal = goal }

        func note() {
            let isReached = count.withLock { count in
                count += 1
                return count == goal
            }
            if isReached { event.finish() }
        }

        func reached() async { for await _ in events {} }
    }

    /// Opens sessions until the server refuses; returns those that were opened.
    private func openSessions(of server: MockAPNSServer, _ milestone: Milestone) async throws -> [Session] {
        var opened: [Session] = []
        while true {
            do {
                opened.append(try await server.sessions.open(SessionRequest(), of: server))
                milestone.note()
            } catch Sessions.Rejection.stopping {
                return opened
            }
        }
    }

    @Test(.timeLimit(.minutes(10))) func sessionsBeingOpenedEndWithTheirServer() async throws {
        for round in 1...30 {
            let server = try await MockAPNSServer.start()
            let milestone = Milestone(after: round)
            try await withThrowingTaskGroup { group in
                for _ in 1...6 {
                    group.addTask {
                        let opened = try await openSessions(of: server, milestone)
                        // Each ends with the server, whoever opened it at whatever moment.
                        for session in opened { await session.server.stop() }
                        #expect(opened.allSatisfy { !$0.server.isReady && $0.server.connectionCount == 0 })
                    }
                }
                await milestone.reached()
                await server.stop()
                try await group.waitForAll()
            }
            #expect(server.sessions.all.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(10))) func endingOrExpiringSessionsDoNotDelayStopping() async throws {
        for _ in 1...10 {
            let server = try await MockAPNSServer.start()
            var request = SessionRequest()
            request.expiresAfter = 1
            for number in 1...8 {
                if number.isMultiple(of: 2) { request.name = "s-\(number)" } else { request.name = nil }
                _ = try await server.sessions.open(request, of: server)
            }
            async let ending = server.sessions.end("s-2")
            await server.stop()
            _ = await ending
            #expect(server.sessions.all.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(10))) func everyStopWaitsForTheServersEnd() async throws {
        let server = try await MockAPNSServer.start()
        let provider = try await TestProvider.connect(to: server, speech: .tls)
        try await provider.send(RawFrame.preface + [RawFrame.settings(), .settingsAcknowledgement].bytes)
        // An open stream, so that it takes a while.
        try await provider.send([.headers(1, TestPush().fields, ends: false)])
        try await provider.ping()
        let first = Task { await server.stop(waiting: .milliseconds(300)) }
        try await provider.wait { $0.frames.goAways.isEmpty ? nil : true }
        await server.stop()
        #expect(server.connectionCount == 0)
        var configuration = Configuration()
        configuration.ports = server.ports
        let other = try await MockAPNSServer.start(configuration)
        await other.stop()
        await first.value
        await server.stop()
    }

    @Test(.timeLimit(.minutes(10))) func aStoppedServerAnswersEveryCall() async throws {
        let token = String(repeating: "a", count: 64)
        let timeline = #"{"timeline": [{"at": "1h", "do": {"goAway": {}}}], "devices": [{"token": "\#(token)"}]}"#
        let server = try await MockAPNSServer.start(Configuration(scenario: .json(#"{"clock": {"manual": "now"}}"#)))
        let waiting = Task { try await server.requests(count: 1, within: .seconds(3600)) }
        try await server.until(\.hasWaiters)
        async let played: Void = server.play(Array(timeline.utf8))
        await server.stop()
        try await played
        let missing = await #expect(throws: MockAPNSServer.RequestsMissing.self) { try await waiting.value }
        #expect(missing?.description.hasSuffix("0 arrived before the server was stopped.") == true)
        await #expect(throws: MockAPNSServer.RequestsMissing.self) {
            try await server.requests(count: 1, within: .seconds(3600))
        }
        // Each of them has timers or connections.
        server.reset()
        try await server.play(Array(timeline.utf8), anew: true)
        #expect(try await server.goAway() == [])
        #expect(await server.close(.all) == [])
        #expect(await server.connections().isEmpty)
        #expect(await server.verify().passed)
        try server.reload()
        let push = server.scenario.adminPush(from: try JSONText.read(Array(#"{"token": "\#(token)"}"#.utf8))).0
        #expect(try await server.push(#require(push)) > 0)
        await #expect(throws: Sessions.Rejection.self) { try await server.sessions.open(SessionRequest(), of: server) }
    }

    @Test(.timeLimit(.minutes(10))) func aThrowingBodyEndsOngoingWork() async throws {
        struct Broken: Error {}
        let waits = Guarded([Task<Void, any Error>]())
        await #expect(throws: Broken.self) {
            try await MockAPNSServer.withServer { server in
                let milestone = Milestone(after: 3)
                let tasks = [
                    Task { _ = try await openSessions(of: server, milestone) },
                    Task { _ = try? await server.requests(count: 1, within: .seconds(3600)) },
                ]
                waits.withLock { $0 = tasks }
                await milestone.reached()
                throw Broken()
            }
        }
        for wait in waits.withLock({ $0 }) { try await wait.value }
    }

    @Test(.timeLimit(.minutes(10))) func lastMomentConnectionsAreClosed() async throws {
        let server = try await MockAPNSServer.start()
        let session = try await server.sessions.open(SessionRequest(), of: server)
        try await withThrowingTaskGroup { group in
            for _ in 1...20 {
                group.addTask {
                    guard let provider = try? await TestProvider.connect(to: session.server) else { return }
                    try await provider.wait { $0.hasEnded ? true : nil }
                }
            }
            try await server.until { _ in session.server.connectionCount > 0 }
            await server.sessions.end(session.name)
            try await group.waitForAll()
        }
        await server.stop()
    }
}

extension MockAPNSServer {
    fileprivate var connectionCount: Int { engine.connections.all.count }
}
