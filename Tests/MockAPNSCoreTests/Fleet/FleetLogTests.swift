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

    @Test func eachRecordHasTheServerNameOfItsConnection() throws {
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

    @Test func aRecordThatWasReplacedBeforeItWasShipped() throws {
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

    @Test func recordsThatAReplicaHasDeletedAreLeftOut() throws {
        var a = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a"])
        a.work { rig in for _ in 0..<3 { rig.send() } }
        #expect(a.rig.gateway.deleteRecords([2], foundIn: a.rig.gateway.log.snapshot) == 1)
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        let sequences = try (1...2).map { try Self.record(collector.gateway, $0)["replicaSequence"]?.int64 }
        #expect(sequences == [1, 3] && collector.gateway.log.latestSequence == 2)
    }

    @Test func aPushOfTheAdminAPIHasNoConnection() throws {
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
            if case .opened(let connection) = effect { connection.id } else { nil }
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
            if case .closed(let connection) = effect { connection.id } else { nil }
        }
        #expect(told == [2])
        let closed = try #require(collector.gateway.connections[2])
        #expect((closed.teamID, closed.counters.pings, closed.requests) == ("DEF123GHIJ", 3, 1))
        #expect((closed.closedBy, closed.explanation) == (.fault, "It was broken."))
        #expect(closed.closedAt == GatewayRig.now.advanced(by: 500))
        // Its end is not told twice.
        a.note(.closed(closed))
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
            a.note(.effect(.update(sequence: sequence, RequestUpdate(outcome: .cancelled), clock: GatewayRig.now)))
        }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        let told = collector.gateway.takeEffects().compactMap { effect in
            if case .update(let sequence, _, _) = effect { sequence } else { nil }
        }
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
        let told = collector.gateway.takeEffects().compactMap { effect in
            if case .update(let sequence, _, _) = effect { sequence } else { nil }
        }
        #expect(told == [1])
        let found = collector.gateway.devices.find(name: "bob")
        let bob = try #require(found)
        #expect(collector.gateway.mailboxes.stored(for: bob).map(\.sequence) == [2])
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
}
