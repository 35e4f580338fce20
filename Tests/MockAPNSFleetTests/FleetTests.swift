import Logging
import Testing

@testable import MockAPNS
@testable import MockAPNSCore
@testable import MockAPNSFleet

@Suite("A fleet on an engine in memory")
struct FleetTests {
    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private static let expectation = #"{"expect": [{"requests": {"sentBy": "admin"}, "count": 10}]}"#

    private static func server(
        _ scenario: String = expectation, collecting: Bool = false, named name: String? = nil
    ) async throws -> MockAPNSServer {
        var configuration = MockAPNSServer.Configuration(scenario: .json(scenario))
        configuration.isCollector = collecting
        if collecting { configuration.ports = [] }
        configuration.replica = name
        configuration.seed = 1
        return try await MockAPNSServer.start(configuration)
    }

    private static func join(
        _ server: MockAPNSServer, _ engine: MemoryEngine, as name: String
    ) async throws -> FleetReplica {
        try await FleetReplica.join(server, .init(fleet: "f", name: name, delay: 1), logger: quiet) {
            MemoryLink(engine)
        }
    }

    /// Sends pushes to a replica, then lets it leave.
    private static func push(_ count: Int, to server: MockAPNSServer) throws {
        let token = String(repeating: "a0", count: 32)
        for _ in 0..<count {
            var push = AdminPush(recipient: .token(token))
            push.body = Array(#"{"aps":{"alert":"x"}}"#.utf8)
            _ = try server.push(push)
        }
    }

    /// What a fleet comes to.
    private struct Rig {
        let engine = MemoryEngine()
        var servers: [MockAPNSServer] = []
        var replicas: [FleetReplica] = []
        let server: MockAPNSServer
        let collector: FleetCollector

        init(replicas names: [String]) async throws {
            server = try await FleetTests.server(collecting: true)
            let engine = engine
            collector = try await FleetCollector.join(server, fleet: "f", logger: FleetTests.quiet) {
                MemoryLink(engine)
            }
            for name in names {
                let server = try await FleetTests.server(named: name)
                servers.append(server)
                replicas.append(try await FleetTests.join(server, engine, as: name))
            }
        }

        func stop() async {
            for server in servers { await server.stop() }
            for replica in replicas { await replica.leave() }
            await collector.leave()
            await server.stop()
        }
    }

    @Test func theCollectorCountsWhatTheReplicaDecided() async throws {
        let rig = try await Rig(replicas: ["a"])
        try Self.push(10, to: rig.servers[0])
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        try Self.push(1, to: rig.servers[0])
        #expect(await !rig.server.verify().passed)
        let requests = try await rig.server.requests()
        #expect(requests.allSatisfy { $0.replica == "a" } || requests.isEmpty)
        await rig.stop()
    }

    @Test func aLostAnswerCountsNothingTwice() async throws {
        let rig = try await Rig(replicas: ["a"])
        for _ in 0..<10 {
            await rig.engine.loseAnswers(1)
            try Self.push(1, to: rig.servers[0])
        }
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        await rig.stop()
    }

    @Test func nothingIsMissingAfterTheEngineWasGone() async throws {
        let rig = try await Rig(replicas: ["a"])
        try Self.push(5, to: rig.servers[0])
        await rig.engine.setGone(true)
        try Self.push(5, to: rig.servers[0])
        await rig.engine.setGone(false)
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        await rig.stop()
    }

    @Test func aFrameThatIsMissingFailsTheVerdict() async throws {
        let rig = try await Rig(replicas: ["a"])
        try Self.push(5, to: rig.servers[0])
        _ = await rig.server.verify()
        await rig.collector.leave()
        try Self.push(5, to: rig.servers[0])
        // Whoever reads the streams now lacks the first frame.
        await rig.servers[0].stop()
        await rig.replicas[0].leave()
        await rig.engine.removeEntry(0, of: FleetKeys("f").log("a"))
        let server = try await Self.server(collecting: true)
        let engine = rig.engine
        let second = try await FleetCollector.join(server, fleet: "f", logger: Self.quiet) { MemoryLink(engine) }
        let verification = await server.verify()
        #expect(!verification.passed)
        #expect("\(verification)".contains("of a are missing"), "\(verification)")
        await second.leave()
        await server.stop()
        await rig.server.stop()
    }

    @Test func aNewCollectorHasEverything() async throws {
        let rig = try await Rig(replicas: ["a"])
        try Self.push(10, to: rig.servers[0])
        _ = await rig.server.verify()
        await rig.servers[0].stop()
        await rig.replicas[0].leave()
        let server = try await Self.server(collecting: true)
        let engine = rig.engine
        let second = try await FleetCollector.join(server, fleet: "f", logger: Self.quiet) { MemoryLink(engine) }
        let verification = await server.verify()
        #expect(verification.passed, "\(verification)")
        await second.leave()
        await server.stop()
        await rig.collector.leave()
        await rig.server.stop()
    }

    @Test func aFleetWithoutReplicasFails() async throws {
        let rig = try await Rig(replicas: [])
        let verification = await rig.server.verify()
        #expect("\(verification)".contains("no replica has joined the fleet f"), "\(verification)")
        await rig.stop()
    }

    @Test func replicasOfOneSeedMakeDifferentIDs() async throws {
        var ids: Set<String?> = []
        for name in ["a", "b"] {
            let server = try await Self.server(named: name)
            try Self.push(1, to: server)
            ids.insert(try server.requestLog.record(1).flatMap { try JSONText.read($0)["apnsID"]?.string })
            await server.stop()
        }
        #expect(ids.count == 2)
    }

    @Test func replicasThatDifferDoNotJoin() async throws {
        let rig = try await Rig(replicas: ["a"])
        let other = try await Self.server("{}")
        do {
            _ = try await Self.join(other, rig.engine, as: "b")
            Issue.record("It joined.")
        } catch let error as MockAPNSServer.StartError {
            #expect("\(error)".contains("The replica \"a\" of the fleet f has another certificate authority"))
        }
        await other.stop()
        await rig.stop()
    }

    @Test func theStatusNamesEachReplica() async throws {
        let rig = try await Rig(replicas: ["a"])
        try Self.push(3, to: rig.servers[0])
        _ = await rig.server.verify()
        let status = try JSONText.read(await rig.collector.status())
        #expect(status["replicas"]?.array?.first?["received"]?.int64 == 3)
        #expect(try JSONText.read(await rig.replicas[0].status())["shipped"]?.int64 == 3)
        await rig.stop()
    }
}
