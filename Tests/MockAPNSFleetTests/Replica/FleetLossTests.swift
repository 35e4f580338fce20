import NIOCore
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSCore
@testable import MockAPNSFleet
@testable import MockAPNSJudge

/// What replicas do when the engine has lost what they had shipped, and what collectors make of it.
@Suite("An engine that has lost everything")
struct FleetLossTests {
    private static let scenario = #"{"expect": [{"requests": {"sentBy": "admin"}, "count": 30}]}"#

    /// A fleet whose engine has lost everything after 20 of 30 requests.
    private static func rig() async throws -> FleetTests.Rig {
        let rig = try await FleetTests.Rig(replicas: ["a", "b"], Self.scenario)
        for _ in 0..<5 {
            for server in rig.servers { try await FleetTests.push(2, to: server) }
            _ = await rig.server.verify()
        }
        await rig.engine.empty()
        for _ in 0..<5 {
            try await FleetTests.push(2, to: rig.servers[0])
            try await waitUntilShipped(by: rig.replicas[0])
        }
        for replica in rig.replicas { try await until { replica.problem == StreamLossDetector.loss } }
        return rig
    }

    private static func waitUntilShipped(by replica: FleetReplica) async throws {
        try await until { await replica.hasShippedAll }
    }

    /// Checks that a collector has everything once, and only lacks what the fleet had agreed on.
    private static func check(
        _ server: MockAPNSServer, _ collector: FleetCollector, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        // With everything else, the engine has lost the latest heartbeats; on a busy machine, the next ones may come late.
        var verification = await server.verification(allowingMissing: true)
        let gap = "The fleet is not complete: \(StreamLossDetector.loss)."
        try? await until {
            if verification.remarks == [gap] { return true }
            verification = await server.verification(allowingMissing: true)
            return false
        }
        #expect(verification.remarks == [gap], sourceLocation: sourceLocation)
        #expect(verification.passed, "\(verification)", sourceLocation: sourceLocation)
        #expect(await !server.verify().passed, sourceLocation: sourceLocation)
        #expect(server.summary.requestsByAdmin == 30, sourceLocation: sourceLocation)
        var origins: Set<String> = []
        for sequence in 1...30 {
            let record = try JSONText.read(try #require(server.requestLog.record(sequence)))
            origins.insert("\(record["replica"]?.string ?? "") \(record["replicaSequence"]?.int64 ?? 0)")
        }
        #expect(origins.count == 30 && server.requestLog.latestSequence == 30, sourceLocation: sourceLocation)
    }

    @Test func whatCollectorsHadReadIsCountedOnce() async throws {
        let rig = try await Self.rig()
        try await Self.check(rig.server, rig.collector)
        // Once more.
        await rig.engine.empty()
        try await Self.check(rig.server, rig.collector)
        await rig.stop()
    }

    @Test func laterCollectorsSayWhatIsMissing() async throws {
        let rig = try await Self.rig()
        let server = try await FleetTests.server(Self.scenario, collecting: true)
        let second = try await FleetTests.collect(server, rig.engine)
        // At most a second later, both replicas have said that they are there.
        try await until { await second.replicas.count == 2 }
        _ = await server.verify()
        let gap = try #require(await second.latestGap)
        // A busy machine puts more pushes into a frame, so one may be all that is missing.
        #expect(gap.contains(/requests? of a (is|are) missing/), "\(gap)")
        #expect(gap.contains(/frames? of a (is|are) missing/), "\(gap)")
        #expect(gap.contains(/frames? of b (is|are) missing/), "\(gap)")
        await second.leave()
        await server.stop()
        await rig.stop()
    }

    @Test func framesLostBeforeBeingReadAreMissing() async throws {
        let rig = try await FleetTests.Rig(replicas: ["a"], Self.scenario)
        try await FleetTests.push(15, to: rig.servers[0])
        _ = await rig.server.verify()
        await rig.engine.hideLogs(true)
        try await FleetTests.push(3, to: rig.servers[0])
        try await Self.waitUntilShipped(by: rig.replicas[0])
        await rig.engine.empty()
        await rig.engine.hideLogs(false)
        try await FleetTests.push(6, to: rig.servers[0])
        try await until { rig.collector.problem == StreamLossDetector.loss }
        _ = await rig.server.verify()
        let gap = try #require(await rig.collector.latestGap)
        #expect(gap.contains("3 requests of a are missing"), "\(gap)")
        #expect(rig.server.summary.requestsByAdmin == 21)
        await rig.stop()
    }

    /// The stream of one replica alone may be lost, as when the engine evicts it, or its end, as with an old file.
    @Test(arguments: [true, false])
    func aStreamGoesOn(isEvicted: Bool) async throws {
        let rig = try await FleetTests.Rig(replicas: ["a"], Self.scenario)
        let log = FleetKeys("f").log("a")
        for _ in 0..<2 {
            try await FleetTests.push(10, to: rig.servers[0])
            _ = await rig.server.verify()
        }
        if isEvicted {
            await rig.engine.remove([log])
        } else {
            await rig.engine.removeEntry(rig.engine.entries(of: log).count - 1, of: log)
        }
        await rig.engine.restart()
        try await FleetTests.push(10, to: rig.servers[0])
        // Whoever had read it has it.
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        let late = try await Self.verdict(rig.engine)
        #expect(!late.passed)
        #expect("\(late)".contains(/frames? of a (is|are) missing/), "\(late)")
        await rig.stop()
    }

    @Test func stoppingReplicasShipTheirWaitingFrame() async throws {
        let rig = try await FleetTests.Rig(replicas: ["a"], Self.scenario)
        let replica = rig.replicas[0]
        try await FleetTests.push(25, to: rig.servers[0])
        _ = await rig.server.verify()
        await rig.engine.setGone(true)
        try await FleetTests.push(5, to: rig.servers[0])
        try await until { replica.shipErrors ?? 0 > 0 }
        await rig.servers[0].stop()
        let leaving = Task { await replica.leave() }
        try await until { await replica.isEnding }
        // Once by what ships repeatedly, and again by what ships the rest.
        let errors = replica.shipErrors ?? 0
        try await until { replica.shipErrors ?? 0 > errors + 1 }
        await rig.engine.setGone(false)
        await leaving.value
        let verification = try await Self.verdict(rig.engine)
        #expect(verification.passed, "\(verification)")
        await rig.collector.leave()
        await rig.server.stop()
    }

    /// The verdict of a collector that reads everything from its beginning.
    private static func verdict(_ engine: MemoryEngine) async throws -> MockAPNSServer.Verification {
        let server = try await FleetTests.server(scenario, collecting: true)
        let collector = try await FleetTests.collect(server, engine)
        let verification = await server.verify()
        await collector.leave()
        await server.stop()
        return verification
    }

    // MARK: What a collector makes of it

    /// A heartbeat is small enough to pass where a frame is refused.
    @Test func replicasWhoseFramesAreRefusedAreNotReady() async throws {
        let rig = try await FleetTests.Rig(replicas: ["a", "b"])
        await rig.engine.refuseEntries(over: 500)
        try await FleetTests.push(10, to: rig.servers[0])
        try await until {
            rig.replicas[0].problem?.hasSuffix("OOM command not allowed when used memory > 'maxmemory'.") ?? false
        }
        try await until {
            rig.collector.problem?.hasPrefix("the replica a is stuck: its requests have waited") ?? false
        }
        #expect(rig.replicas[1].problem == nil)
        await rig.engine.refuseEntries(over: nil)
        try await until { rig.replicas[0].problem == nil && rig.collector.problem == nil }
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        await rig.stop()
    }

    @Test func aFrameArrivesOnce() {
        var replica = CollectedReplica(name: "a", started: 8)
        #expect([1, 2, 2, 1, 3].map { replica.noteArrival(of: $0) } == [true, true, false, false, true])
        #expect(replica.gap(after: nil) == nil)
    }

    @Test func framesBeforeTheFirstThatArrivesAreMissing() {
        var replica = CollectedReplica(name: "a", started: 8)
        #expect(replica.noteArrival(of: 3) && replica.noteArrival(of: 5))
        #expect(
            replica.gap(after: nil) == """
                3 frames of a are missing, which the engine no longer had when this collector read them (it keeps 1 GiB of \
                each replica, less if its maxmemory-policy evicts, and after a restart only what its file has); ask a collector that has run from the start, \
                or judge the logs of all replicas with verify --log
                """)
    }

    /// A frame with these requests.
    private static func frame(_ requests: ClosedRange<Int>) -> ReplicaFrame {
        var frame = ReplicaFrame()
        frame.records = RequestSegment(firstSequence: requests.lowerBound)
        frame.records.records = requests.map { _ in RequestRecord() }
        frame.decided = requests.upperBound
        return frame
    }

    private static func heartbeat(frame: UInt64, decided: Int, shipped: Int) -> Heartbeat {
        Heartbeat(started: 8, frame: frame, decided: decided, shipped: shipped, missing: 0)
    }

    @Test func requestsInUnreadableFramesAreMissing() {
        var replica = CollectedReplica(name: "a", started: 8)
        _ = replica.noteArrival(of: 1)
        replica.note(Self.frame(1...5))
        _ = replica.noteArrival(of: 2)
        replica.note("the checksum is wrong")
        // The next frame is on its way, and which requests are in it is unknown.
        replica.note(Self.heartbeat(frame: 3, decided: 12, shipped: 10), at: 0)
        #expect(replica.missing == 0 && replica.lag == 7)
        replica.note(Self.heartbeat(frame: 2, decided: 12, shipped: 8), at: 0)
        #expect(replica.missing == 3 && replica.lag == 4)
        let gap = "3 requests of a are missing, 1 frame of a is missing (the checksum is wrong)"
        #expect(replica.gap(after: nil) == gap)
        _ = replica.noteArrival(of: 3)
        replica.note(Self.frame(9...12))
        #expect(replica.missing == 3 && replica.lag == 0)
        #expect(replica.gap(after: nil) == gap)
    }

    @Test func whatDeadReplicasHadDecidedIsMissing() {
        var replica = CollectedReplica(name: "a", started: 8)
        _ = replica.noteArrival(of: 1)
        replica.note(Self.frame(3...5))
        replica.note(Self.heartbeat(frame: 2, decided: 9, shipped: 5), at: 0)
        #expect(replica.missing == 2 && replica.lag == 4)
        replica.state = .dead
        #expect(replica.missing == 6 && replica.lag == 0)
        #expect(
            replica.gap(after: nil) == """
                2 requests of a are missing, which waited for the engine longer than the log of the replica holds; give the \
                replicas a higher --log-limit; a sends no heartbeat: it crashed, was killed, hangs or cannot reach the engine; \
                what came after its request 5 is not known (at least 4); \
                if every replica writes a log (serve --log), verify --log judges all of them, and if not, reset and repeat
                """)
        // It only hung.
        replica.note(Self.heartbeat(frame: 2, decided: 9, shipped: 5), at: 9)
        #expect(replica.state == .alive && replica.missing == 2)
    }

    @Test func theStatusCountsRequestsInUnreadableLastFrames() async throws {
        let rig = try await FleetTests.Rig(replicas: ["a"])
        try await FleetTests.push(5, to: rig.servers[0])
        _ = await rig.server.verify()
        await rig.engine.hideLogs(true)
        let log = FleetKeys("f").log("a")
        let known = await rig.engine.entries(of: log).count
        try await FleetTests.push(3, to: rig.servers[0])
        try await Self.waitUntilShipped(by: rig.replicas[0])
        await rig.engine.spoilEntries(from: known, of: log)
        await rig.engine.hideLogs(false)
        try await until {
            let status = try JSONText.read(await rig.collector.status())
            return status["replicas"]?.array?.first?["missing"]?.int64 == 3
        }
        await rig.stop()
    }

    /// Otherwise they would be judged by expectations that did not hold when they came.
    @Test func requestsAfterAnotherScenarioBeganAreNamed() {
        var replica = CollectedReplica(name: "a", started: 8)
        var frame = ReplicaFrame()
        (frame.isCurrent, frame.mark) = (true, StreamID(milliseconds: 3, number: 0))
        replica.note(frame)
        replica.pass(by: StreamID(milliseconds: 3, number: 0))
        frame.records = RequestSegment(firstSequence: 1)
        frame.records.records = [RequestRecord()]
        replica.note(frame)
        #expect(replica.gap(after: nil) == nil)
        replica.pass(by: StreamID(milliseconds: 4, number: 0))
        replica.note(frame)
        #expect(
            replica.gap(after: nil) == "1 request of a came after another scenario had begun, and count for that")
    }

    // MARK: Heartbeats

    @Test func waitingForHeartbeatsEndsWithTheirValidity() {
        var replica = CollectedReplica(name: "a", started: 8)
        replica.seen = 100
        #expect(!replica.isSilent(at: 3100) && replica.isSilent(at: 3101))
        // One that was seen may be gone because the engine hung.
        replica.note(Self.heartbeat(frame: 0, decided: 0, shipped: 0), at: 100)
        #expect(!replica.isSilent(at: 5100) && replica.isSilent(at: 5101))
    }

    @Test func processesOfOneNameAreToldApart() async throws {
        let rig = try await FleetTests.Rig(replicas: [])
        var join = JoinMessage(
            replica: "a", started: 1_495_255_200_000, version: "", scenario: "", authority: "")
        await rig.collector.take(join)
        #expect(await rig.collector.gap(after: .zero) == nil)
        join.started += 60_000
        await rig.collector.take(join)
        let gap = try #require(await rig.collector.gap(after: .zero))
        #expect(gap.hasPrefix("a (started 2017-05-20T04:40:00.000Z) sends no heartbeat"), "\(gap)")
        #expect(!gap.contains("04:41"), "\(gap)")
        let status = try JSONText.read(await rig.collector.status())
        let rows = status["replicas"]?.array?.map { "\($0["started"]?.int64 ?? 0) \($0["state"]?.string ?? "")" }
        #expect(rows == ["1495255200000 dead", "1495255260000 alive"])
        #expect(status["replicas"]?.array?.map { $0["problem"]?.string } == [gap, nil])
        await rig.stop()
    }
}

extension FleetReplica {
    fileprivate var hasShippedAll: Bool { heartbeat.shipped == server.latestEvent.sequence }
}
