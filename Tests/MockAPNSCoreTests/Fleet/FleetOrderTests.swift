import Testing

@testable import MockAPNSCore

/// In which order, and when, the items of frames are given out.
@Suite("The order of a fleet's log")
struct FleetOrderTests {
    /// A merge of the replicas a, b, c …
    private struct Rig {
        var merge = FleetMerge()

        init(_ count: Int) { for _ in 0..<count { _ = merge.add() } }

        /// The runs that are given out: the letter of the replica, the records, the events after a plus sign, and a
        /// full stop at the end of a frame.
        mutating func runs(at now: Int64? = nil) -> [String] {
            var runs: [String] = []
            while let run = merge.next(at: now) {
                let records = run.records.map { String(run.frame.firstSequence + $0) }.joined(separator: ",")
                let events = run.events.map { String($0 + 1) }.joined(separator: ",")
                let letter = ["a", "b", "c", "d"][run.replica]
                runs.append(letter + records + (events.isEmpty ? "" : "+" + events) + (run.isEnd ? "." : ""))
            }
            return runs
        }
    }

    /// A frame with records and events at these times.
    private static func frame(
        _ times: [Int64], from first: Int = 1, events: [(after: Int, time: Int64)] = []
    ) -> ReplicaFrame {
        var frame = ReplicaFrame()
        frame.records = RequestSegment(firstSequence: first)
        for time in times {
            var record = RequestRecord()
            record.time = Timestamp(milliseconds: time)
            frame.records.records.append(record)
        }
        for event in events {
            let time = Timestamp(milliseconds: event.time)
            frame.events.append(
                ReplicaEvent(after: event.after, time: time, .update(sequence: 1, RequestUpdate(), clock: time)))
        }
        return frame
    }

    /// A frame that says that nothing has happened up to this time.
    private static func nothing(until time: Int64, offset: Int64 = 0) -> ReplicaFrame {
        var frame = ReplicaFrame()
        (frame.isCurrent, frame.madeAt, frame.clockOffset) = (true, Timestamp(milliseconds: time), offset)
        return frame
    }

    @Test func replicasAreNumbered() {
        var merge = FleetMerge()
        #expect([merge.add(), merge.add(), merge.add()] == [0, 1, 2])
    }

    @Test func ofTheSameTimeTheFirstReplicaComesFirst() {
        var rig = Rig(2)
        rig.merge.take(Self.frame([5]), of: 0, at: 0)
        rig.merge.take(Self.frame([5]), of: 1, at: 0)
        #expect(rig.runs() == ["a1.", "b1."])
    }

    @Test func aRunGoesOnUntilAnotherReplicaIsEarlier() {
        var rig = Rig(3)
        rig.merge.take(Self.frame([5]), of: 0, at: 0)
        rig.merge.take(Self.frame([3, 4, 5, 6, 9]), of: 1, at: 0)
        rig.merge.take(Self.frame([7, 8]), of: 2, at: 0)
        #expect(rig.runs() == ["b1,2,3", "a1.", "b4", "c1,2.", "b5."])
        #expect(rig.merge.isEmpty)
    }

    /// A frame that is not the last of those made at once says only what has happened up to its last record.
    @Test func aFrameWithMoreBehindItPassesOnlyItsRecords() {
        var rig = Rig(2)
        var frame = Self.frame([10])
        frame.madeAt = Timestamp(milliseconds: 100)
        rig.merge.take(frame, of: 0, at: 0)
        rig.merge.take(Self.frame([20]), of: 1, at: 0)
        #expect(rig.runs(at: 0) == ["a1."])
        rig.merge.take(Self.nothing(until: 20), of: 0, at: 0)
        #expect(rig.runs(at: 0) == ["a.", "b1."])
    }

    @Test func whatHasPassedIsByTheEnginesClock() {
        var rig = Rig(2)
        rig.merge.take(Self.frame([10, 11]), of: 0, at: 0)
        rig.merge.take(Self.nothing(until: 1000, offset: -990), of: 1, at: 0)
        #expect(rig.runs(at: 0) == ["b.", "a1"])
    }

    @Test func whatIsNotOverdueGoesNoFurtherThanTheOthers() {
        var rig = Rig(2)
        rig.merge.take(Self.nothing(until: 20), of: 1, at: 0)
        rig.merge.take(Self.frame([10, 20, 30]), of: 0, at: 0)
        #expect(rig.runs(at: 49) == ["b.", "a1,2"])
        #expect(rig.runs(at: 50) == ["a3."])
    }

    @Test func whatIsOverdueTakesWhatIsBeforeItAlong() {
        var rig = Rig(4)
        rig.merge.take(Self.frame([30, 50, 60]), of: 0, at: 0)
        rig.merge.take(Self.frame([20, 40, 70]), of: 1, at: 40)
        rig.merge.take(Self.frame([55]), of: 3, at: 0)
        // Nothing has come from c.
        #expect(rig.runs(at: 49) == [])
        #expect(rig.runs(at: 50) == ["b1", "a1", "b2", "a2", "d1.", "a3."])
        #expect(rig.runs(at: 89) == [])
        #expect(rig.runs(at: 90) == ["b3."])
    }

    @Test func aReplicasOwnOrderHoldsWhenItsClockIsSetBack() {
        var rig = Rig(2)
        rig.merge.take(Self.frame([6]), of: 0, at: 0)
        #expect(rig.runs(at: 50) == ["a1."])
        rig.merge.take(Self.frame([3], from: 2), of: 0, at: 50)
        rig.merge.take(Self.frame([5]), of: 1, at: 50)
        #expect(rig.runs() == ["b1.", "a2."])
    }

    @Test func eventsComeAfterTheRecordThatTheyFollow() {
        var rig = Rig(2)
        rig.merge.take(Self.frame([10, 40], events: [(after: 1, time: 30), (after: 2, time: 45)]), of: 0, at: 0)
        rig.merge.take(Self.frame([20, 35, 42]), of: 1, at: 0)
        #expect(rig.runs() == ["a1", "b1", "a+1", "b2", "a2", "b3.", "a+2."])
    }

    @Test func anEventBeyondTheRecordsIsTheLast() {
        var rig = Rig(1)
        rig.merge.take(Self.frame([10], events: [(after: 9, time: 11)]), of: 0, at: 0)
        #expect(rig.runs() == ["a1+1."])
    }

    // MARK: Provider tokens

    private static func token(_ text: String, hash: UInt64) -> ProviderToken {
        ProviderToken(
            recorded: Array(text.utf8), hash: hash, keyID: nil, teamID: nil, issuedAt: nil, signatureForm: nil)
    }

    /// The tokens of a frame that holds these, after the merge.
    private static func merged(_ tokens: [ProviderToken], _ merge: inout FleetMerge) throws -> [ProviderToken] {
        var frame = Self.frame([1])
        frame.records.tokens = tokens
        merge.take(frame, of: 0, at: 0)
        let run = merge.next(at: nil)
        return try #require(run).frame.records.tokens
    }

    @Test func aTokenOfSeveralFramesIsTheSameObject() throws {
        var merge = FleetMerge()
        _ = merge.add()
        let first = Self.token("bearer a", hash: 1)
        #expect(try Self.merged([first, Self.token("bearer b", hash: 2)], &merge)[0] === first)
        let known = try Self.merged([Self.token("bearer a", hash: 1)], &merge)
        #expect(known[0] === first)
        let other = Self.token("bearer c", hash: 1)
        #expect(try Self.merged([other], &merge)[0] === other)
    }

    @Test func onlySoManyTokensAreRemembered() throws {
        var merge = FleetMerge()
        _ = merge.add()
        let tokens = (0..<RequestLog.tokenLimit).map { Self.token("bearer a", hash: UInt64($0)) }
        _ = try Self.merged(tokens, &merge)
        #expect(try Self.merged([Self.token("bearer a", hash: 0)], &merge)[0] === tokens[0])
        _ = try Self.merged([Self.token("bearer a", hash: .max)], &merge)
        #expect(try Self.merged([Self.token("bearer a", hash: 0)], &merge)[0] !== tokens[0])
    }
}
