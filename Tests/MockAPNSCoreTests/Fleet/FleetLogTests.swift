import GatewayRigs
import Testing

@testable import MockAPNSCore

/// The records and connections of a collector.
@Suite("The log of a collector")
struct FleetLogTests {
    private static func record(_ gateway: borrowing Gateway, _ sequence: Int) throws -> JSONText.Value {
        try JSONText.read(try #require(gateway.log.snapshot.record(sequence)))
    }

    private static func facts(serverName: String) -> ConnectionFacts {
        var facts = ConnectionFacts.example
        facts.serverName = serverName
        return facts
    }

    @Test func recordsHaveTheirConnectionsServerName() throws {
        var a = try ReplicaRig()
        var b = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a", "b"])
        let one = a.open(Self.facts(serverName: "one.example"))
        let two = b.open(Self.facts(serverName: "two.example"))
        let three = b.open(Self.facts(serverName: "three.example"))
        a.work { $0.send(after: 1, on: one) }
        b.work { rig in
            rig.send(after: 2, on: three)
            rig.send(after: 1, on: two)
            rig.send(after: 1)
        }
        try collector.take(a.frames(), of: 0)
        try collector.take(b.frames(), of: 1)
        collector.proceed()
        let log = collector.gateway.log.snapshot
        let names = log.open.records.map { record in
            record.serverName == 0 ? nil : String(decoding: log.serverNames[Int(record.serverName) - 1], as: UTF8.self)
        }
        #expect(names == ["one.example", "three.example", "two.example", nil])
        let all = collector.gateway.connections.all
        #expect(all.compactMap(\.facts.serverName).sorted() == ["one.example", "three.example", "two.example"])
        #expect(all.map(\.requests).sorted() == [0, 1, 1, 1, 1])
    }

    @Test func aRecordReplacedBeforeShippingNamesItsReplacement() throws {
        var a = try ReplicaRig()
        var b = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a", "b"])
        a.work { $0.send(after: 1) }
        b.work { rig in
            rig.send(to: JudgeRig.bob, after: 2)
            rig.send(to: JudgeRig.bob, after: 2)
        }
        try collector.take(a.frames(), of: 0)
        try collector.take(b.frames(), of: 1)
        collector.proceed()
        #expect(try (1...3).map { try Self.record(collector.gateway, $0)["replacedBy"]?.int64 } == [nil, 3, nil])
    }

    /// A manual clock is the same on all machines; a real one is not.
    @Test func aRealClockIsThatOfTheEngine() throws {
        for isReal in [false, true] {
            var frame = ReplicaFrame()
            var record = RequestRecord()
            record.time = Timestamp(milliseconds: 5000)
            record.clock = isReal ? record.time : Timestamp(milliseconds: 7000)
            frame.records.records = [record]
            (frame.isCurrent, frame.clockOffset) = (true, -1000)
            var collector = try CollectorRig(replicas: ["a"])
            try collector.take([frame], of: 0)
            collector.proceed()
            let own = collector.gateway.log.open.records[0]
            #expect(own.time.milliseconds == 4000 && own.clock.milliseconds == (isReal ? 4000 : 7000))
        }
    }

    @Test func recordsDeletedByAReplicaAreLeftOut() throws {
        var a = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a"])
        a.work { rig in for _ in 0..<3 { rig.send() } }
        #expect(a.rig.gateway.deleteRecords([2], foundIn: a.rig.gateway.log.snapshot) == 1)
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        let sequences = try (1...2).map { try Self.record(collector.gateway, $0)["replicaSequence"]?.int64 }
        #expect(sequences == [1, 3] && collector.gateway.log.latestSequence == 2)
    }

    @Test func adminAPIPushesHaveNoConnection() throws {
        var a = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a"])
        a.work { $0.sendAsAdmin() }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        #expect(try Self.record(collector.gateway, 1)["sentBy"]?.string == "admin")
        let summary = collector.gateway.summary(at: GatewayRig.now)
        #expect((summary.requests, summary.requestsByAdmin, summary.peakPerSecond) == (0, 1, 0))
        #expect(collector.gateway.connections.all.map(\.requests) == [0])
        a.work { $0.send() }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        #expect(collector.gateway.summary(at: GatewayRig.now).peakPerSecond == 1)
    }

    @Test func whatIsToldOfConnections() throws {
        var a = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a", "b"])
        let other = a.open(Self.facts(serverName: "api.push.apple.com"))
        a.work { $0.send(on: other) }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        var told = collector.gateway.takeEffects().compactMap { effect in
            if case .connection(let event)? = effect.event, case .opened = event.change {
                event.connection.id
            } else {
                nil
            }
        }
        #expect(told == [1, 2])
        for id in [1, 2] {
            let origin = collector.gateway.replicaConnection(id)
            #expect(origin?.replica == "a" && origin?.id == (id == 2 ? other : a.rig.connection))
        }
        #expect(collector.gateway.replicaConnection(3) == nil)
        a.close(other, pings: 3)
        try collector.take(a.frames(offset: 500), of: 0)
        collector.proceed()
        told = collector.gateway.takeEffects().compactMap { effect in
            if case .connection(let event)? = effect.event, case .closed = event.change {
                event.connection.id
            } else {
                nil
            }
        }
        #expect(told == [2])
        let closed = try #require(collector.gateway.connections[2])
        #expect((closed.teamID, closed.counters.pings, closed.requests) == ("DEF123GHIJ", 3, 1))
        #expect((closed.closedBy, closed.explanation) == (.fault, "It was broken."))
        #expect(closed.closedAt == GatewayRig.now.advanced(by: 500))
        // Its end is not told twice.
        let open = OpenConnection(id: other, number: other, facts: .example, openedAt: nil)
        let end = ConnectionEnd(of: open, by: .client, nil, ConnectionCounters())
        a.note(.connection(ConnectionEvent(.closed(end), ConnectionReference(id: other, number: other), at: nil)))
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        #expect(collector.gateway.connections.count == 2)
    }

    /// An update reaches its record however many came between, as far back as the log goes.
    @Test func anUpdateOfAnEarlyRecord() throws {
        var a = try ReplicaRig()
        var collector = try CollectorRig(logLimit: 3000, replicas: ["a"])
        a.work { rig in
            rig.send(to: JudgeRig.bob)
            for _ in 0..<2100 { rig.send(to: "none") }
        }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        try a.change("bob") { $0.isOnline = true }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        #expect(try Self.record(collector.gateway, 1)["delivery"]?.string == "Delivered to Device (From Storage)")
    }

    /// Without a log, updates are told of the latest thousand.
    @Test func updatesAreToldWithoutALog() throws {
        var a = try ReplicaRig()
        var collector = try CollectorRig(logLimit: 0, replicas: ["a"])
        a.work { rig in for _ in 0..<2049 { rig.send(to: "none") } }
        for sequence in [1025, 1026] {
            a.note(.update(UpdateEvent(of: sequence, RequestUpdate(outcome: .cancelled), clock: GatewayRig.now)))
        }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        let told = collector.gateway.takeUpdates().map(\.sequence)
        #expect(told == [1026])
    }

    /// The event of a record comes after it, and before the next one.
    @Test func eventsOfOneRunAreInOrder() throws {
        var a = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a"])
        a.work { $0.send(to: JudgeRig.bob) }
        try a.change("bob") { $0.isOnline = true }
        try a.change("bob") { $0.isOnline = false }
        a.work { $0.send(to: JudgeRig.bob) }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        let told = collector.gateway.takeUpdates().map(\.sequence)
        #expect(told == [1])
        let found = collector.gateway.devices.find(name: "bob")
        let bob = try #require(found)
        #expect(collector.gateway.state.mailboxes.stored(for: bob).map(\.sequence) == [2])
        #expect(!collector.gateway.devices[bob].isOnline)
    }

    @Test func waitsSeeWhatReplicasDecide() throws {
        var a = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a"])
        let (id, log) = try collector.gateway.beginWait(for: RequestMatch(), count: 2, after: 0)
        _ = collector.gateway.noteFound(log.found(RequestMatch(), after: 0), by: id)
        for expected in [0, 1] {
            a.work { $0.send() }
            try collector.take(a.frames(), of: 0)
            collector.proceed()
            #expect(collector.gateway.takeWoken().count == expected)
        }
    }

    // MARK: What records say without events

    /// The frame of a replica without its events, as if those were to come in the next one.
    private static func frame(
        of replica: inout ReplicaRig, _ change: (inout ReplicaFrame) -> Void = { _ in }
    ) throws -> ReplicaFrame {
        var frame = try #require(replica.frames().first)
        frame.events = []
        change(&frame)
        return frame
    }

    private static func stored(_ collector: borrowing CollectorRig, _ token: String = JudgeRig.bob) -> [Int] {
        guard let known = DeviceToken(hex: token), let device = collector.gateway.devices.find(known) else { return [] }
        return collector.gateway.view(of: device, at: GatewayRig.now).stored.map(\.sequence)
    }

    @Test func replacementsCountBeforeTheirNumberIsKnown() throws {
        var a = try ReplicaRig()
        var b = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a", "b"])
        a.work { $0.send(after: 1) }
        b.work { rig in
            rig.send(to: JudgeRig.bob, after: 2)
            rig.send(to: JudgeRig.bob, after: 2)
        }
        collector.merge.take(try Self.frame(of: &a), of: 0, in: 0, at: 0)
        collector.merge.take(try Self.frame(of: &b), of: 1, in: 1, at: 0)
        collector.proceed()
        // The number of the second is not known yet when the first comes, but that it is not stored any more is.
        #expect(try Self.record(collector.gateway, 2)["replacedBy"]?.int64 == nil)
        #expect(Self.stored(collector) == [3])
    }

    @Test func recordsMayBeReplacedAcrossReplicas() throws {
        let number = FleetOrder.firstNumber + 5
        var a = try ReplicaRig()
        var b = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a", "b"])
        a.work { $0.send(to: JudgeRig.bob, after: 1) }
        b.work { $0.send(to: JudgeRig.bob, after: 2) }
        let first = try Self.frame(of: &a) { $0.records.records[0].replacedBy = number }
        collector.merge.take(first, of: 0, in: 0, at: 0)
        collector.merge.take(try Self.frame(of: &b) { $0.numbers = [(1, number)] }, of: 1, in: 1, at: 0)
        collector.proceed()
        #expect(try Self.record(collector.gateway, 1)["replacedBy"]?.int64 == 2)
        #expect(Self.stored(collector) == [2])
    }

    /// A device that registered itself, of which the collector knows nothing else.
    @Test func pushesAreStoredEvenForUnknownDevices() throws {
        let token = String(repeating: "c1", count: 32)
        var a = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a"])
        a.work { $0.send(to: token, after: 1) }
        let frame = try Self.frame(of: &a) { $0.records.records[0].delivery = .storedOffline }
        collector.merge.take(frame, of: 0, in: 0, at: 0)
        collector.proceed()
        #expect(Self.stored(collector, token) == [1])
    }

    @Test(arguments: [false, true])
    func recordsMayLackATopicOrAToken(isTopic: Bool) throws {
        var a = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a"])
        a.work { $0.send(after: 1) }
        let frame = try Self.frame(of: &a) { frame in
            if isTopic {
                frame.records.records[0].topicRange = .absent
            } else {
                frame.records.records[0].tokenRange = .absent
            }
        }
        collector.merge.take(frame, of: 0, in: 0, at: 0)
        collector.proceed()
        let found = collector.gateway.devices.find(name: "alice")
        let alice = try #require(found)
        let view = collector.gateway.view(of: alice, at: GatewayRig.now)
        #expect(view.device.received == (isTopic ? 1 : 0))
        #expect(view.displayed.map(\.number) == (isTopic ? [nil] : []))
    }

    @Test func aConnectionOpensOnce() throws {
        var a = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a"])
        let frames = a.frames()
        try collector.take(frames, of: 0)
        try collector.take(frames, of: 0)
        collector.proceed()
        #expect(collector.gateway.connections.all.count == 1)
        let told = collector.gateway.takeEffects().count { if case .connection? = $0.event { true } else { false } }
        #expect(told == 1)
    }

    /// What is answered late may be stored meanwhile, and stays so.
    @Test func delayedAnswersLeaveStorageUnchanged() throws {
        let rule = #""rules": [{"then": {"pass": true, "delay": "1s"}}],"#
        var a = try ReplicaRig(rule)
        var collector = try CollectorRig("", rule, replicas: ["a"])
        var decision: Decision?
        a.work { decision = $0.send(to: JudgeRig.bob, after: 1) }
        a.control { gateway, now in
            if let response = decision?.response { gateway.abandon(response, at: now) }
            return []
        }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        #expect(try Self.record(collector.gateway, 1)["outcome"]?.string == "cancelled")
        #expect(Self.stored(collector) == [1])
    }

    @Test func aCallIsThatOfItsRecord() throws {
        var a = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a"])
        a.work { rig in
            rig.send(after: 1)
            rig.send(.publish(to: "AAAA"))
            rig.send(after: 1)
        }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        let calls = try (1...3).map { try Self.record(collector.gateway, $0)["call"]?.string }
        #expect(calls == [nil, "publish", nil])
        let requestID = try Self.record(a.rig.gateway, 2)["requestID"]?.string
        #expect(try requestID != nil && Self.record(collector.gateway, 2)["requestID"]?.string == requestID)
    }
}
