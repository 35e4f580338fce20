import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSCore
@testable import MockAPNSFleet
@testable import MockAPNSScenario

/// The engine keeps the latest entries of the control stream: who can go on without those that it has dropped, and who
/// cannot and says so.
@Suite("What the engine keeps of a fleet", .serialized)
struct ControlBoundTests {
    private typealias Rig = FleetTests.Rig

    private static let keys = FleetKeys("f")

    /// So few entries that tests get beyond them, and still more than a member reads at once.
    private static let limits = bounds(control: 64)

    private static func bounds(control: Int, frames: Int = FleetLimits().frames) -> FleetLimits {
        var limits = FleetLimits.generous
        (limits.control, limits.frames) = (control, frames)
        return limits
    }

    private static let tooLate =
        "No replica can join the fleet f any more, since what its replicas agreed on first was dropped: the engine keeps the latest 64 changes and ordered pushes. Start all replicas before the pushes, give a new run its own name with --fleet-name, or start this one over with POST /api/v1/reset on its collector."

    private static let unknown =
        "not all replicas are known here, because what the fleet agreed on was dropped before it was read: the engine keeps the latest 64 changes and ordered pushes; ask a collector that ran throughout, or start the run over with POST /api/v1/reset on one"

    private static let missed =
        "it was stopped, or could not reach the engine, for so long that it has missed what the others agreed on: the engine keeps the latest 64 changes and ordered pushes; POST /api/v1/reset on the collector starts everything over"

    /// Lets servers carry out resets.
    private static func perform(_ servers: [MockAPNSServer]) {
        for server in servers {
            server.performer = { [weak server] call in
                if call.name == .reset { server?.reset() }
                return FleetAnswer(status: 200, body: Array("{}".utf8))
            }
        }
    }

    /// A fleet with one replica that can be reset.
    private static func rig() async throws -> Rig {
        let rig = try await Rig(replicas: ["a"], limits: limits)
        perform([rig.server] + rig.servers)
        return rig
    }

    /// Appends so much that the engine drops what the control stream began with. The first replica and the collector of a
    /// fleet keep up with that.
    private static func fill(_ rig: Rig) async throws {
        let link = MemoryLink(rig.engine)
        for _ in 0..<10 {
            var last = StreamID.zero
            for _ in 0..<16 {
                last = try await link.append(
                    [("k", Array("mark".utf8))], toControl: keys, keeping: .latest(limits.control))
            }
            let reached = last
            try await until { await rig.replicas[0].applied >= reached }
            try await until { await rig.collector.applied >= reached }
        }
        let entries = await rig.engine.entries(of: keys.control)
        #expect(entries.count <= limits.control && !entries.contains { ControlStream.beginning == $0.id })
    }

    /// Joins as a replica that a test can stop.
    private static func join(_ server: MockAPNSServer, _ engine: MemoryEngine, as name: String) async throws
        -> FleetReplica
    {
        var options = FleetReplica.Options(fleet: "f", name: name, delay: 1)
        options.limits = limits
        return try await FleetReplica.join(server, options, logger: FleetTests.quiet) {
            MemoryLink(engine, of: name)
        }
    }

    /// Joins as another collector, which a test can stop.
    private static func collect(_ engine: MemoryEngine) async throws -> (MockAPNSServer, FleetCollector) {
        let server = try await FleetTests.server(collecting: true)
        perform([server])
        var options = FleetCollector.Options(fleet: "f")
        options.limits = limits
        let collector = try await FleetCollector.join(server, options, logger: FleetTests.quiet) {
            MemoryLink(engine, of: "collector")
        }
        return (server, collector)
    }

    // MARK: Joining

    @Test func replicasJoiningTooLateAreRefusedUntilReset() async throws {
        let rig = try await Self.rig()
        try await FleetTests.push(10, to: rig.servers[0])
        try await Self.fill(rig)
        let late = try await FleetTests.server(named: "b", in: rig.folder)
        await #expect {
            _ = try await Self.join(late, rig.engine, as: "b")
        } throws: { error in
            guard case .unavailable(Self.tooLate)? = error as? MockAPNSServer.StartError else { return false }
            return true
        }
        await late.stop()
        // All other replicas go on, once the engine has answered again.
        try await until { rig.replicas[0].isReady && rig.collector.isReady }
        var verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        #expect(await rig.collector.call(FleetCall(.reset)).status == 200)
        let server = try await FleetTests.server(named: "b", in: rig.folder)
        Self.perform([server])
        let replica = try await Self.join(server, rig.engine, as: "b")
        try await FleetTests.push(10, to: server)
        verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        await server.stop()
        await replica.leave()
        await rig.stop()
    }

    /// No replica has read the reset, and the collector has what was before.
    @Test func aResetWithoutReplicasMakesJoiningPossible() async throws {
        let rig = try await Self.rig()
        try await Self.fill(rig)
        await rig.end(0)
        #expect(await rig.collector.call(FleetCall(.reset)).status == 200)
        #expect(await rig.engine.entries(of: Self.keys.control).first.map { $0.text("k") } == "mark")
        let server = try await FleetTests.server(named: "b", in: rig.folder)
        Self.perform([server])
        let replica = try await Self.join(server, rig.engine, as: "b")
        try await FleetTests.push(10, to: server)
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        await server.stop()
        await replica.leave()
        await rig.stop()
    }

    @Test func oneOfSimultaneousFirstReplicasBeginsTheStream() async throws {
        let rig = try await Rig(replicas: [], limits: Self.limits)
        var servers: [MockAPNSServer] = []
        for name in ["a", "b"] { servers.append(try await FleetTests.server(named: name, in: rig.folder)) }
        await rig.engine.holdAppends(to: Self.keys.control, until: 2)
        let replicas = try await withThrowingTaskGroup(of: FleetReplica.self) { group in
            for (name, server) in zip(["a", "b"], servers) {
                group.addTask { try await Self.join(server, rig.engine, as: name) }
            }
            return try await group.reduce(into: [FleetReplica]()) { $0.append($1) }
        }
        let entries = await rig.engine.entries(of: Self.keys.control)
        #expect(entries.prefix(3).map { $0.text("k") } == ["begin", "join", "join"])
        #expect(entries.map(\.id) == Set(entries.map(\.id)).sorted() && entries[0].id == ControlStream.beginning)
        for server in servers { try await FleetTests.push(5, to: server) }
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        for server in servers { await server.stop() }
        for replica in replicas { await replica.leave() }
        await rig.stop()
    }

    /// The clock of the scenario starts with the call, which is the first that says a time.
    @Test func callsBeforeTheFirstReplicaBeginTheStream() async throws {
        let scenario = """
            {"devices": [{"name": "bob", "token": "\(FleetTests.bob)"}],
            "timeline": [{"at": "24h", "do": {"device": "bob", "registered": false}}]}
            """
        let rig = try await Rig(replicas: [], scenario, limits: Self.limits)
        #expect(await rig.collector.call(FleetCall(.addRule)).status == 503)
        let server = try await FleetTests.server(scenario, named: "a", in: rig.folder)
        Self.perform([server])
        let replica = try await Self.join(server, rig.engine, as: "a")
        let entries = await rig.engine.entries(of: Self.keys.control)
        #expect(entries.prefix(2).map { $0.text("k") } == ["begin", "call"])
        #expect(server.view(of: "bob")?.device.registration == .registered)
        await server.stop()
        await replica.leave()
        await rig.stop()
    }

    // MARK: What is there

    @Test func whatWasDroppedIsNotTakenForLost() async throws {
        let rig = try await Self.rig()
        try await Self.fill(rig)
        let joined = await rig.replicas[0].anchor.id
        #expect(await !rig.engine.entries(of: Self.keys.control).contains { $0.id == joined })
        await rig.engine.restart()
        try await rig.replicas[0].lookAtControl(by: MemoryLink(rig.engine))
        let anchor = await rig.replicas[0].anchor
        #expect(!anchor.isLost && !anchor.isInDoubt)
        _ = await rig.server.verify()
        #expect(await rig.collector.latestGap == nil)
        #expect(rig.replicas[0].isReady && rig.collector.isReady)
        // What is lost is lost all the same.
        await rig.engine.empty()
        for member in rig.replicas as [any FleetMembership] + [rig.collector] {
            try await until { member.problem == StreamLossDetector.loss }
        }
        await rig.stop()
    }

    // MARK: Members that did not read what was dropped

    @Test func replicasStoppedTooLongAreOutUntilReset() async throws {
        let rig = try await Self.rig()
        let server = try await FleetTests.server(named: "b", in: rig.folder)
        Self.perform([server])
        let replica = try await Self.join(server, rig.engine, as: "b")
        for server in rig.servers + [server] { try await FleetTests.push(5, to: server) }
        await rig.engine.stop("b")
        try await Self.fill(rig)
        await rig.engine.letGoOn("b")
        // At once, whatever it has said so far.
        var verification = await rig.server.verify()
        #expect(!verification.passed)
        #expect(
            await rig.collector.latestGap
                == "b was stopped, or could not reach the engine, for so long that it has missed what the others agreed on, so what it decided since may differ; POST /api/v1/reset starts everything over"
        )
        try await until { replica.problem == Self.missed }
        #expect(rig.replicas[0].isReady && rig.collector.isReady)
        #expect(await rig.collector.call(FleetCall(.reset)).status == 200)
        try await until { replica.isReady }
        for server in rig.servers + [server] { try await FleetTests.push(5, to: server) }
        verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        await server.stop()
        await replica.leave()
        await rig.stop()
    }

    /// One that was stopped, too, but not for so long.
    @Test func replicasStoppedForAWhileGoOn() async throws {
        let rig = try await Self.rig()
        let server = try await FleetTests.server(named: "b", in: rig.folder)
        let replica = try await Self.join(server, rig.engine, as: "b")
        await rig.engine.stop("b")
        let link = MemoryLink(rig.engine)
        // More than it reads at once.
        for _ in 0..<Self.limits.control - 4 {
            _ = try await link.append(
                [("k", Array("mark".utf8))], toControl: Self.keys, keeping: .latest(Self.limits.control))
        }
        await rig.engine.letGoOn("b")
        try await FleetTests.push(10, to: server)
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        #expect(replica.isReady)
        await server.stop()
        await replica.leave()
        await rig.stop()
    }

    @Test(arguments: [true, false])
    func collectorsUnawareOfReplicasJudgeNothingUntilReset(startsLate: Bool) async throws {
        let rig = try await Self.rig()
        let other = startsLate ? nil : try await Self.collect(rig.engine)
        try await until { await other?.1.replicas.count ?? 1 == 1 }
        await rig.engine.stop("collector")
        try await FleetTests.push(10, to: rig.servers[0])
        try await Self.fill(rig)
        await rig.engine.letGoOn("collector")
        let (server, collector): (MockAPNSServer, FleetCollector)
        if let other { (server, collector) = other } else { (server, collector) = try await Self.collect(rig.engine) }
        var verification = await server.verify()
        #expect(!verification.passed)
        #expect(await collector.latestGap == Self.unknown)
        try await until { collector.problem == Self.unknown }
        let answer = await collector.call(FleetCall(.addRule))
        let told = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 503 && told.contains("not all replicas are known here"), "\(told)")
        // The one that ran throughout judges right.
        verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        #expect(await collector.call(FleetCall(.reset)).status == 200)
        try await until { await rig.replicas[0].keys.epoch > .zero }
        try await until { collector.isReady }
        try await FleetTests.push(10, to: rig.servers[0])
        for each in [server, rig.server] {
            try await until { await each.verify().passed }
        }
        await collector.leave()
        await server.stop()
        await rig.stop()
    }

    // MARK: Long runs

    /// Eight hours with 20,000 pushes a second over three replicas, 2,000 of them ordered: 57,600,000 entries are 576 times
    /// what the control stream keeps, and 96 GB of records a replica 90 times what its frames may take. Here it is some 30
    /// and 15 times as much as is kept: after the first of these, nothing grows any more.
    @Test(.timeLimit(.minutes(10)), .withoutSanitizer) func theMemoryOfTheEngineStaysFlat() async throws {
        let limits = Self.bounds(control: 128, frames: 1 << 16)
        let rounds = 60
        let scenario = """
            {"rules": [{"name": "busy", "when": {"topic": "com.example.busy"}, "every": 2,
                "then": {"reject": "TooManyRequests"}}],
            "expect": [{"requests": {"sentBy": "admin"}, "count": \(rounds * 64)},
            {"requests": {"sentBy": "admin", "status": 429}, "count": \(rounds * 32)}]}
            """
        let rig = try await Rig(replicas: ["a", "b"], scenario, limits: limits)
        var latest: [String: (entries: Int, bytes: Int)] = [:]
        for round in 1...rounds {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for server in rig.servers {
                    group.addTask { for _ in 0..<32 { try await Self.pushInOrder(to: server) } }
                }
                try await group.waitForAll()
            }
            // No member is left behind.
            let last = try #require(await rig.engine.entries(of: Self.keys.control).last?.id)
            for replica in rig.replicas { try await until { await replica.applied >= last } }
            try await until { await rig.collector.replicas.reduce(0) { $0 + $1.received } == round * 64 }
            try await until { await rig.collector.applied >= last }
            latest = await rig.engine.sizes
            let control = try #require(latest[Self.keys.control])
            // Entries that the replicas have not read yet come on top.
            #expect(control.entries <= limits.control + 64 && control.bytes <= limits.control * 1000)
            for name in ["a", "b"] {
                let log = try #require(latest[Self.keys.log(name)])
                #expect(log.bytes <= limits.frames * 3 / 2)
            }
        }
        #expect(latest.removeValue(forKey: Self.keys.asked)?.entries ?? 0 <= 1)
        #expect(latest.keys.sorted() == [Self.keys.log("a"), Self.keys.log("b"), Self.keys.control].sorted())
        let appended = await rig.engine.appended[Self.keys.control] ?? 0
        #expect(appended > 20 * limits.control)
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        #expect(await rig.collector.latestGap == nil)
        await rig.stop()
    }

    /// Sends a push that all replicas decide in one order.
    private static func pushInOrder(to server: MockAPNSServer) async throws {
        var push = AdminPush(recipient: .token(String(repeating: "c1", count: 32)))
        push.namesTopic = true
        push.fields = [("apns-topic", "com.example.busy")]
        push.body = Array(#"{"aps":{"alert":"x"}}"#.utf8)
        _ = try await server.push(push)
    }

    @Test func theEngineKeepsTheLatestAnswers() async throws {
        let rig = try await Self.rig()
        for number in 1...1100 as ClosedRange<UInt64> {
            await rig.replicas[0].report(
                StreamID(milliseconds: number, number: 0), FleetAnswer(status: 200, body: []), to: FleetCall(.listRules)
            )
        }
        let entries = await rig.engine.entries(of: Self.keys.applied)
        #expect(entries.count == 1000 && entries.last?.text("c") == "1100-0")
        await rig.stop()
    }

    @Test func theLimitsAreThoseThatTheArticleNames() {
        #expect(FleetLimits().control == 100_000 && FleetLimits().frames == 1 << 30)
        #expect(ControlStream.limit * ControlStream.entrySize == 800_000_000)
    }

    @Test func largeEntriesCountAsSeveral() {
        var budget = ControlBudget(limit: 10)
        func note(_ numbers: ClosedRange<UInt64>, size: Int) -> StreamTrim {
            for number in numbers {
                let body = Array(repeating: UInt8(ascii: "x"), count: size)
                budget.note(StreamEntry(id: StreamID(milliseconds: number, number: 0), fields: [("b", body)]))
            }
            return budget.kept
        }
        func from(_ number: UInt64) -> StreamTrim { .from(StreamID(milliseconds: number, number: 0)) }
        #expect(note(1...10, size: 1) == .latest(10))
        #expect(note(11...11, size: ControlStream.entrySize) == .latest(10))
        #expect(note(12...12, size: 1) == from(2))
        // It counts as three.
        #expect(note(13...13, size: 2 * ControlStream.entrySize + 1) == from(5))
        #expect(note(14...23, size: 1) == from(13))
        #expect(note(24...24, size: 20 * ControlStream.entrySize) == from(24))
    }
}
