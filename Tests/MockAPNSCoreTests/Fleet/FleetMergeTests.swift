import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

@Suite("The log of a fleet")
struct FleetMergeTests {
    private func record(_ gateway: borrowing Gateway, _ sequence: Int) throws -> JSONText.Value {
        try JSONText.read(try #require(gateway.log.snapshot.record(sequence)))
    }

    @Test func requestsAreOrderedByTheEnginesClock() throws {
        var a = try ReplicaRig()
        var b = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a", "b"])
        // The clock of b is 1 s ahead.
        b.rig.time.milliseconds += 1000
        for _ in 0..<3 {
            a.work { _ = $0.send(after: 10) }
            b.work { _ = $0.send(to: JudgeRig.bob, after: 9) }
        }
        try collector.take(b.frames(offset: -1000), of: 1)
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        let records = try (1...6).map { try record(collector.gateway, $0) }
        #expect(records.map { $0["replica"]?.string } == ["b", "a", "b", "a", "b", "a"])
        #expect(records.map { $0["replicaSequence"]?.int64 } == [1, 1, 2, 2, 3, 3])
        #expect(records.map { $0["sequence"]?.int64 } == [1, 2, 3, 4, 5, 6])
        #expect(Set(records.map { $0["connectionID"]?.int64 }).count == 2)
        #expect(records[0]["time"]?.string == GatewayRig.now.advanced(by: 9).text)
    }

    @Test func framesAreHeldBackUntilOthersPassThem() throws {
        var a = try ReplicaRig()
        var b = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a", "b"])
        a.work { _ = $0.send(after: 10) }
        try collector.take(a.frames(), of: 0, at: 100)
        collector.proceed(at: 149)
        #expect(collector.gateway.log.latestSequence == 0)
        b.rig.time.milliseconds += 5
        try collector.take(b.frames(), of: 1, at: 149)
        collector.proceed(at: 149)
        #expect(collector.gateway.log.latestSequence == 0)
        b.rig.time.milliseconds += 5
        try collector.take(b.frames(isNeeded: true), of: 1, at: 149)
        collector.proceed(at: 149)
        #expect(collector.gateway.log.latestSequence == 1)
        a.work { _ = $0.send(after: 10) }
        try collector.take(a.frames(), of: 0, at: 200)
        collector.proceed(at: 249)
        #expect(collector.gateway.log.latestSequence == 1)
        collector.proceed(at: 250)
        #expect(collector.gateway.log.latestSequence == 2)
        #expect(collector.merge.isEmpty)
    }

    @Test func silentReplicasThatOthersAwaitAreAsked() throws {
        var a = try ReplicaRig()
        var b = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a", "b"])
        #expect(collector.merge.silent(at: 100, for: 15) == [])
        a.work { _ = $0.send(after: 10) }
        try collector.take(a.frames(), of: 0, at: 100)
        collector.proceed(at: 100)
        #expect(collector.merge.silent(at: 100, for: 15) == [1])
        // A stream with more to read is read before it can be silent.
        collector.proceed(at: 100, behind: [1])
        #expect(collector.merge.silent(at: 100, for: 15) == [])
        try collector.take(b.frames(isNeeded: true), of: 1, at: 102)
        collector.proceed(at: 102)
        #expect(collector.merge.silent(at: 117, for: 15) == [])
        #expect(collector.merge.silent(at: 118, for: 15) == [1])
        // It has passed what the other has brought.
        b.rig.time.milliseconds += 10
        try collector.take(b.frames(isNeeded: true), of: 1, at: 119)
        collector.proceed(at: 119)
        #expect(collector.gateway.log.latestSequence == 1)
        #expect(collector.merge.silent(at: 149, for: 15) == [])
    }

    /// A call that is about to be carried out divides what every replica decided.
    @Test func nothingPassesTheMarkThatIsTheEnd() throws {
        var a = try ReplicaRig()
        var b = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a", "b"])
        let end = StreamID(milliseconds: 7, number: 0)
        collector.merge.end = end
        a.work { _ = $0.send(after: 10) }
        try collector.take(a.frames(mark: end), of: 0)
        a.work { _ = $0.send(after: 10) }
        try collector.take(a.frames(mark: end), of: 0)
        b.rig.time.milliseconds += 90
        b.work { _ = $0.send(after: 10) }
        try collector.take(b.frames(mark: .zero), of: 1)
        // What b decided before the call is not known yet: a need not be read, and b has to be.
        collector.proceed(at: 1000, behind: [0])
        #expect(collector.gateway.log.latestSequence == 2)
        #expect(!collector.merge.isBehind)
        try collector.take(b.frames(mark: end, isNeeded: true), of: 1)
        collector.proceed()
        #expect(collector.gateway.log.latestSequence == 2)
        collector.merge.end = nil
        #expect(collector.merge.isBehind)
        collector.proceed(at: 2000)
        #expect(collector.gateway.log.latestSequence == 3)
        #expect(try record(collector.gateway, 3)["replica"]?.string == "a")
    }

    @Test func endedOrDeadReplicasAreNotAwaited() throws {
        for isDead in [false, true] {
            var a = try ReplicaRig()
            var b = try ReplicaRig()
            var collector = try CollectorRig(replicas: ["a", "b"])
            a.work { _ = $0.send(after: 10) }
            if isDead { collector.merge.setLiving(false, 1) } else { try collector.take(b.frames(isLast: true), of: 1) }
            try collector.take(a.frames(), of: 0)
            collector.proceed(at: 0)
            #expect(collector.gateway.log.latestSequence == 1)
        }
    }

    /// Whatever the replicas, the merged log judges as one server would that had taken everything.
    @Test func theMergedLogJudgesAsOneServer() throws {
        let expectations = #"""
            {"requests": {"status": 200}, "count": 40}, {"requests": {"device": "bob"}, "count": 20},
            {"requests": {}, "distinct": "token", "count": 2}, {"connections": 2}, {"providerTokens": 1}, {"pings": 5},
            {"device": "alice", "received": 20}, {"device": "bob", "stored": 0},
            {"requests": {"delivery": "Delivered to Device (From Storage)"}, "count": 2},
            {"nothingElse": true}
            """#
        var a = try ReplicaRig()
        var b = try ReplicaRig()
        var collector = try CollectorRig(expectations, replicas: ["a", "b"])
        for _ in 0..<10 {
            a.work { _ = $0.send(after: 3) }
            b.work { _ = $0.send(after: 3) }
            a.work { _ = $0.send(to: JudgeRig.bob, after: 3) }
            b.work { _ = $0.send(to: JudgeRig.bob, after: 3) }
            try collector.take(a.frames(), of: 0)
            try collector.take(b.frames(), of: 1)
        }
        try a.change("bob") { $0.isOnline = true }
        try b.change("bob") { $0.isOnline = true }
        a.close(a.rig.connection, pings: 2)
        b.close(b.rig.connection, pings: 3)
        try collector.take(a.frames(isLast: true), of: 0)
        try collector.take(b.frames(isLast: true), of: 1)
        collector.proceed()
        let verification = collector.gateway.verificationInput(at: GatewayRig.now).verify()
        #expect(verification.passed, "\(verification)")
        let (sum, own) = (collector.gateway.summary(at: GatewayRig.now), a.rig.gateway.summary(at: GatewayRig.now))
        #expect(sum.requests == 40 && sum.byStatus.map(\.count) == [40] && sum.connectionsOpened == 2)
        #expect(sum.byTopic.map(\.count) == [2 * own.byTopic[0].count])
        #expect(sum.latency.count == 40 && sum.connectionsOpen == 0)
    }

    @Test func anUpdateReachesTheRecordOfItsReplica() throws {
        var a = try ReplicaRig()
        var b = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a", "b"])
        a.work { _ = $0.send(after: 5) }
        b.work { _ = $0.send(to: JudgeRig.bob, after: 10) }
        try collector.take(a.frames(), of: 0)
        try collector.take(b.frames(), of: 1)
        collector.proceed()
        _ = collector.gateway.takeEffects()
        // The newer one replaces the one that was shipped before.
        b.work { _ = $0.send(to: JudgeRig.bob, after: 10) }
        try collector.take(b.frames(), of: 1)
        collector.proceed()
        #expect(try record(collector.gateway, 2)["replacedBy"]?.int64 == 3)
        #expect(try record(collector.gateway, 3)["delivery"]?.string == "Stored - Device Offline")
        let updates = collector.gateway.takeUpdates()
        #expect(updates.map(\.sequence) == [2] && updates.map(\.change.replacedBy) == [3])
    }

    @Test func anIncompleteFleetFailsEveryExpectation() throws {
        let collector = try CollectorRig(#"{"requests": {}, "count": 0}, {"connections": 0}"#, replicas: ["a"])
        var input = collector.gateway.verificationInput(at: GatewayRig.now)
        #expect(input.verify().passed)
        input.fleetGap = "replica a has died"
        #expect(
            input.verify().results.map(\.seen) == [
                "unknown: replica a has died", "unknown: replica a has died", "replica a has died",
            ])
    }

    @Test func incompleteFleetsAreJudgedIfAllowed() throws {
        let collector = try CollectorRig(#"{"requests": {}, "count": 0}"#, replicas: ["a"])
        var input = collector.gateway.verificationInput(at: GatewayRig.now)
        (input.fleetGap, input.allowsMissing) = ("replica a has died", true)
        input.remarks = ["1 request came late."]
        let verification = input.verify()
        #expect(verification.passed && verification.results.count == 1)
        let remarks = ["The fleet is not complete: replica a has died.", "1 request came late."]
        #expect(verification.remarks == remarks)
        #expect(
            verification.description
                == "The expectation holds.\nThe fleet is not complete: replica a has died.\n1 request came late.\n")
        // They are told whoever asked, and in each form.
        let read = try #require(Verification(try JSONText.read(verification.json)))
        #expect(read.remarks == remarks && read.description == verification.description)
        let report = Report(read, of: Scenario())
        #expect(report.junit.contains("<system-out>\(remarks[0])\n\(remarks[1])</system-out>"))
        #expect(report.markdown.hasPrefix("## ✅ mock-apns\n\n**The expectation holds.**\n\n- The fleet is not"))
        // Without any, there is no such member.
        let plain = try JSONText.read(collector.gateway.verificationInput(at: GatewayRig.now).verify().json)
        #expect(plain["remarks"] == nil && plain["passed"]?.bool == true)
    }

    /// The log of a collector is a log as any other.
    @Test func aLogWithReplicasIsReadAgain() throws {
        var a = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a"])
        a.work { _ = $0.send() }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        var (writer, line) = (RecordWriter(), [UInt8]())
        try #require(collector.gateway.log.appendLine(of: 1, using: &writer, to: &line))
        let text = String(decoding: line, as: UTF8.self)
        #expect(text.hasPrefix(#"{"event":"request","sequence":1,"replica":"a","replicaSequence":1,"time":"#))
        #expect(try RecordedLog.read(line).input.log.count(RequestMatch()) == 1)
    }
}
