import Foundation
import Logging
import SystemPackage
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSCore
@testable import MockAPNSFleet
@testable import MockAPNSScenario

@Suite("A fleet on an engine in memory")
struct FleetTests {
    static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    static let expectation = #"{"expect": [{"requests": {"sentBy": "admin"}, "count": 10}]}"#

    static func server(
        _ scenario: String = expectation, collecting: Bool = false, named name: String? = nil, in folder: String? = nil
    ) async throws -> MockAPNSServer {
        var configuration = MockAPNSServer.Configuration(scenario: .json(scenario))
        configuration.isCollector = collecting
        if collecting { configuration.ports = [] }
        configuration.replica = name
        configuration.certificates = folder.map { FilePath($0) }
        configuration.seed = 1
        return try await MockAPNSServer.start(configuration)
    }

    /// - Parameter delay: the milliseconds between two looks at what there is to ship.
    static func join(
        _ server: MockAPNSServer, _ engine: MemoryEngine, as name: String, delay: Int = 1,
        limits: FleetLimits = .generous
    ) async throws -> FleetReplica {
        var options = FleetReplica.Options(fleet: "f", name: name, delay: delay)
        options.limits = limits
        return try await FleetReplica.join(server, options, logger: quiet) { MemoryLink(engine) }
    }

    /// Joins as a collector.
    static func collect(
        _ server: MockAPNSServer, _ engine: MemoryEngine, limits: FleetLimits = .generous
    ) async throws -> FleetCollector {
        var options = FleetCollector.Options(fleet: "f")
        options.limits = limits
        return try await FleetCollector.join(server, options, logger: quiet) { MemoryLink(engine) }
    }

    /// Sends pushes to a replica, then lets it leave.
    static func push(_ count: Int, to server: MockAPNSServer) async throws {
        let token = String(repeating: "a0", count: 32)
        for _ in 0..<count {
            var push = AdminPush(recipient: .token(token))
            push.body = Array(#"{"aps":{"alert":"x"}}"#.utf8)
            _ = try await server.push(push)
        }
    }

    /// What a fleet comes to.
    struct Rig {
        let engine = MemoryEngine()
        var servers: [MockAPNSServer] = []
        var replicas: [FleetReplica] = []
        let server: MockAPNSServer
        let collector: FleetCollector
        /// The certificates that all replicas have.
        let folder = FileManager.default.temporaryDirectory.appending(path: "mock-apns-fleet-\(UUID())").path

        init(
            replicas names: [String], _ scenario: String = FleetTests.expectation, limits: FleetLimits = .generous
        ) async throws {
            server = try await FleetTests.server(scenario, collecting: true)
            collector = try await FleetTests.collect(server, engine, limits: limits)
            for name in names {
                let server = try await FleetTests.server(
                    scenario, named: name, in: folder)
                servers.append(server)
                replicas.append(try await FleetTests.join(server, engine, as: name, limits: limits))
            }
        }

        /// Ends a replica as a signal does.
        func end(_ replica: Int) async {
            await servers[replica].stop()
            await replicas[replica].leave()
        }

        func stop() async {
            for server in servers { await server.stop() }
            for replica in replicas { await replica.leave() }
            await collector.leave()
            await server.stop()
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    @Test func theCollectorCountsWhatTheReplicaDecided() async throws {
        let rig = try await Rig(replicas: ["a"])
        try await Self.push(10, to: rig.servers[0])
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        try await Self.push(1, to: rig.servers[0])
        #expect(await !rig.server.verify().passed)
        let replicas = try (1...12).map { number in
            try rig.server.requestLog.record(number).map { try JSONText.read($0)["replica"]?.string }
        }
        #expect(replicas == Array(repeating: "a", count: 11) + [nil])
        await rig.stop()
    }

    /// Otherwise what another has decided waits for it for as long as the clocks may differ.
    @Test func idleReplicasAreAskedWhatTheyDecided() async throws {
        let rig = try await Rig(replicas: ["a", "b"])
        var count = 0
        try await until {
            try await Self.push(1, to: rig.servers[0])
            count += 1
            let expected = count
            try await until { rig.server.requestLog.latestSequence == expected }
            return await rig.engine.entries(of: FleetKeys("f").asked).contains { $0.fields.map(\.name) == ["b"] }
        }
        await rig.stop()
    }

    @Test func aLostAnswerCountsNothingTwice() async throws {
        let rig = try await Rig(replicas: ["a"])
        for _ in 0..<10 {
            await rig.engine.loseAnswers(1)
            try await Self.push(1, to: rig.servers[0])
        }
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        await rig.stop()
    }

    @Test func nothingIsMissingAfterTheEngineWasGone() async throws {
        let rig = try await Rig(replicas: ["a"])
        try await Self.push(5, to: rig.servers[0])
        #expect(rig.replicas[0].shipErrors == 0 && rig.collector.shipErrors == nil)
        await rig.engine.setGone(true)
        try await Self.push(5, to: rig.servers[0])
        try await until { rig.replicas[0].shipErrors ?? 0 > 1 }
        await rig.engine.setGone(false)
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        await rig.stop()
    }

    @Test func aFrameThatIsMissingFailsTheVerdict() async throws {
        let rig = try await Rig(replicas: ["a"])
        try await Self.push(5, to: rig.servers[0])
        _ = await rig.server.verify()
        await rig.collector.leave()
        try await Self.push(5, to: rig.servers[0])
        // Whoever reads the streams now lacks the first frame.
        await rig.end(0)
        await rig.engine.removeEntry(0, of: FleetKeys("f").log("a"))
        let server = try await Self.server(collecting: true)
        let second = try await Self.collect(server, rig.engine)
        let verification = await server.verify()
        #expect(!verification.passed)
        #expect("\(verification)".contains("1 frame of a is missing"), "\(verification)")
        await second.leave()
        await server.stop()
        await rig.server.stop()
    }

    @Test func anEngineReturningEmptyLeavesNoMemberReady() async throws {
        let rig = try await Rig(replicas: ["a"])
        try await Self.push(10, to: rig.servers[0])
        #expect(await rig.server.verify().passed)
        #expect(rig.replicas[0].isReady && rig.collector.isReady)
        let keys = FleetKeys("f")
        await rig.engine.remove([keys.control, keys.applied, keys.log("a"), keys.alive("a")])
        // At once, without a heartbeat in between.
        let verification = await rig.server.verify()
        #expect(!verification.passed && "\(verification)".contains(StreamLossDetector.loss), "\(verification)")
        try await until { rig.replicas[0].problem == StreamLossDetector.loss }
        try await until { rig.collector.problem == StreamLossDetector.loss }
        // Whoever comes now hears of the replica, and of the loss.
        let server = try await Self.server(collecting: true)
        let second = try await Self.collect(server, rig.engine)
        let other = await server.verify()
        #expect(!other.passed && "\(other)".contains(StreamLossDetector.loss), "\(other)")
        try await until { second.problem == StreamLossDetector.loss }
        await second.leave()
        await server.stop()
        await rig.stop()
    }

    @Test func aNewCollectorHasEverything() async throws {
        let rig = try await Rig(replicas: ["a"])
        try await Self.push(10, to: rig.servers[0])
        _ = await rig.server.verify()
        await rig.end(0)
        let server = try await Self.server(collecting: true)
        let second = try await Self.collect(server, rig.engine)
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
            try await Self.push(1, to: server)
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

    /// As after a pause so long that another replica has taken its name.
    @Test func replicasWhoseNameWasTakenAreNotReady() async throws {
        let rig = try await Rig(replicas: ["a"])
        let started = await rig.replicas[0].heartbeat.started
        _ = try await MemoryLink(rig.engine).append(
            [("d", [])], to: FleetKeys("f").log("a"), id: StreamID(milliseconds: started + 1, number: 1),
            keeping: nil)
        try await Self.push(1, to: rig.servers[0])
        try await until { rig.replicas[0].problem?.hasPrefix("another replica is called a; ") == true }
        await rig.stop()
    }

    @Test func noMemberJoinsWithAnOutdatedEngine() async throws {
        let engine = MemoryEngine()
        await engine.setOld()
        for collecting in [false, true] {
            let server = try await Self.server(collecting: collecting)
            do {
                if collecting {
                    _ = try await Self.collect(server, engine)
                } else {
                    _ = try await Self.join(server, engine, as: "a")
                }
                Issue.record("It joined.")
            } catch let error as MockAPNSServer.StartError {
                #expect("\(error)".contains("; use Redis 6.2 or newer, or Valkey 7.2 or newer."), "\(error)")
            }
            await server.stop()
        }
    }

    @Test func replicasWithOtherSigningKeysDoNotJoin() async throws {
        let rig = try await Rig(replicas: ["a"])
        let folder = rig.folder + "-copy"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.copyItem(atPath: rig.folder, toPath: folder)
        let keys = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".p8") }
        #expect(!keys.isEmpty)
        // Another one is made at the start.
        for key in keys { try FileManager.default.removeItem(atPath: "\(folder)/\(key)") }
        let other = try await Self.server(named: "b", in: folder)
        do {
            _ = try await Self.join(other, rig.engine, as: "b")
            Issue.record("It joined.")
        } catch let error as MockAPNSServer.StartError {
            #expect("\(error)".contains("The replica \"a\" of the fleet f has other signing keys"), "\(error)")
        }
        await other.stop()
        await rig.stop()
    }

    @Test func replicasWithOtherOptionsDoNotJoin() async throws {
        let rig = try await Rig(replicas: ["a"])
        for (change, option) in [
            ({ $0.authentication = .decode }, "--auth decode"),
            ({ $0.environment = .production }, "--environment production"),
            ({ $0.initialStreams = 9 }, "--initial-streams 9"),
        ] as [((inout MockAPNSServer.Configuration) -> Void, String)] {
            var configuration = MockAPNSServer.Configuration(scenario: .json(Self.expectation))
            configuration.certificates = FilePath(rig.folder)
            change(&configuration)
            let other = try await MockAPNSServer.start(configuration)
            await #expect {
                _ = try await Self.join(other, rig.engine, as: "b")
            } throws: { error in
                "\(error)".contains(
                    "The replica \"a\" of the fleet f was started with none of --auth, --environment and --initial-streams, and this one with \(option);"
                )
            }
            await other.stop()
        }
        await rig.stop()
    }

    /// The one that is later in the order does not start, and leaves no hole.
    @Test func whenSimultaneousJoinersDifferOneIsRefused() async throws {
        let rig = try await Rig(replicas: [])
        let servers = [
            try await Self.server(in: rig.folder), try await Self.server("{}", in: rig.folder),
        ]
        await rig.engine.holdAppends(to: FleetKeys("f").control, until: 2)
        let joined = await withTaskGroup(of: FleetReplica?.self) { group in
            for (server, name) in zip(servers, ["a", "b"]) {
                group.addTask { try? await Self.join(server, rig.engine, as: name) }
            }
            return await group.reduce(into: [FleetReplica]()) { if let replica = $1 { $0.append(replica) } }
        }
        #expect(joined.count == 1)
        _ = await rig.server.verify()
        #expect(await rig.collector.latestGap == nil)
        for server in servers { await server.stop() }
        for replica in joined { await replica.leave() }
        await rig.stop()
    }

    /// Its requests would count in the verdict of the next one.
    @Test func endedRunsAreNotContinued() async throws {
        let rig = try await Rig(replicas: ["a", "b"])
        try await Self.push(5, to: rig.servers[0])
        try await Self.push(5, to: rig.servers[1])
        for index in rig.servers.indices { await rig.end(index) }
        for name in ["a", "c"] {
            let server = try await Self.server(in: rig.folder)
            await #expect {
                _ = try await Self.join(server, rig.engine, as: name)
            } throws: { error in
                "\(error)".contains("is over: its replicas \"a\", \"b\" have ended. Give a new run its own name")
            }
            await server.stop()
        }
        #expect(await rig.server.verify().passed)
        // A reset starts it over, even if no replica is there to carry it out.
        let reset = FleetCall(.reset, body: [])
        rig.server.performer = { [weak server = rig.server] _ in
            server?.reset()
            return FleetAnswer(status: 200, body: [])
        }
        let change = FleetCall(.addRule, body: [])
        let refused = await rig.collector.call(change)
        #expect(refused.status == 503 && String(decoding: refused.body, as: UTF8.self).contains("its run is over"))
        #expect(await rig.collector.call(reset).status == 200)
        #expect(await rig.engine.entries(of: FleetKeys("f").log("a")).isEmpty)
        let server = try await Self.server(in: rig.folder)
        server.performer = { [weak server] _ in
            server?.reset()
            return FleetAnswer(status: 200, body: [])
        }
        let replica = try await Self.join(server, rig.engine, as: "a")
        #expect(await rig.server.verify().results.contains { !$0.passed })
        await server.stop()
        await replica.leave()
        await rig.stop()
    }

    @Test func aReplicaThatNeverServedDoesNotCount() async throws {
        var rig = try await Rig(replicas: [])
        let server = try await Self.server(named: "a", in: rig.folder)
        let replica = try await Self.join(server, rig.engine, as: "a")
        await server.stop()
        await replica.leave(served: false)
        // No replica has served, so no verdict can pass.
        _ = await rig.server.verify()
        let gap = try #require(await rig.collector.latestGap)
        #expect(gap.contains("no replica has joined"))
        #expect(!String(decoding: await rig.collector.status(), as: UTF8.self).contains(#""started""#))
        rig.servers.append(try await Self.server(named: "a", in: rig.folder))
        rig.replicas.append(try await Self.join(rig.servers[0], rig.engine, as: "a"))
        try await Self.push(10, to: rig.servers[0])
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        await rig.stop()
    }

    /// The engine was started again: its file has the streams, and no heartbeats.
    @Test func lostHeartbeatsDoNotEndARun() async throws {
        let rig = try await Rig(replicas: ["a"])
        await rig.engine.expireValues()
        let server = try await Self.server(named: "b", in: rig.folder)
        let replica = try await Self.join(server, rig.engine, as: "b")
        await server.stop()
        await replica.leave()
        await rig.stop()
    }

    @Test func eventsWaitForTheEngineAsRequestsDo() async throws {
        let rig = try await Rig(replicas: ["a"], Self.shared)
        await rig.engine.setGone(true)
        let server = rig.servers[0]
        for round in 0..<12_000 { try server.update(device: "bob", online: round % 2 == 1) }
        #expect(server.latestEvent.number > LatestEvents.defaultLimit + 1000)
        await rig.engine.setGone(false)
        _ = await rig.server.verify()
        #expect(await rig.collector.latestGap == nil)
        await rig.stop()
    }

    @Test func theStatusNamesEachReplica() async throws {
        let rig = try await Rig(replicas: ["a"])
        try await Self.push(3, to: rig.servers[0])
        _ = await rig.server.verify()
        let status = try JSONText.read(await rig.collector.status())
        #expect(status["replicas"]?.array?.first?["received"]?.int64 == 3)
        #expect(try JSONText.read(await rig.replicas[0].status())["shipped"]?.int64 == 3)
        await rig.stop()
    }

    // MARK: Calls

    /// Lets the calls of a fleet be answered by the tests.
    private static func answer(
        _ servers: [MockAPNSServer], _ answer: @escaping @Sendable (_ index: Int, FleetCall) -> FleetAnswer
    ) {
        for (index, server) in servers.enumerated() { server.performer = { answer(index, $0) } }
    }

    @Test(arguments: [0, 1, 1 << 16, 1 << 16 + 1, 1 << 20])
    func anAnswerOfAnyLengthArrives(_ length: Int) async throws {
        let rig = try await Rig(replicas: ["a", "b"])
        // Afterwards, the collector knows the replicas.
        _ = await rig.server.verify()
        Self.answer(rig.servers) { index, _ in
            FleetAnswer(status: 200, body: Array(repeating: UInt8(ascii: "0") + UInt8(index), count: length))
        }
        let call = FleetCall(.listRules)
        #expect(await rig.collector.call(call).body == Array(repeating: UInt8(ascii: "0"), count: length))
        await rig.stop()
    }

    @Test func aScenarioIsItsOwnAnswer() async throws {
        let rig = try await Rig(replicas: ["a"])
        _ = await rig.server.verify()
        Self.answer(rig.servers) { _, call in FleetAnswer(status: 200, body: call.body) }
        let call = FleetCall(.playScenario, body: Array(repeating: UInt8(ascii: " "), count: 1 << 17))
        for _ in 0..<2 { #expect(await rig.collector.call(call).body == call.body) }
        let reports = await rig.engine.entries(of: FleetKeys("f").applied)
        #expect(reports.count == 2 && reports.allSatisfy { $0.value("b")?.isEmpty == true && $0.value("l") == nil })
        await rig.stop()
    }

    /// A question is answered by whoever knows.
    @Test func theReplicaThatKnowsAnswers() async throws {
        let rig = try await Rig(replicas: ["a", "b"])
        _ = await rig.server.verify()
        Self.answer(rig.servers) { index, _ in FleetAnswer(status: index == 1 ? 200 : 404, body: []) }
        #expect(await rig.collector.call(FleetCall(.listRules)).status == 200)
        await rig.stop()
    }

    // MARK: Pushes in one order

    static let bob = String(repeating: "b0", count: 32)
    static let shared = """
        {"devices": [{"name": "bob", "token": "\(bob)", "online": false}],
        "rules": [{"name": "busy", "when": {"topic": "com.example.busy"}, "times": 2, "then": {"reject": "TooManyRequests"}}]}
        """

    /// Sends a push to a replica; returns the status, what happened to it, and why.
    private static func send(
        to server: MockAPNSServer, _ token: String = bob, topic: String = "com.example.app"
    ) async throws -> (status: Int64?, delivery: String?, explanation: String?) {
        var push = AdminPush(recipient: .token(token))
        push.namesTopic = true
        push.fields = [("apns-topic", topic)]
        push.body = Array(#"{"aps":{"alert":"x"}}"#.utf8)
        let sequence = try await server.push(push)
        let record = try server.requestLog.record(sequence).map { try JSONText.read($0) }
        return (record?["status"]?.int64, record?["delivery"]?.string, record?["explanation"]?.string)
    }

    @Test func timesHoldOverAllReplicas() async throws {
        let rig = try await Rig(replicas: ["a", "b", "c"], Self.shared)
        let other = String(repeating: "c1", count: 32)
        let statuses = try await withThrowingTaskGroup(of: Int64?.self) { group in
            for number in 0..<60 {
                let server = rig.servers[number % 3]
                group.addTask { try await Self.send(to: server, other, topic: "com.example.busy").status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 429 } == 2)
        #expect(statuses.count { $0 == 200 } == 58)
        await rig.stop()
    }

    @Test func whatIsStoredIsReplacedByAnyReplica() async throws {
        let rig = try await Rig(replicas: ["a", "b", "c"], Self.shared)
        for number in 0..<12 {
            let answer = try await Self.send(to: rig.servers[number % 3])
            #expect(answer.status == 200 && answer.delivery == "Stored - Device Offline")
        }
        _ = await rig.server.verify()
        var records: [JSONText.Value] = []
        for sequence in 1...12 {
            records.append(try JSONText.read(try #require(rig.server.requestLog.record(sequence))))
        }
        let replacing = records.compactMap { $0["replacedBy"]?.int64 }
        #expect(replacing.count == 11 && replacing.allSatisfy { 1...12 ~= $0 })
        await rig.stop()
    }

    @Test func anAnswerLostOnTheWayCountsOnce() async throws {
        let rig = try await Rig(replicas: ["a", "b"], Self.shared)
        let other = String(repeating: "c1", count: 32)
        for status in [429, 429, 200] as [Int64] {
            await rig.engine.loseAnswers(1)
            #expect(try await Self.send(to: rig.servers[0], other, topic: "com.example.busy").status == status)
        }
        await rig.stop()
    }

    @Test func withoutTheEngineOnlyOrderedPushesAreRefused() async throws {
        let rig = try await Rig(replicas: ["a"], Self.shared, limits: FleetLimits())
        await rig.engine.setGone(true)
        let start = ContinuousClock.now
        let refused = try await Self.send(to: rig.servers[0])
        #expect(refused.status == 503 && .now - start >= .seconds(1))
        #expect(refused.explanation?.contains("All replicas of the fleet f decide this push in one order") == true)
        #expect(try await Self.send(to: rig.servers[0], String(repeating: "c1", count: 32)).status == 200)
        await rig.engine.setGone(false)
        // On a busy machine not at once.
        try await until { try await Self.send(to: rig.servers[0]).delivery == "Stored - Device Offline" }
        await rig.stop()
    }

    @Test func theTimelineGoesOnWithoutPushes() async throws {
        let rig = try await Rig(
            replicas: ["a", "b"],
            """
            {"devices": [{"name": "bob", "token": "\(Self.bob)", "online": false}],
            "timeline": [{"at": "200ms", "do": {"device": "bob", "registered": false}}]}
            """)
        for server in rig.servers {
            while server.view(of: "bob")?.device.registration == .registered {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        // It says since when.
        let registrations = rig.servers.map { $0.view(of: "bob")?.device.registration }
        #expect(registrations[0] == registrations[1])
        await rig.stop()
    }

    @Test func lateReplicasHaveDecidedTheSame() async throws {
        let rig = try await Rig(replicas: ["a"], Self.shared)
        let other = String(repeating: "c1", count: 32)
        #expect(try await Self.send(to: rig.servers[0], other, topic: "com.example.busy").status == 429)
        _ = try await Self.send(to: rig.servers[0])
        let late = try await Self.server(Self.shared, named: "b", in: rig.folder)
        let replica = try await Self.join(late, rig.engine, as: "b")
        #expect(late.view(of: "bob")?.stored.count == 1)
        #expect(try await Self.send(to: late, other, topic: "com.example.busy").status == 429)
        #expect(try await Self.send(to: late, other, topic: "com.example.busy").status == 200)
        await late.stop()
        await replica.leave()
        await rig.stop()
    }
}

extension FleetLimits {
    /// Limits that no busy machine reaches.
    static var generous: FleetLimits {
        var limits = FleetLimits()
        for limit in [\FleetLimits.push, \.call, \.leaving, \.verdict, \.earlier] { limits[keyPath: limit] = .patience }
        return limits
    }
}
