import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSCore
@testable import MockAPNSFleet

/// What a collector makes of a replica that was killed, and of the log that it wrote.
@Suite("The log of a killed replica")
struct FleetRecordedLogsTests {
    private static let started: UInt64 = 8

    /// What a killed replica has left, and a collector that takes it for dead.
    private struct Rig {
        let engine = MemoryEngine()
        let folder = FileManager.default.temporaryDirectory.appending(path: "mock-apns-logs-\(UUID())")
        let server: MockAPNSServer
        let collector: FleetCollector
        /// The lines of the log that the replica has written.
        private let lines: [String]
        /// Its frames that have not been shipped.
        private var frames: [FrameShipper.Frame] = []

        /// - Parameters:
        ///   - shipped: the number of requests that were shipped.
        ///   - decided: the number of requests that were decided.
        ///   - logs: the names of the logs at hand.
        init(shipped: Int, decided: Int, logs: [String] = ["a.jsonl"]) async throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let path = folder.appending(path: "written.jsonl").path
            var configuration = MockAPNSServer.Configuration(scenario: .json(FleetTests.expectation))
            (configuration.log, configuration.seed) = (.file(FilePath(path)), 1)
            let replica = try await MockAPNSServer.start(configuration)
            let (link, keys) = (MemoryLink(engine), FleetKeys("f"))
            let join = JoinMessage(replica: "a", started: started, version: "", scenario: "", authority: "")
            _ = try await link.append(join.fields, to: keys.control, id: nil, keepingFrom: nil)
            replica.note(FleetMember(fleet: "f", replica: "a", started: started, epoch: .zero))
            var shipper = FrameShipper(.all, started: started)
            for count in [shipped, decided - shipped] {
                try await FleetTests.push(count, to: replica)
                let snapshot = replica.replicaSnapshot(
                    knownTopics: shipper.knownTopics, after: shipper.latestSequence, except: nil)
                _ = shipper.makeNext(
                    from: snapshot, at: WallClock.now(), mark: .zero, isLast: false, isNeeded: true)
                frames.append(try #require(shipper.pending))
                shipper.noteShipped()
            }
            await replica.stop()
            lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { "\($0)\n" }
            server = try await FleetTests.server(collecting: true)
            var options = FleetCollector.Options(fleet: "f")
            (options.recordedLogs, options.limits) = (
                logs.map { [folder] in folder.appending(path: $0).path }, .generous
            )
            collector = try await FleetCollector.join(server, options, logger: FleetTests.quiet) { [engine] in
                MemoryLink(engine)
            }
            try await ship()
            try await until { [collector] in await collector.replicas.first?.received == shipped }
            try await collector.look(at: await collector.now + 60_000)
        }

        /// Ships the next frame, as a replica that only hung.
        mutating func ship() async throws {
            let frame = frames.removeFirst()
            _ = try await MemoryLink(engine).append(
                frame.fields, to: FleetKeys("f").log("a"), id: frame.id, keepingFrom: nil)
        }

        /// Writes a log up to a request.
        func write(_ name: String = "a.jsonl", through sequence: Int) throws {
            let end = lines.firstIndex { $0.contains(#""sequence":\#(sequence + 1),"#) } ?? lines.count
            try lines[..<end].joined().write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
        }

        /// The number of requests that came from logs.
        var fromLog: Int64? {
            get async throws {
                try JSONText.read(await collector.status())["replicas"]?.array?.first?["fromLog"]?.int64
            }
        }

        func stop() async throws {
            await collector.leave()
            await server.stop()
            try FileManager.default.removeItem(at: folder)
        }
    }

    @Test func itHasWhatWasNotShipped() async throws {
        let rig = try await Rig(shipped: 4, decided: 10)
        try rig.write(through: 10)
        for _ in 0..<2 {
            let verification = await rig.server.verify()
            #expect(verification.passed, "\(verification)")
            #expect(try await rig.fromLog == 6)
            #expect(rig.server.summary.requestsByAdmin == 10)
        }
        try await rig.stop()
    }

    @Test func itIsReadOnWhenItHasGrown() async throws {
        let rig = try await Rig(shipped: 4, decided: 10)
        try rig.write(through: 7)
        #expect(await !rig.server.verify().passed)
        #expect(try await rig.fromLog == 3)
        #expect(await rig.collector.latestGap == nil)
        try rig.write(through: 10)
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        #expect(try await rig.fromLog == 6)
        try await rig.stop()
    }

    @Test func whatItLacksIsMissing() async throws {
        let rig = try await Rig(shipped: 4, decided: 10)
        try rig.write(through: 7)
        let heartbeat = Heartbeat(started: Self.started, frame: 1, decided: 10, shipped: 4, missing: 0)
        try await MemoryLink(rig.engine).set(FleetKeys("f").alive("a"), to: heartbeat.json, expiringAfter: 1)
        try await rig.collector.look(at: await rig.collector.now)
        await rig.engine.expireValues()
        try await rig.collector.look(at: await rig.collector.now + 60_000)
        #expect(await !rig.server.verify().passed)
        #expect(await rig.collector.latestGap == "3 requests of a are missing")
        try await rig.stop()
    }

    @Test func itMayBeMadeLater() async throws {
        let rig = try await Rig(shipped: 4, decided: 10)
        #expect(await !rig.server.verify().passed)
        let gap = "its requests after 4 are not known; none of the files of --log that could be read contains its run"
        #expect(await rig.collector.latestGap?.hasSuffix(gap) == true)
        try "{}\n".write(to: rig.folder.appending(path: "a.jsonl"), atomically: true, encoding: .utf8)
        #expect(await !rig.server.verify().passed)
        try rig.write(through: 10)
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        try await rig.stop()
    }

    @Test func theLongestCounts() async throws {
        let rig = try await Rig(shipped: 4, decided: 10, logs: ["a.jsonl", "b.jsonl", "c.jsonl"])
        for (name, end) in [("a.jsonl", 6), ("b.jsonl", 10), ("c.jsonl", 5)] { try rig.write(name, through: end) }
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        try await rig.stop()
    }

    /// A log that ends where it was rotated is not all.
    @Test func partsOfALogHaveToBePutTogether() async throws {
        let rig = try await Rig(shipped: 4, decided: 10, logs: ["a.jsonl", "b.jsonl"])
        try rig.write(through: 7)
        var line: [UInt8] = []
        LogFileEvent.reopened(after: 7, scenario: nil, seed: 1).appendLine(at: WallClock.now(), to: &line)
        let rest = rig.folder.appending(path: "b.jsonl")
        try Data(line).write(to: rest)
        #expect(await !rig.server.verify().passed)
        let gap = "a.jsonl goes on in another file of --log; put both together, as with cat"
        #expect(await rig.collector.latestGap?.hasSuffix(gap) == true)
        try FileManager.default.removeItem(at: rest)
        try rig.write(through: 10)
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        try await rig.stop()
    }

    @Test func twoVerdictsAtOnceTakeItOnce() async throws {
        let rig = try await Rig(shipped: 4, decided: 10)
        try rig.write(through: 10)
        async let first = rig.server.verify()
        async let second = rig.server.verify()
        let passed = await [first.passed, second.passed]
        #expect(passed == [true, true])
        #expect(rig.server.summary.requestsByAdmin == 10)
        try await rig.stop()
    }

    /// What the log had comes again in frames, and nobody knows where they overlap.
    @Test func aReplicaThatGoesOnFailsTheVerdict() async throws {
        var rig = try await Rig(shipped: 4, decided: 10)
        try rig.write(through: 7)
        _ = await rig.server.verify()
        try await rig.ship()
        try await until { [collector = rig.collector] in await collector.replicas.first?.frame == 2 }
        #expect(await !rig.server.verify().passed)
        #expect(
            await rig.collector.latestGap
                == "a has gone on after its log was taken as complete; start the collector again")
        #expect(rig.server.summary.requestsByAdmin == 7)
        try await rig.stop()
    }

    @Test func aReplicaWhoseLogHadNothingMoreMayGoOn() async throws {
        var rig = try await Rig(shipped: 4, decided: 10)
        try rig.write(through: 4)
        #expect(await !rig.server.verify().passed)
        #expect(await rig.collector.latestGap == nil)
        try await rig.ship()
        try await until { [collector = rig.collector] in await collector.replicas.first?.frame == 2 }
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        try await rig.stop()
    }

    /// Otherwise they would be judged by expectations that did not hold when they came.
    @Test func requestsThatComeAfterAnotherScenarioHasBegunAreNamed() {
        var replica = CollectedReplica(name: "a", started: Self.started)
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
}
