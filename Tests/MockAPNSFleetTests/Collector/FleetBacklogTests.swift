import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSCore
@testable import MockAPNSFleet
@testable import MockAPNSJudge

/// What a collector makes of what it has not read yet.
@Suite("A collector that is behind")
struct FleetBacklogTests {
    // MARK: Order

    /// Writes what a replica would: an entry by which it joins, and frames with a request each, at these milliseconds
    /// from some time on.
    private static func ship(_ name: String, _ times: [Int64], to engine: MemoryEngine) async throws {
        let (link, keys) = (MemoryLink(engine), FleetKeys("f"))
        let join = JoinMessage(replica: name, started: 8, version: "", scenario: "", authority: "")
        _ = try await link.append(join.fields, toControl: keys, keeping: .from(.zero))
        let server = try await FleetTests.server()
        var shipper = FrameShipper(started: 8)
        for (index, time) in times.enumerated() {
            try await FleetTests.push(1, to: server)
            let record = try #require(try server.requestLog.record(index + 1).map { try JSONText.read($0) })
            let decided = try #require(record["time"]?.string.flatMap { Timestamp($0) })
            shipper.clockOffset = 1_495_255_200_000 + time - decided.milliseconds
            let snapshot = server.replicaSnapshot(
                knownTopics: shipper.knownTopics, after: shipper.latestSequence, except: nil)
            let isLast = index == times.count - 1
            _ = shipper.makeNext(from: snapshot, at: decided, mark: .zero, isLast: isLast, isNeeded: true)
            let frame = try #require(shipper.pending)
            _ = try await link.append(frame.fields, to: keys.log(name), id: frame.id, keeping: nil)
            shipper.noteShipped()
        }
        await server.stop()
    }

    /// The times of all requests in the log of a new collector, in milliseconds, and its remarks.
    private static func collected(
        from engine: MemoryEngine, count: Int
    ) async throws -> (times: [Int64], remarks: [String]) {
        let scenario = #"{"expect": [{"spacing": {"requests": {"sentBy": "admin"}, "atLeast": "1ms"}}]}"#
        let server = try await FleetTests.server(scenario, collecting: true)
        let collector = try await FleetTests.collect(server, engine)
        let remarks = await server.verification().remarks
        #expect(await collector.latestGap == nil)
        var times: [Int64] = []
        for sequence in 1..<count + 1 {
            let record = try JSONText.read(try #require(server.requestLog.record(sequence)))
            let time = try #require(record["time"]?.string.flatMap { Timestamp($0) })
            times.append(time.milliseconds - 1_495_255_200_000)
        }
        await collector.leave()
        await server.stop()
        return (times, remarks)
    }

    @Test func aNewCollectorPutsEverythingInOrder() async throws {
        let engine = MemoryEngine()
        let (dense, sparse) = ((0..<80).map { $0 * 1000 as Int64 }, (0..<80).map { $0 * 40_000 + 500 as Int64 })
        try await Self.ship("a", dense, to: engine)
        for _ in 0..<100 {
            _ = try await MemoryLink(engine).append(
                [("k", Array("mark".utf8))], to: FleetKeys("f").control, id: nil, keeping: nil)
        }
        try await Self.ship("b", sparse, to: engine)
        // Longer than a replica is waited for.
        await engine.delayLogs(by: .milliseconds(60))
        let (times, remarks) = try await Self.collected(from: engine, count: 160)
        #expect(times == (dense + sparse).sorted())
        #expect(remarks == [])
    }

    @Test func reportsNameRequestsTooCloseToOrder() async throws {
        let engine = MemoryEngine()
        try await Self.ship("a", [0, 1000, 2000], to: engine)
        try await Self.ship("b", [40, 1060], to: engine)
        let (times, remarks) = try await Self.collected(from: engine, count: 5)
        #expect(times == [0, 40, 1000, 1060, 2000])
        #expect(
            remarks == [
                """
                1 request came less than 50 ms after one on another replica. Their order is only as reliable as the \
                machines' clocks; inOrder and spacing depend on it.
                """
            ])
    }

    // MARK: Limits

    private static let scenario = #"{"expect": [{"requests": {"sentBy": "admin"}, "count": 20}]}"#

    /// A fleet whose replica has ended after 20 requests, each in a frame, and another collector that cannot read them
    /// yet.
    ///
    /// - Parameter delay: how long it takes to read of them, later on.
    private static func held(
        _ limit: WritableKeyPath<FleetLimits, Duration>, delay: Duration = .zero,
        _ body: (FleetTests.Rig) async throws -> Void = { _ in },
        perform: (MockAPNSServer) -> MockAPNSServer.CallPerformer? = { _ in nil }
    ) async throws -> (rig: FleetTests.Rig, server: MockAPNSServer, second: FleetCollector) {
        let rig = try await FleetTests.Rig(replicas: ["a"], scenario)
        for number in 1...20 {
            try await FleetTests.push(1, to: rig.servers[0])
            try await until { await rig.replicas[0].heartbeat.shipped == number }
        }
        try await body(rig)
        await rig.end(0)
        await rig.collector.leave()
        await rig.engine.holdLogs(true)
        await rig.engine.delayLogs(by: delay)
        let server = try await FleetTests.server(scenario, collecting: true)
        server.performer = perform(server)
        var limits = FleetLimits.generous
        limits[keyPath: limit] = .milliseconds(20)
        let second = try await FleetTests.collect(server, rig.engine, limits: limits)
        try await until { await second.replicas.count == 1 }
        return (rig, server, second)
    }

    private static func stop(_ rig: FleetTests.Rig, _ server: MockAPNSServer, _ second: FleetCollector) async {
        await second.leave()
        await server.stop()
        await rig.stop()
    }

    @Test func verdictsWaitWhileThereIsMoreToRead() async throws {
        let (rig, server, second) = try await Self.held(\.verdict)
        async let verdict = server.verify()
        try await Task.sleep(for: .milliseconds(300))
        await rig.engine.holdLogs(false)
        let verification = await verdict
        #expect(verification.passed, "\(verification)")
        await Self.stop(rig, server, second)
    }

    @Test func verdictsEndIfTheEngineGoesMidRead() async throws {
        let (rig, server, second) = try await Self.held(\.verdict)
        await rig.engine.setGone(true)
        await rig.engine.holdLogs(false)
        #expect(await !server.verify().passed)
        await rig.engine.setGone(false)
        await Self.stop(rig, server, second)
    }

    @Test func callsWaitWhileThereIsMoreToRead() async throws {
        let (calls, continuation) = AsyncStream.makeStream(of: Int.self)
        let change = FleetCall(.addRule, body: Array("{}".utf8))
        // More than the limit, for each of two reads.
        let (rig, server, second) = try await Self.held(\.earlier, delay: .milliseconds(60)) { rig in
            rig.servers[0].performer = { _ in FleetAnswer(status: 200, body: []) }
            #expect(await rig.collector.call(change).status == 200)
        } perform: { server in
            { [weak server] _ in
                continuation.yield(server?.requestLog.latestSequence ?? -1)
                return FleetAnswer(status: 200, body: [])
            }
        }
        await rig.engine.holdLogs(false)
        for await count in calls {
            #expect(count == 20)
            break
        }
        await Self.stop(rig, server, second)
    }

    @Test func replicasWithMoreToReadAreNotDead() async throws {
        let (rig, server, second) = try await Self.held(\.earlier)
        try await second.look(at: await second.now + 60_000)
        #expect(await second.replicas.map(\.state) == [.alive])
        await rig.engine.holdLogs(false)
        let verification = await server.verify()
        #expect(verification.passed, "\(verification)")
        #expect(await second.replicas.map(\.state) == [.ended])
        await Self.stop(rig, server, second)
    }

    /// Otherwise no verdict would end as long as more comes than the collector reads.
    @Test func unreadEntriesOfOthersKeepNoReplicaAlive() async throws {
        let (rig, server, second) = try await Self.held(\.earlier)
        await second.noteEnd(ofLog: 0, before: 1)
        try await second.look(at: await second.now + 60_000)
        #expect(await second.isBehind)
        #expect(await second.replicas.map(\.state) == [.dead])
        await rig.engine.holdLogs(false)
        await Self.stop(rig, server, second)
    }

    /// Without the ends of the logs, it is unknown whether all was read.
    @Test func verdictsFailIfLogEndsAreUnknown() async throws {
        var limits = FleetLimits.generous
        limits.verdict = .milliseconds(500)
        let rig = try await FleetTests.Rig(replicas: ["a"], limits: limits)
        try await FleetTests.push(10, to: rig.servers[0])
        await rig.engine.hideLastIDs(true)
        #expect(await !rig.server.verify().passed)
        await rig.engine.hideLastIDs(false)
        try await until { await rig.server.verify().passed }
        await rig.stop()
    }

    /// Otherwise what it counts is taken for all that there is.
    @Test func collectorsAreReadyOnceEverythingIsRead() async throws {
        let (rig, server, second) = try await Self.held(\.verdict)
        #expect(second.problem == FleetCollector.unread)
        await rig.engine.holdLogs(false)
        try await until { second.problem == nil }
        await Self.stop(rig, server, second)
    }

    // MARK: Starting over

    /// A replica that cannot start over yet goes on serving providers.
    @Test func whoHasNotStartedOverIsMissing() async throws {
        var limits = FleetLimits.generous
        (limits.call, limits.verdict) = (.milliseconds(200), .milliseconds(500))
        let rig = try await FleetTests.Rig(replicas: ["a", "b"], limits: limits)
        try await until { await rig.collector.replicas.count { $0.hasLived } == 2 }
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        for server in [rig.server] + rig.servers {
            let isSlow = server === rig.servers[1]
            server.performer = { [weak server] _ in
                if isSlow { for await _ in gate { break } }
                server?.reset()
                return FleetAnswer(status: 200, body: [])
            }
        }
        #expect(await rig.collector.call(FleetCall(.reset)).status == 503)
        try await until { await rig.replicas[0].keys.epoch != .zero }
        try await FleetTests.push(10, to: rig.servers[0])
        try await until { await rig.collector.keys.epoch != .zero }
        try await Self.untilVerdict(of: rig, names: "b has not started over since the latest reset")
        opening.yield()
        try await until { await rig.server.verify().passed }
        await rig.stop()
    }

    /// A new collector has not seen it before the reset.
    @Test func newCollectorsMissReplicasNotYetReset() async throws {
        var limits = FleetLimits.generous
        limits.verdict = .milliseconds(500)
        let rig = try await FleetTests.Rig(replicas: ["a"], limits: limits)
        for server in [rig.server, rig.servers[0]] {
            server.performer = { [weak server] _ in
                server?.reset()
                return FleetAnswer(status: 200, body: [])
            }
        }
        #expect(await rig.collector.call(FleetCall(.reset)).status == 200)
        try await until { await rig.collector.keys.epoch != .zero }
        // Of the epoch before.
        let join = JoinMessage(replica: "b", started: 8, version: "", scenario: "", authority: "")
        let link = MemoryLink(rig.engine)
        _ = try await link.append(join.fields, to: rig.collector.keys.control, id: nil, keeping: nil)
        try await link.set(rig.collector.keys.alive("b"), to: [], expiringAfter: 1)
        let gap = "b has not started over since the latest reset, so its requests are not known"
        try await Self.untilVerdict(of: rig, names: gap)
        await rig.stop()
    }

    /// Asks for a verdict until it names what is missing. Before that it fails because the collector had no time to read,
    /// or a replica none to ship, as on a busy machine.
    private static func untilVerdict(of rig: FleetTests.Rig, names gap: String) async throws {
        try await until {
            #expect(await !rig.server.verify().passed)
            let found = try #require(await rig.collector.latestGap)
            if found.contains(gap) { return true }
            #expect(
                found == "not everything that the engine has was read in time; ask again"
                    || found.contains("has not shipped its latest requests in time"))
            return false
        }
    }

    @Test func lateReplicasAreNotAskedEarlierQuestions() async throws {
        let rig = try await FleetTests.Rig(replicas: ["a"])
        rig.servers[0].performer = { _ in FleetAnswer(status: 200, body: []) }
        #expect(await rig.collector.call(FleetCall(.listRules)).status == 200)
        #expect(await rig.collector.call(FleetCall(.addRule)).status == 200)
        let late = try await FleetTests.server(named: "b", in: rig.folder)
        let (calls, continuation) = AsyncStream.makeStream(of: String.self)
        late.performer = { call in
            continuation.yield(call.name.method.rawValue)
            return FleetAnswer(status: 200, body: [])
        }
        let replica = try await FleetTests.join(late, rig.engine, as: "b")
        continuation.finish()
        #expect(await calls.reduce(into: []) { $0.append($1) } == ["POST"])
        await late.stop()
        await replica.leave()
        await rig.stop()
    }
}

extension FleetCollector {
    /// Pretends that a log was read to its end, and that there are others of which there is more.
    fileprivate func noteEnd(ofLog log: Int, before others: Int) {
        for _ in 0..<others { _ = merge.addStream() }
        merge.noteEnds(of: [log], at: now)
    }
}
