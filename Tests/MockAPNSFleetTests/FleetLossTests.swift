import NIOCore
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSCore
@testable import MockAPNSFleet

/// What replicas do when the engine has lost what they had shipped, and what collectors make of it.
@Suite("An engine that has lost everything")
struct FleetLossTests {
    private static let scenario = #"{"expect": [{"requests": {"sentBy": "admin"}, "count": 30}]}"#

    /// A fleet whose engine has lost everything after 20 of 30 requests.
    ///
    /// - Parameter keptFrames: the number of the latest frames that replicas keep.
    private static func rig(
        _ records: ShippedRecords = .all, keptFrames: Int? = nil
    ) async throws -> FleetTests.Rig {
        let rig = try await FleetTests.Rig(
            replicas: ["a", "b"], scenario, records: records, allowsMissing: true)
        if let keptFrames { for replica in rig.replicas { await replica.keepFrames(keptFrames) } }
        for _ in 0..<5 {
            for server in rig.servers { try await FleetTests.push(2, to: server) }
            _ = await rig.server.verify()
        }
        await rig.engine.empty()
        for _ in 0..<5 {
            try await FleetTests.push(2, to: rig.servers[0])
            try await waitUntilShipped(by: rig.replicas[0])
        }
        for replica in rig.replicas { try await until { replica.problem == ControlAnchor.loss } }
        return rig
    }

    private static func waitUntilShipped(by replica: FleetReplica) async throws {
        try await until { await replica.life.shipped == replica.server.latestEvent.sequence }
    }

    /// Checks that a collector has everything once, and only lacks what the fleet had agreed on.
    private static func check(
        _ server: MockAPNSServer, _ collector: FleetCollector, records: Int = 30,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let verification = await server.verify()
        #expect(await collector.latestGap == ControlAnchor.loss, sourceLocation: sourceLocation)
        let failed = verification.results.filter { !$0.passed }
        #expect(failed.isEmpty, "\(verification)", sourceLocation: sourceLocation)
        #expect(server.summary.requestsByAdmin == 30, sourceLocation: sourceLocation)
        var origins: Set<String> = []
        for sequence in 1..<records + 1 {
            let record = try JSONText.read(try #require(server.requestLog.record(sequence)))
            origins.insert("\(record["replica"]?.string ?? "") \(record["replicaSequence"]?.int64 ?? 0)")
        }
        #expect(origins.count == records && server.requestLog.latestSequence == records, sourceLocation: sourceLocation)
    }

    @Test(arguments: ShippedRecords.allCases)
    func whatWasShippedIsShippedAgain(_ records: ShippedRecords) async throws {
        let rig = try await Self.rig(records)
        let count = records == .none ? 0 : 30
        try await Self.check(rig.server, rig.collector, records: count)
        let server = try await FleetTests.server(Self.scenario, collecting: true)
        let second = try await FleetTests.collect(server, rig.engine, allowsMissing: true)
        // At most a second later, both replicas have said that they are there.
        try await until { await second.replicas.count == 2 }
        try await Self.check(server, second, records: count)
        // Once more, for a collector that has read what was shipped again.
        await rig.engine.empty()
        for name in ["a", "b"] {
            try await until { await !rig.engine.entries(of: FleetKeys("f").log(name)).isEmpty }
        }
        try await Self.check(rig.server, rig.collector, records: count)
        try await Self.check(server, second, records: count)
        await second.leave()
        await server.stop()
        await rig.stop()
    }

    /// The latest frames are shipped as they were, so a collector that had read some of them goes on.
    @Test func framesThatNobodyHasReadAreShippedAgain() async throws {
        let rig = try await FleetTests.Rig(replicas: ["a"], Self.scenario, allowsMissing: true)
        try await FleetTests.push(15, to: rig.servers[0])
        _ = await rig.server.verify()
        await rig.engine.hideLogs(true)
        for _ in 0..<3 {
            try await FleetTests.push(3, to: rig.servers[0])
            try await Self.waitUntilShipped(by: rig.replicas[0])
        }
        await rig.engine.empty()
        await rig.engine.hideLogs(false)
        try await FleetTests.push(6, to: rig.servers[0])
        try await until { rig.collector.problem == ControlAnchor.loss }
        try await Self.check(rig.server, rig.collector)
        await rig.stop()
    }

    @Test func whatIsNotKeptIsMissing() async throws {
        let rig = try await Self.rig(keptFrames: 1)
        // This one had read it before.
        try await Self.check(rig.server, rig.collector)
        let server = try await FleetTests.server(Self.scenario, collecting: true)
        let second = try await FleetTests.collect(server, rig.engine, allowsMissing: true)
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

    /// The stream alone may be lost, as when the engine evicts it.
    @Test func aStreamThatWasEvictedComesBack() async throws {
        let rig = try await FleetTests.Rig(replicas: ["a"], Self.scenario)
        try await FleetTests.push(20, to: rig.servers[0])
        _ = await rig.server.verify()
        await rig.engine.remove([FleetKeys("f").log("a")])
        try await FleetTests.push(10, to: rig.servers[0])
        let server = try await FleetTests.server(Self.scenario, collecting: true)
        let second = try await FleetTests.collect(server, rig.engine)
        for each in [rig.server, server] {
            let verification = await each.verify()
            #expect(verification.passed, "\(verification)")
        }
        await second.leave()
        await server.stop()
        await rig.stop()
    }

    // MARK: What a collector makes of it

    @Test func aFrameArrivesOnce() {
        var replica = CollectedReplica(name: "a", started: 8)
        #expect([1, 2, 2, 1, 3].map { replica.noteArrival(of: $0) } == [true, true, false, false, true])
        #expect(replica.gap(after: nil) == nil)
    }

    @Test func framesBeforeTheFirstThatArrivesAreMissing() {
        var replica = CollectedReplica(name: "a", started: 8)
        #expect(replica.noteArrival(of: 3) && replica.noteArrival(of: 5))
        #expect(replica.gap(after: nil) == "3 frames of a are missing")
    }

    /// A frame that says of these requests only how many they are.
    private static func frame(_ requests: ClosedRange<Int>) -> ReplicaFrame {
        var frame = ReplicaFrame()
        frame.records = RequestSegment(firstSequence: requests.lowerBound)
        frame.unshipped = UnshippedRecords(latestSequence: requests.upperBound)
        frame.decided = requests.upperBound
        return frame
    }

    private static func life(frame: UInt64, decided: Int, shipped: Int) -> SignOfLife {
        SignOfLife(started: 8, frame: frame, decided: decided, shipped: shipped, missing: 0)
    }

    @Test func requestsInFramesThatCannotBeReadAreMissing() {
        var replica = CollectedReplica(name: "a", started: 8)
        _ = replica.noteArrival(of: 1)
        replica.note(Self.frame(1...5))
        _ = replica.noteArrival(of: 2)
        replica.note("the checksum is wrong")
        // The next frame is on its way, and nobody knows which requests are in it.
        replica.note(Self.life(frame: 3, decided: 12, shipped: 10), at: 0)
        #expect(replica.missing == 0 && replica.lag == 7)
        replica.note(Self.life(frame: 2, decided: 12, shipped: 8), at: 0)
        #expect(replica.missing == 3 && replica.lag == 4)
        let gap = "3 requests of a are missing, 1 frame of a is missing (the checksum is wrong)"
        #expect(replica.gap(after: nil) == gap)
        _ = replica.noteArrival(of: 3)
        replica.note(Self.frame(9...12))
        #expect(replica.missing == 3 && replica.lag == 0)
        #expect(replica.gap(after: nil) == gap)
    }

    @Test func whatAReplicaWithoutASignOfLifeHadDecidedIsMissing() {
        var replica = CollectedReplica(name: "a", started: 8)
        _ = replica.noteArrival(of: 1)
        replica.note(Self.frame(3...5))
        replica.note(Self.life(frame: 2, decided: 9, shipped: 5), at: 0)
        #expect(replica.missing == 2 && replica.lag == 4)
        replica.state = .dead
        #expect(replica.missing == 6 && replica.lag == 0)
        #expect(
            replica.gap(after: nil) == """
                2 requests of a are missing, a gives no sign of life, so it has ended or stands still; \
                its requests after 5 are not known (at least 4)
                """)
        // It stood still.
        replica.note(Self.life(frame: 2, decided: 9, shipped: 5), at: 9)
        #expect(replica.state == .alive && replica.missing == 2)
    }

    @Test func theStatusCountsRequestsInALastFrameThatCannotBeRead() async throws {
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

    // MARK: Signs of life

    @Test func aSignOfLifeThatIsNotThereIsWaitedForNoLongerThanItHolds() {
        var replica = CollectedReplica(name: "a", started: 8)
        replica.seen = 100
        #expect(!replica.isSilent(at: 3100) && replica.isSilent(at: 3101))
        // One that was seen may be gone because the engine stood still.
        replica.note(Self.life(frame: 0, decided: 0, shipped: 0), at: 100)
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
        #expect(gap.hasPrefix("a (started 2017-05-20T04:40:00.000Z) gives no sign of life"), "\(gap)")
        #expect(!gap.contains("04:41"), "\(gap)")
        let status = try JSONText.read(await rig.collector.status())
        let rows = status["replicas"]?.array?.map { "\($0["started"]?.int64 ?? 0) \($0["state"]?.string ?? "")" }
        #expect(rows == ["1495255200000 dead", "1495255260000 alive"])
        await rig.stop()
    }

    // MARK: What is kept

    @Test(arguments: [(frames: 2, bytes: Int.max, kept: 2), (frames: 5, bytes: 1, kept: 1), (5, 1 << 20, 4)])
    func theLatestFramesAreKept(_ limit: (frames: Int, bytes: Int, kept: Int)) async throws {
        let server = try await FleetTests.server()
        var shipper = FrameShipper(.all, started: 8)
        shipper.keptLimit = (limit.bytes, limit.frames)
        var frames: [FrameShipper.Frame] = []
        for _ in 0..<4 {
            try await FleetTests.push(1, to: server)
            let snapshot = server.replicaSnapshot(
                knownTopics: shipper.knownTopics, after: shipper.latestSequence, except: nil)
            let frame = shipper.next(from: snapshot, at: WallClock.now(), mark: .zero, isLast: false, isNeeded: false)
            frames.append(try #require(frame))
        }
        let again = shipper.startAgain()
        #expect(again.map(\.id) == frames.suffix(limit.kept).map(\.id))
        #expect(again.map(\.bytes) == frames.suffix(limit.kept).map(\.bytes))
        #expect(again.map(\.isFirst) == again.indices.map { $0 == again.startIndex })
        await server.stop()
    }
}

extension FleetReplica {
    fileprivate func keepFrames(_ count: Int) { shipper.keptLimit.frames = count }
}
