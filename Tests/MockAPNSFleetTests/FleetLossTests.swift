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
    /// - Parameter keptBytes: the number of bytes of the latest frames that replicas keep at least.
    private static func rig(
        _ records: ShippedRecords = .all, keptBytes: Int? = nil, logLimit: Int? = nil
    ) async throws -> FleetTests.Rig {
        let rig = try await FleetTests.Rig(
            replicas: ["a", "b"], scenario, records: records, logLimit: logLimit, allowsMissing: true)
        if let keptBytes { for replica in rig.replicas { await replica.keepFrames(of: keptBytes) } }
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

    @Test(arguments: ShippedRecords.allCases, [1, 8 << 20])
    func whatIsInMemoryIsShippedAgain(_ records: ShippedRecords, keptBytes: Int) async throws {
        let rig = try await Self.rig(records, keptBytes: keptBytes)
        let count = records == .none ? 0 : 30
        try await Self.check(rig.server, rig.collector, records: count)
        let server = try await FleetTests.server(Self.scenario, collecting: true)
        let second = try await FleetTests.collect(server, rig.engine, allowsMissing: true)
        // At most a second later, both replicas have said that they are there.
        try await until { await second.replicas.count == 2 }
        try await Self.check(server, second, records: count)
        // Once more, for a collector that has read what was shipped again.
        await rig.engine.empty()
        for replica in rig.replicas { try await until { await replica.lossCount == 2 } }
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

    @Test func whatIsNotInMemoryAnyMoreIsMissing() async throws {
        let rig = try await Self.rig(keptBytes: 1, logLimit: 3)
        try await Self.check(rig.server, rig.collector)
        let server = try await FleetTests.server(Self.scenario, collecting: true)
        let second = try await FleetTests.collect(server, rig.engine, allowsMissing: true)
        try await until { await second.replicas.count == 2 }
        _ = await server.verify()
        let gap = try #require(await second.latestGap)
        #expect(gap.contains("requests of a are missing") && gap.contains("requests of b are missing"), "\(gap)")
        #expect(!gap.contains("frame"), "\(gap)")
        // What is known counts: totals are exact, and nothing is there twice.
        #expect(server.summary.requestsByAdmin == 30)
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

    private static func entry(_ milliseconds: UInt64, _ number: UInt64, replacing last: Int? = nil) -> StreamEntry {
        StreamEntry(
            id: StreamID(milliseconds: milliseconds, number: number),
            fields: last.map { [("n", Array("\($0)".utf8))] } ?? [])
    }

    /// Lets entries arrive; returns which of them are taken.
    private static func take(_ entries: [StreamEntry], _ replica: inout CollectedReplica) -> [Bool] {
        entries.map { replica.noteArrival(of: $0) }
    }

    @Test func aRepetitionThatBreaksOffIsNamed() {
        var replica = CollectedReplica(name: "a", started: 8)
        let first = Self.entry(7, 1 << 32 + 1, replacing: 5)
        #expect(CollectedReplica.started(of: first) == 8 && CollectedReplica.started(of: Self.entry(8, 1)) == 8)
        // Lost again; what has arrived may be part of the next ones.
        let again = [Self.entry(7, 2 << 32 + 1, replacing: 5), Self.entry(7, 2 << 32 + 2, replacing: 5)]
        let taken = Self.take([first] + again + [Self.entry(8, 6)], &replica)
        #expect(taken == [true, false, false, true])
        #expect(replica.gap(after: nil) == "2 frames of a are missing")
    }

    @Test(arguments: [0, UInt64.max])
    func aRepetitionWithoutItsBeginningIsNamed(_ strange: UInt64) {
        var replica = CollectedReplica(name: "a", started: 8)
        let entries = [Self.entry(7, 1 << 32 + 3, replacing: 5), Self.entry(7, 1 << 32 + 5, replacing: 5)]
        let taken = Self.take(entries, &replica)
        #expect(taken == [true, true] && replica.lostFrames == 3)
        // Whatever else is there.
        _ = Self.take([Self.entry(7, strange, replacing: 5)], &replica)
        var other = CollectedReplica(name: "a", started: 8)
        _ = Self.take([Self.entry(7, strange, replacing: 5)], &other)
        #expect(other.frame == 5)
    }

    @Test func whoHasReadFramesDoesNotReadThemAgain() {
        var replica = CollectedReplica(name: "a", started: 8)
        let entries = [Self.entry(8, 1), Self.entry(7, 1 << 32 + 1, replacing: 1), Self.entry(8, 2)]
        let taken = Self.take(entries, &replica)
        #expect(taken == [true, false, true] && replica.gap(after: nil) == nil)
    }
}

extension FleetReplica {
    fileprivate func keepFrames(of bytes: Int) { shipper.keptLimit = bytes }

    fileprivate var lossCount: UInt64 { shipper.losses }
}
