import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import MockAPNS
@testable import MockAPNSCore
@testable import MockAPNSFleet

@Suite("What all members of a fleet do in one order", .serialized)
struct FleetControlTests {
    private typealias Rig = FleetTests.Rig

    /// Counts the calls that servers have carried out.
    private final class Counter: Sendable {
        private let counts = Guarded([String: Int]())
        func note(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
        subscript(name: String) -> Int { counts.withLock { $0[name, default: 0] } }
    }

    /// Lets a server carry out calls as its admin API would.
    private static func perform(
        _ server: MockAPNSServer, as name: String = "", _ counter: Counter = Counter(), after delay: Duration = .zero
    ) {
        server.performer = { [weak server] call in
            guard let server else { return FleetAnswer(status: 500, body: []) }
            switch call.name {
            case .reset:
                guard call.body.isEmpty else { return FleetAnswer(status: 400, body: []) }
                server.reset()
            case .playScenario:
                do { try await server.play(call.body, anew: call.startsOver) } catch {
                    return FleetAnswer(status: 400, body: [])
                }
            default:
                try? await Task.sleep(for: delay)
                counter.note(name)
            }
            return FleetAnswer(status: 200, body: Array("{}".utf8))
        }
    }

    private static func reset(_ body: String = "") -> FleetCall {
        FleetCall(.reset, body: Array(body.utf8))
    }

    private static func play(_ scenario: String, anew: Bool = false) -> FleetCall {
        FleetCall(.playScenario, query: anew ? "reset=true" : "", body: Array(scenario.utf8))
    }

    private static let change = FleetCall(.addRule, body: Array("{}".utf8))

    private static func until(_ what: Comment, _ condition: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .patience
        while try await !condition() {
            try #require(ContinuousClock.now < deadline, what)
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The verdict of a collector that reads everything from its beginning.
    private static func verdict(_ engine: MemoryEngine) async throws -> MockAPNSServer.Verification {
        let server = try await FleetTests.server(collecting: true)
        let collector = try await FleetTests.collect(server, engine)
        let verification = await server.verify()
        await collector.leave()
        await server.stop()
        return verification
    }

    // MARK: Starting over

    @Test(arguments: [reset(#"{"x":1}"#), play(#"{"rules": 7}"#, anew: true)])
    func aResetThatIsRefusedChangesNothing(_ refused: FleetCall) async throws {
        let rig = try await Rig(replicas: ["a"])
        for server in [rig.server] + rig.servers { Self.perform(server) }
        try await FleetTests.push(5, to: rig.servers[0])
        #expect(await rig.collector.call(refused).status == 400)
        try await FleetTests.push(5, to: rig.servers[0])
        var verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        verification = try await Self.verdict(rig.engine)
        #expect(verification.passed, "\(verification)")
        #expect(await rig.collector.call(Self.reset()).status == 200)
        try await FleetTests.push(10, to: rig.servers[0])
        verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        verification = try await Self.verdict(rig.engine)
        #expect(verification.passed, "\(verification)")
        await rig.stop()
    }

    private static func expecting(_ count: Int) -> String {
        #"{"expect": [{"requests": {"sentBy": "admin"}, "count": \#(count)}]}"#
    }

    @Test func onlyRequestsAfterAScenarioCountForIt() async throws {
        let rig = try await Rig(replicas: ["a"], Self.expecting(2))
        let server = try await FleetTests.server(Self.expecting(2), named: "b", in: rig.folder)
        // So much later than a push that a call may come between.
        let replica = try await FleetTests.join(server, rig.engine, as: "b", delay: 200)
        for server in [rig.server, server] + rig.servers { Self.perform(server) }
        for _ in 0..<3 {
            for server in [server] + rig.servers { try await FleetTests.push(1, to: server) }
            #expect(await rig.collector.call(Self.play(Self.expecting(4))).status == 200)
            for server in [server] + rig.servers { try await FleetTests.push(2, to: server) }
            let verification = await rig.server.verify()
            #expect(verification.passed, "\(verification)")
        }
        // Also for a collector that was not there.
        let late = try await FleetTests.server(Self.expecting(2), collecting: true)
        Self.perform(late)
        let collector = try await FleetTests.collect(late, rig.engine)
        let verification = await late.verify()
        #expect(verification.passed, "\(verification)")
        #expect(late.requestLog.latestSequence == 18)
        await collector.leave()
        await late.stop()
        await server.stop()
        await replica.leave()
        await rig.stop()
    }

    /// What the collector has not read yet may have started everything over.
    @Test func resetsByLaggingMembersAreCarriedOut() async throws {
        let rig = try await Rig(replicas: ["a", "b"])
        for server in rig.servers { Self.perform(server) }
        let isHeld = Guarded(true)
        rig.server.performer = { [weak server = rig.server] call in
            while call.name == .addRule, isHeld.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(5)) }
            if call.name == .playScenario { try? await server?.play(call.body, anew: true) }
            if call.name == .reset { server?.reset() }
            return FleetAnswer(status: 200, body: Array("{}".utf8))
        }
        let other = try await FleetTests.server(collecting: true)
        Self.perform(other)
        let second = try await FleetTests.collect(other, rig.engine)
        #expect(await second.call(Self.change).status == 200)
        #expect(await second.call(Self.reset()).status == 200)
        async let answer = rig.collector.call(Self.play(FleetTests.shared, anew: true))
        try await Self.until("The collector has not asked.") {
            await rig.engine.entries(of: FleetKeys("f").control).contains { $0.text("c") == "playScenario" }
        }
        isHeld.withLock { $0 = false }
        #expect(await answer.status == 200)
        for server in [rig.server] + rig.servers {
            #expect(String(decoding: server.scenarioText, as: UTF8.self) == FleetTests.shared)
        }
        await second.leave()
        await other.stop()
        await rig.stop()
    }

    @Test func replicasJoiningAfterALossContinueWithOthers() async throws {
        let rig = try await Rig(replicas: ["a"])
        for server in [rig.server] + rig.servers { Self.perform(server) }
        for _ in 0..<2 { #expect(await rig.collector.call(Self.reset()).status == 200) }
        await rig.engine.empty()
        let server = try await FleetTests.server(named: "b", in: rig.folder)
        Self.perform(server)
        let replica = try await FleetTests.join(server, rig.engine, as: "b")
        try await FleetTests.push(10, to: server)
        try await Self.until("b is ready.") { replica.problem == StreamLossDetector.loss }
        let epoch = await rig.replicas[0].keys.epoch
        #expect(await replica.keys.epoch == epoch && epoch > .zero)
        try await Self.until("The collector does not know b.") {
            await rig.collector.replicas.contains { $0.name == "b" }
        }
        _ = await rig.server.verify()
        #expect(try #require(await rig.collector.latestGap).contains("lost"))
        // Who joins now hears of the loss.
        let late = try await FleetTests.server(named: "c", in: rig.folder)
        Self.perform(late)
        let third = try await FleetTests.join(late, rig.engine, as: "c")
        try await Self.until("c is ready.") { third.problem == StreamLossDetector.loss }
        #expect(await third.keys.epoch == epoch)
        try await FleetTests.push(1, to: rig.servers[0])
        #expect(await rig.collector.call(Self.reset()).status == 200)
        for member in [rig.replicas[0], replica, third] {
            try await Self.until("A replica is not ready again.") { member.isReady }
        }
        #expect(rig.servers[0].latestEvent.sequence == 0)
        try await FleetTests.push(10, to: server)
        #expect(await rig.server.verify().passed)
        #expect(await rig.collector.latestGap == nil)
        for (server, replica) in [(server, replica), (late, third)] {
            await server.stop()
            await replica.leave()
        }
        await rig.stop()
    }

    /// A member that has not read it yet never does.
    @Test func aLostEntryLeavesNoMemberReady() async throws {
        let rig = try await Rig(replicas: ["a", "b"])
        for server in [rig.server] + rig.servers { Self.perform(server) }
        let control = FleetKeys("f").control
        let id = try await MemoryLink(rig.engine).append(
            [("k", Array("mark".utf8))], to: control, id: nil, keeping: nil)
        for replica in rig.replicas { try await Self.until("It is not read.") { await replica.applied >= id } }
        let index = try #require(await rig.engine.entries(of: control).firstIndex { $0.id == id })
        await rig.engine.removeEntry(index, of: control)
        await rig.engine.restart()
        for member in rig.replicas as [any FleetMembership] + [rig.collector] {
            try await Self.until("A member is ready.") { member.problem == StreamLossDetector.loss }
        }
        #expect(await rig.collector.call(Self.reset()).status == 200)
        for member in rig.replicas as [any FleetMembership] + [rig.collector] {
            try await Self.until("A member is not ready again.") { member.isReady }
        }
        await rig.stop()
    }

    @Test func aLossOthersSawLeavesNoReplicaReady() async throws {
        let rig = try await Rig(replicas: ["a"])
        var join = JoinMessage(replica: "x", started: 1, version: "", scenario: "", authority: "")
        join.hasLostControl = true
        _ = try await MemoryLink(rig.engine).append(
            join.fields, to: FleetKeys("f").control, id: nil, keeping: nil)
        try await Self.until("The replica is ready.") { rig.replicas[0].problem == StreamLossDetector.loss }
        await rig.stop()
    }

    @Test func theClockRunsWhileReplicasAwaitTheEngine() async throws {
        let rig = try await Rig(replicas: ["a"])
        let server = rig.servers[0]
        let wasHere = Guarded(false)
        server.performer = { [weak server, engine = rig.engine] _ in
            server?.reset()
            await engine.setGone(true)
            wasHere.withLock { $0 = true }
            return FleetAnswer(status: 200, body: Array("{}".utf8))
        }
        async let answer = rig.collector.call(Self.reset())
        try await Self.until("The clock stands.") {
            wasHere.withLock { $0 } && server.engine.gateway.withLock { $0.order.clock?.entry } == nil
        }
        #expect(await rig.engine.isGone)
        await rig.engine.setGone(false)
        _ = await answer
        await rig.stop()
    }

    @Test func whatHappensRightAfterAResetIsShipped() async throws {
        let rig = try await Rig(replicas: ["a"], FleetTests.shared)
        Self.perform(rig.server)
        rig.servers[0].performer = { [weak server = rig.servers[0]] _ in
            server?.reset()
            try? server?.update(device: "bob", online: true)
            return FleetAnswer(status: 200, body: Array("{}".utf8))
        }
        #expect(await rig.collector.call(Self.reset()).status == 200)
        #expect(rig.servers[0].view(of: "bob")?.device.isOnline == true)
        _ = await rig.server.verify()
        #expect(rig.server.view(of: "bob")?.device.isOnline == true)
        await rig.stop()
    }

    @Test func afterResetsNewReplicasPlayTheCurrentScenario() async throws {
        let rig = try await Rig(replicas: ["a"], FleetTests.shared)
        for server in [rig.server] + rig.servers { Self.perform(server) }
        let other = #"{"rules": [{"name": "other", "then": {"reject": "Shutdown"}}]}"#
        #expect(await rig.collector.call(Self.play(other)).status == 200)
        #expect(await rig.collector.call(Self.reset()).status == 200)
        let control = await rig.engine.entries(of: FleetKeys("f").control)
        #expect(!control.contains { $0.text("c") == "playScenario" })
        let late = try await FleetTests.server(FleetTests.shared, named: "b", in: rig.folder)
        Self.perform(late)
        let replica = try await FleetTests.join(late, rig.engine, as: "b")
        #expect(String(decoding: late.scenarioText, as: UTF8.self) == other)
        #expect(late.scenario.rules.first?.name == "other")
        // So does a collector.
        let server = try await FleetTests.server(FleetTests.shared, collecting: true)
        Self.perform(server)
        let collector = try await FleetTests.collect(server, rig.engine)
        try await Self.until("The collector plays another scenario.") { server.scenarioText == Array(other.utf8) }
        await collector.leave()
        await server.stop()
        await late.stop()
        await replica.leave()
        await rig.stop()
    }

    /// Whoever changes the file and plays it on all of them starts more replicas with that file.
    @Test(arguments: [false, true]) func replicasMayStartWithTheScenarioOthersPlay(isReset: Bool) async throws {
        let rig = try await Rig(replicas: ["a"], FleetTests.shared)
        for server in [rig.server] + rig.servers { Self.perform(server) }
        let other = #"{"rules": [{"name": "other", "then": {"reject": "Shutdown"}}]}"#
        #expect(await rig.collector.call(Self.play(other)).status == 200)
        if isReset { #expect(await rig.collector.call(Self.reset()).status == 200) }
        var late: [(server: MockAPNSServer, replica: FleetReplica)] = []
        // The second one finds a member that was started with the first scenario, and one that was not.
        for (name, scenario) in [("b", other), ("c", other), ("d", FleetTests.shared)] {
            let server = try await FleetTests.server(scenario, named: name, in: rig.folder)
            Self.perform(server)
            late.append((server, try await FleetTests.join(server, rig.engine, as: name)))
            #expect(server.scenario.rules.map(\.name) == ["other"])
            try await FleetTests.push(1, to: server)
        }
        _ = await rig.server.verify()
        #expect(await rig.collector.latestGap == nil)
        #expect(rig.server.requestLog.latestSequence == 3)
        let third = try await FleetTests.server(#"{"rules": []}"#, named: "e", in: rig.folder)
        await #expect(throws: MockAPNSServer.StartError.self) {
            _ = try await FleetTests.join(third, rig.engine, as: "e")
        }
        for (server, replica) in late {
            await server.stop()
            await replica.leave()
        }
        await third.stop()
        await rig.stop()
    }

    @Test func aReloadLeavesTheScenarioToTheFleet() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "mock-apns-fleet-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "scenario.json")
        try Data(FleetTests.shared.utf8).write(to: file)
        let server = try await MockAPNSServer.start(
            MockAPNSServer.Configuration(scenario: .file(FilePath(file.path))))
        let replica = try await FleetTests.join(server, MemoryEngine(), as: "a")
        try Data("{}".utf8).write(to: file)
        #expect(try !server.reload())
        #expect(server.scenarioText == Array(FleetTests.shared.utf8))
        await server.stop()
        await replica.leave()
    }

    // MARK: Who is waited for

    @Test func afterAnEngineHangAllReplicasAreAwaited() async throws {
        let rig = try await Rig(replicas: ["a", "b"])
        let counter = Counter()
        Self.perform(rig.servers[0], as: "a", counter)
        Self.perform(rig.servers[1], as: "b", counter, after: .milliseconds(300))
        #expect(await rig.collector.call(Self.change).status == 200)
        await rig.engine.setGone(true)
        try await Task.sleep(for: .milliseconds(300))
        await rig.engine.expireValues()
        await rig.engine.setGone(false)
        #expect(await rig.collector.call(Self.change).status == 200)
        #expect(counter["a"] == counter["b"] && counter["a"] >= 2)
        await rig.stop()
    }

    @Test func afterAResetAllReplicasAreWaitedFor() async throws {
        let rig = try await Rig(replicas: ["a", "b"])
        let counter = Counter()
        for (name, server) in zip(["a", "b"], rig.servers) {
            Self.perform(server, as: name, counter, after: .milliseconds(20))
        }
        Self.perform(rig.server)
        for round in 1...5 {
            #expect(await rig.collector.call(Self.reset()).status == 200)
            let answer = await rig.collector.call(Self.change)
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            #expect(
                counter["a"] == counter["b"] && counter["a"] >= round,
                "\(counter["a"]), \(counter["b"]) in round \(round)")
        }
        await rig.stop()
    }

    @Test func newCollectorsAwaitReplicasUnknownToThem() async throws {
        let rig = try await Rig(replicas: ["a", "b"])
        let counter = Counter()
        Self.perform(rig.servers[0], as: "a", counter)
        Self.perform(rig.servers[1], as: "b", counter, after: .milliseconds(300))
        let server = try await FleetTests.server(collecting: true)
        let collector = try await FleetTests.collect(server, rig.engine)
        #expect(await collector.call(Self.change).status == 200)
        #expect(counter["a"] == counter["b"] && counter["a"] >= 1)
        await collector.leave()
        await server.stop()
        await rig.stop()
    }

    @Test func endedReplicasAreNotAwaited() async throws {
        let rig = try await Rig(replicas: ["a", "b"])
        for server in rig.servers { Self.perform(server) }
        await rig.end(1)
        #expect(await rig.collector.call(Self.change).status == 200)
        await rig.stop()
    }

    /// It carries out the call before it serves providers, and reports nothing.
    @Test func replicasJoiningAfterACallAreNotAwaited() async throws {
        var limits = FleetLimits.generous
        limits.call = .seconds(20)
        let rig = try await Rig(replicas: ["a"], limits: limits)
        let roster = await rig.collector.roster
        rig.servers[0].performer = { _ in
            try? await Self.until("None joins.") { await roster.joined(in: .zero).contains { $0.replica == "late" } }
            return FleetAnswer(status: 200, body: Array("{}".utf8))
        }
        async let answer = rig.collector.call(Self.change)
        let control = FleetKeys("f").control
        try await Self.until("There is no call.") {
            await rig.engine.entries(of: control).contains { $0.text("c") == "addRule" }
        }
        let late = JoinMessage(replica: "late", started: 1, version: "", scenario: "", authority: "")
        let link = MemoryLink(rig.engine)
        try await link.set(FleetKeys("f").alive("late"), to: Array("{}".utf8), expiringAfter: 60_000)
        _ = try await link.append(late.fields, to: control, id: nil, keeping: nil)
        let status = await answer.status
        #expect(status == 200)
        await rig.stop()
    }

    // MARK: What is missing

    @Test func aVerdictFailsIfNotEverythingWasRead() async throws {
        let rig = try await Rig(replicas: ["a"])
        try await FleetTests.push(10, to: rig.servers[0])
        await rig.end(0)
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        // Another replica may have joined before a mark that is not read yet.
        let mark = StreamID(milliseconds: .max, number: 1)
        #expect(await rig.collector.gap(after: rig.collector.applied) == nil)
        #expect(await rig.collector.gap(after: mark)?.contains("was read in time") == true)
        await rig.stop()
    }

    @Test func anEmptiedEngineLeavesNoReplicaReady() async throws {
        let rig = try await Rig(replicas: ["a"])
        let replica = rig.replicas[0]
        for server in [rig.server] + rig.servers { Self.perform(server) }
        try await FleetTests.push(1, to: rig.servers[0])
        #expect(await rig.collector.call(Self.change).status == 200)
        await rig.engine.empty()
        try await Self.until("The replica is ready.") { !replica.isReady }
        // It stays so, although the engine answers.
        try await Task.sleep(for: .milliseconds(1500))
        #expect(!replica.isReady)
        #expect(await rig.collector.call(Self.reset()).status == 200)
        try await Self.until("The replica is not ready again.") { replica.isReady }
        try await FleetTests.push(10, to: rig.servers[0])
        let verification = await rig.server.verify()
        #expect(verification.passed, "\(verification)")
        await rig.stop()
    }

    @Test func stoppingReplicasTellWhatTheyCounted() async throws {
        let scenario = """
            {"devices": [{"name": "bob", "token": "\(FleetTests.bob)", "online": false}],
            "timeline": [{"after": {"requests": {"sentBy": "admin"}, "count": 3}, "do": {"device": "bob", "online": true}}]}
            """
        let rig = try await Rig(replicas: ["b"], scenario)
        // It looks so rarely that it has to tell when it stops.
        let server = try await FleetTests.server(scenario, named: "a", in: rig.folder)
        let replica = try await FleetTests.join(server, rig.engine, as: "a", delay: 10_000)
        try await FleetTests.push(3, to: server)
        #expect(rig.servers[0].view(of: "bob")?.device.isOnline == false)
        await server.stop()
        await replica.leave()
        try await Self.until("The timeline does not go on.") { rig.servers[0].view(of: "bob")?.device.isOnline == true }
        await rig.stop()
    }

    @Test func pushesThatComeTooLateAreNotDecided() async throws {
        let rig = try await Rig(replicas: ["a"], FleetTests.shared)
        let link = MemoryLink(rig.engine)
        var entry = OrderedEntry(
            replica: "x", started: 1, number: 1, body: OrderedPush.bytes(of: try OrderQueueTests.pushes(1)))
        for (end, decided) in [(1, 0), (.max, 1)] as [(UInt64, Int)] {
            entry.end = end
            let id = try await link.append(
                entry.fields("push"), to: FleetKeys("f").control, id: nil, keeping: nil)
            try await Self.until("The replica does not go on.") { await rig.replicas[0].applied >= id }
            let latest = rig.servers[0].engine.gateway.withLock { $0.order.latestNumber }
            #expect(latest == FleetOrder.firstNumber - 1 + decided)
            entry.number += 1
        }
        await rig.stop()
    }

    @Test func aReplicaListensWhenItHasJoined() async throws {
        let rig = try await Rig(replicas: ["a"], FleetTests.shared)
        var configuration = MockAPNSServer.Configuration(scenario: .json(FleetTests.shared))
        configuration.replica = "b"
        configuration.certificates = FilePath(rig.folder)
        let server = try await MockAPNSServer.prepare(configuration, logger: FleetTests.quiet)
        let replica = try await FleetTests.join(server, rig.engine, as: "b")
        #expect(server.ports == [] && server.url == "")
        try await server.listen()
        #expect(server.ports.count == 1 && server.ports[0] > 0)
        await server.stop()
        await replica.leave()
        await rig.stop()
    }
}
