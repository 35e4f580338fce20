import Testing

@testable import MockAPNSCore

/// In which order, and when, the items of frames are given out.
@Suite("The order of a fleet's log")
struct FleetOrderTests {
    /// A merge of the replicas a, b, c …
    private struct Rig {
        var merge = FleetMerge()
        private let streams: Set<Int>

        init(_ count: Int) {
            streams = Set(0..<count)
            for _ in streams { _ = merge.addStream() }
        }

        /// What is given out after the streams were read, all but these to their ends.
        mutating func runs(at now: Int64, behind: Set<Int> = []) -> [String] {
            merge.noteEnds(of: streams.subtracting(behind), at: now)
            return runs(through: nil)
        }

        /// The runs that are given out: the letter of the replica, the records, the events after a plus sign, and a
        /// full stop at the end of a frame.
        mutating func runs(through mark: StreamID? = .max) -> [String] {
            var runs: [String] = []
            while let run = merge.next(through: mark) {
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
                LoggedEvent(
                    .update(UpdateEvent(of: 1, RequestUpdate(), clock: time)), at: time, after: event.after))
        }
        return frame
    }

    /// A frame that says that nothing has happened up to this time.
    private static func nothing(until time: Int64, offset: Int64 = 0) -> ReplicaFrame {
        var frame = ReplicaFrame()
        (frame.isCurrent, frame.madeAt, frame.clockOffset) = (true, Timestamp(milliseconds: time), offset)
        return frame
    }

    @Test func streamsAreNumbered() {
        var merge = FleetMerge()
        #expect([merge.addStream(), merge.addStream(), merge.addStream()] == [0, 1, 2])
    }

    @Test func equalTimesAreOrderedByReplica() {
        var rig = Rig(2)
        rig.merge.take(Self.frame([5]), of: 0, in: 0, at: 0)
        rig.merge.take(Self.frame([5]), of: 1, in: 1, at: 0)
        #expect(rig.runs() == ["a1.", "b1."])
    }

    @Test func runsContinueUntilAnotherReplicaIsEarlier() {
        var rig = Rig(3)
        rig.merge.take(Self.frame([5]), of: 0, in: 0, at: 0)
        rig.merge.take(Self.frame([3, 4, 5, 6, 9]), of: 1, in: 1, at: 0)
        rig.merge.take(Self.frame([7, 8]), of: 2, in: 2, at: 0)
        #expect(rig.runs() == ["b1,2,3", "a1.", "b4", "c1,2.", "b5."])
        #expect(rig.merge.isEmpty)
    }

    /// A frame that is not the last of those made at once says only what has happened up to its last record.
    @Test func framesFollowedByMorePassOnlyTheirRecords() {
        var rig = Rig(2)
        var frame = Self.frame([10])
        frame.madeAt = Timestamp(milliseconds: 100)
        rig.merge.take(frame, of: 0, in: 0, at: 0)
        rig.merge.take(Self.frame([20]), of: 1, in: 1, at: 0)
        #expect(rig.runs(at: 0) == ["a1."])
        rig.merge.take(Self.nothing(until: 20), of: 0, in: 0, at: 0)
        #expect(rig.runs(at: 0) == ["a.", "b1."])
    }

    @Test func whatHasPassedIsByTheEnginesClock() {
        var rig = Rig(2)
        rig.merge.take(Self.frame([10, 11]), of: 0, in: 0, at: 0)
        rig.merge.take(Self.nothing(until: 1000, offset: -990), of: 1, in: 1, at: 0)
        #expect(rig.runs(at: 0) == ["b.", "a1"])
    }

    @Test func recordsGoNoFurtherThanOthersUntilOverdue() {
        var rig = Rig(2)
        rig.merge.take(Self.nothing(until: 20), of: 1, in: 1, at: 0)
        rig.merge.take(Self.frame([10, 20, 30]), of: 0, in: 0, at: 0)
        #expect(rig.runs(at: 49) == ["b.", "a1,2"])
        #expect(rig.runs(at: 50) == ["a3."])
    }

    @Test func overdueRecordsTakeEarlierOnesAlong() {
        var rig = Rig(4)
        rig.merge.take(Self.frame([30, 50, 60]), of: 0, in: 0, at: 0)
        rig.merge.take(Self.frame([20, 40, 70]), of: 1, in: 1, at: 40)
        rig.merge.take(Self.frame([55]), of: 3, in: 3, at: 0)
        // Nothing has come from c.
        #expect(rig.runs(at: 49) == [])
        #expect(rig.runs(at: 50) == ["b1", "a1", "b2", "a2", "d1.", "a3."])
        #expect(rig.runs(at: 89) == [])
        #expect(rig.runs(at: 90) == ["b3."])
    }

    @Test func replicasKeepTheirOrderWhenClocksGoBack() {
        var rig = Rig(2)
        rig.merge.take(Self.frame([6]), of: 0, in: 0, at: 0)
        #expect(rig.runs(at: 50) == ["a1."])
        rig.merge.take(Self.frame([3], from: 2), of: 0, in: 0, at: 50)
        rig.merge.take(Self.frame([5]), of: 1, in: 1, at: 50)
        #expect(rig.runs() == ["b1.", "a2."])
    }

    @Test func eventsComeAfterTheRecordThatTheyFollow() {
        var rig = Rig(2)
        let frame = Self.frame([10, 40], events: [(after: 1, time: 30), (after: 2, time: 45)])
        rig.merge.take(frame, of: 0, in: 0, at: 0)
        rig.merge.take(Self.frame([20, 35, 42]), of: 1, in: 1, at: 0)
        #expect(rig.runs() == ["a1", "b1", "a+1", "b2", "a2", "b3.", "a+2."])
    }

    @Test func anEventBeyondTheRecordsIsTheLast() {
        var rig = Rig(1)
        rig.merge.take(Self.frame([10], events: [(after: 9, time: 11)]), of: 0, in: 0, at: 0)
        #expect(rig.runs() == ["a1+1."])
    }

    // MARK: Streams of which there is more

    @Test func streamsWithMoreToReadAreAwaited() {
        var rig = Rig(2)
        rig.merge.take(Self.frame([10, 20]), of: 0, in: 0, at: 0)
        rig.merge.take(Self.frame([10_000]), of: 1, in: 1, at: 0)
        #expect(rig.merge.isBehind)
        #expect(rig.runs(through: nil) == ["a1,2."])
        #expect(rig.runs(at: 50, behind: [0]) == [])
        rig.merge.take(Self.frame([30], from: 3), of: 0, in: 0, at: 60)
        #expect(rig.runs(at: 60, behind: [0]) == ["a3."])
        #expect(rig.merge.isBehind)
        #expect(rig.runs(at: 61) == ["b1."])
        #expect(!rig.merge.isBehind && rig.merge.lateCount == 0)
    }

    /// A stream that was read to its end has nothing to say while another one is read on.
    @Test func fullyReadStreamsAreNotAwaitedLonger() {
        var rig = Rig(3)
        rig.merge.take(Self.frame([10, 20]), of: 0, in: 0, at: 0)
        rig.merge.take(Self.frame([15, 30]), of: 1, in: 1, at: 0)
        #expect(rig.runs(at: 49, behind: [0]) == [])
        #expect(rig.runs(at: 50, behind: [0]) == ["a1", "b1", "a2."])
        #expect(rig.runs(at: 50) == ["b2."])
    }

    @Test func endedStreamsAreAwaitedUntilRead() {
        for isLast in [true, false] {
            var rig = Rig(2)
            var frame = Self.frame([10])
            frame.isLast = isLast
            rig.merge.take(frame, of: 1, in: 1, at: 0)
            rig.merge.setLiving(false, 1)
            rig.merge.take(Self.frame([20, 30]), of: 0, in: 0, at: 0)
            #expect(rig.runs(at: 50, behind: [1]) == ["b1."])
            #expect(rig.runs(at: 50) == ["a1,2."])
        }
    }

    @Test func streamsAwaitingOthersAreNotReadFurther() {
        var rig = Rig(2)
        for number in 1...15 {
            rig.merge.take(Self.frame([Int64(number) * 10], from: number), of: 1, in: 1, at: 0)
        }
        #expect(!rig.merge.isFull(0) && !rig.merge.isFull(1))
        rig.merge.take(Self.frame([160], from: 16), of: 1, in: 1, at: 0)
        #expect(rig.merge.isFull(1))
        // The other one has passed the first of them.
        rig.merge.take(Self.nothing(until: 10), of: 0, in: 0, at: 0)
        #expect(!rig.merge.isFull(1))
        #expect(rig.runs(at: 0, behind: [0, 1]) == ["a.", "b1."])
        rig.merge.take(Self.frame([170], from: 17), of: 1, in: 1, at: 0)
        #expect(rig.merge.isFull(1) && !rig.merge.isFull(0))
        _ = rig.runs(at: 0)
        #expect(!rig.merge.isFull(1))
    }

    @Test func heldBackStreamsAreNotReadFurther() {
        let end = StreamID(milliseconds: 5, number: 0)
        var merge = FleetMerge()
        _ = merge.addStream(after: end)
        merge.end = end
        for number in 1...15 { merge.take(Self.frame([10], from: number), of: 0, in: 0, at: 0) }
        #expect(!merge.isFull(0))
        merge.take(Self.frame([10], from: 16), of: 0, in: 0, at: 0)
        #expect(merge.isFull(0))
    }

    @Test func heldBackStreamsAreNotAwaited() {
        let end = StreamID(milliseconds: 5, number: 0)
        var merge = FleetMerge()
        #expect(merge.addStream(after: end) == 0 && merge.addStream() == 1)
        merge.end = end
        merge.take(Self.nothing(until: 10), of: 0, in: 0, at: 0)
        merge.take(Self.frame([20]), of: 1, in: 1, at: 0)
        merge.noteEnds(of: [0, 1], at: 0)
        #expect(merge.next()?.replica == 1)
    }

    @Test func overdueFramesAreGivenOutWhole() {
        var rig = Rig(2)
        rig.merge.take(Self.frame([20, 30]), of: 0, in: 0, at: 0)
        rig.merge.take(Self.nothing(until: 10), of: 1, in: 1, at: 0)
        #expect(rig.runs(at: 49) == ["b."])
        #expect(rig.runs(at: 50) == ["a1,2."])
    }

    /// Else nothing would go on.
    @Test func theStreamAllAwaitIsReadFurther() {
        var rig = Rig(2)
        // Its clock was set back within a frame.
        for number in 1...16 { rig.merge.take(Self.frame([9, 5], from: number), of: 0, in: 0, at: 0) }
        rig.merge.take(Self.frame([7]), of: 1, in: 1, at: 0)
        #expect(rig.runs(through: nil) == [])
        #expect(!rig.merge.isFull(0))
    }

    @Test func eventsSayWhatHasPassedToo() {
        var rig = Rig(2)
        rig.merge.take(Self.frame([], events: [(after: 0, time: 30)]), of: 0, in: 0, at: 0)
        rig.merge.take(Self.frame([20, 40]), of: 1, in: 1, at: 0)
        #expect(rig.runs(at: 0, behind: [0, 1]) == ["b1", "a+1."])
    }

    // MARK: Marks

    /// A frame with records at these times, with which everything before a mark is here.
    private static func answer(_ mark: UInt64, _ times: [Int64], from first: Int = 1) -> ReplicaFrame {
        var frame = Self.frame(times, from: first)
        (frame.isCurrent, frame.madeAt) = (true, Timestamp(milliseconds: times.last ?? 0))
        frame.mark = StreamID(milliseconds: mark, number: 0)
        return frame
    }

    @Test func aMarkReleasesNoMoreThanItNeeds() {
        // There is more to read of c.
        var rig = Rig(3)
        rig.merge.take(Self.answer(7, [10]), of: 0, in: 0, at: 0)
        rig.merge.take(Self.answer(8, [20], from: 2), of: 0, in: 0, at: 0)
        rig.merge.take(Self.frame([30], from: 3), of: 0, in: 0, at: 0)
        rig.merge.take(Self.answer(8, [5]), of: 1, in: 1, at: 0)
        rig.merge.take(Self.frame([19, 40], from: 2), of: 1, in: 1, at: 0)
        #expect(rig.runs(through: StreamID(milliseconds: 7, number: 0)) == ["b1.", "a1."])
        #expect(rig.runs(through: StreamID(milliseconds: 8, number: 0)) == ["b2", "a2."])
        #expect(rig.runs() == ["a3.", "b3."])
    }

    @Test func marksReleaseNothingFromLaterStreams() {
        var merge = FleetMerge()
        // There is more to read of this one.
        _ = merge.addStream()
        let stream = merge.addStream(after: StreamID(milliseconds: 8, number: 0))
        merge.take(Self.frame([30]), of: 0, in: stream, at: 0)
        #expect(merge.next(through: StreamID(milliseconds: 8, number: 0)) == nil)
        #expect(merge.next(through: StreamID(milliseconds: 8, number: 1)) != nil)
    }

    // MARK: What is not in order

    @Test func withinAFrameAReplicaIsNeverLate() {
        var rig = Rig(2)
        rig.merge.take(Self.frame([2000, 1000]), of: 0, in: 0, at: 0)
        #expect(rig.runs().count == 1)
        #expect(rig.merge.lateCount == 0 && rig.merge.closeCount == 0)
    }

    /// A replica's clock may be set back; that of another process under its name is another clock.
    @Test(arguments: [(0, 0), (1, 1)])
    func aReplicaIsNeverLaterThanItself(replica: Int, lateCount: Int) {
        var rig = Rig(2)
        rig.merge.take(Self.frame([2000]), of: 0, in: 0, at: 0)
        rig.merge.take(Self.frame([1000], from: 2), of: replica, in: 0, at: 0)
        #expect(rig.runs().count == 2)
        #expect(rig.merge.lateCount == lateCount)
    }

    @Test func replicasRequestsMayBeTooCloseToOrder() {
        var rig = Rig(2)
        rig.merge.take(Self.frame([100, 110, 300], events: [(after: 0, time: 90)]), of: 0, in: 0, at: 0)
        rig.merge.take(Self.frame([159, 250, 1000], events: [(after: 3, time: 1001)]), of: 1, in: 1, at: 0)
        #expect(rig.runs() == ["a1,2+1", "b1,2", "a3.", "b3+1."])
        #expect(rig.merge.closeCount == 1 && rig.merge.lateCount == 0)
    }

    @Test func closenessIsThatOfTheEnginesClock() {
        var rig = Rig(2)
        rig.merge.take(Self.frame([100]), of: 0, in: 0, at: 0)
        var frame = Self.frame([1120])
        frame.clockOffset = -1000
        rig.merge.take(frame, of: 1, in: 1, at: 0)
        #expect(rig.runs() == ["a1.", "b1."])
        #expect(rig.merge.closeCount == 1 && rig.merge.lateCount == 0)
    }

    @Test func latenessIsThatOfTheEnginesClock() {
        var rig = Rig(2)
        var frame = Self.frame([2000])
        frame.clockOffset = -1000
        rig.merge.take(frame, of: 0, in: 0, at: 0)
        #expect(rig.runs(at: 50) == ["a1."])
        rig.merge.take(Self.frame([950]), of: 1, in: 1, at: 50)
        #expect(rig.runs(at: 100) == ["b1."])
        // That it is just so late leaves it uncertain.
        #expect(rig.merge.lateCount == 0 && rig.merge.closeCount == 1)
    }

    /// What comes after the end is not waited for, however little of it is here.
    @Test func streamsHeldAtTheEndDelayNoOthers() {
        let end = StreamID(milliseconds: 8, number: 0)
        var merge = FleetMerge()
        let (held, other) = (merge.addStream(after: end), merge.addStream())
        merge.end = end
        for number in 0..<16 { merge.take(Self.frame([Int64(10 + number)]), of: 0, in: held, at: 0) }
        merge.take(Self.frame([500]), of: 1, in: other, at: 0)
        merge.noteEnds(of: [held, other], at: 1)
        #expect(merge.isFull(held))
        #expect(merge.next()?.replica == 1)
        #expect(merge.next() == nil)
        merge.end = nil
        #expect(!merge.isFull(held))
        #expect(merge.next()?.replica == 0)
    }

    @Test func requestsThatComeTooLateAreCounted() {
        var rig = Rig(2)
        rig.merge.take(Self.frame([1000]), of: 0, in: 0, at: 0)
        #expect(rig.runs(at: 50) == ["a1."])
        rig.merge.take(Self.frame([948]), of: 1, in: 1, at: 50)
        rig.merge.take(Self.frame([949, 950], from: 2), of: 1, in: 1, at: 50)
        #expect(rig.runs(at: 100) == ["b1.", "b2,3."])
        #expect(rig.merge.lateCount == 2 && rig.merge.closeCount == 0)
        rig.merge.take(Self.frame([951, 2000], from: 4), of: 1, in: 1, at: 100)
        rig.merge.take(Self.frame([1000], from: 2), of: 0, in: 0, at: 100)
        #expect(rig.runs(at: 150) == ["b4", "a2.", "b5."])
        #expect(rig.merge.lateCount == 2 && rig.merge.closeCount == 1)
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
        merge.take(frame, of: 0, in: 0, at: 0)
        let run = merge.next(through: .max)
        return try #require(run).frame.records.tokens
    }

    @Test func framesShareOneObjectPerToken() throws {
        var merge = FleetMerge()
        _ = merge.addStream()
        let first = Self.token("bearer a", hash: 1)
        #expect(try Self.merged([first, Self.token("bearer b", hash: 2)], &merge)[0] === first)
        let known = try Self.merged([Self.token("bearer a", hash: 1)], &merge)
        #expect(known[0] === first)
        let other = Self.token("bearer c", hash: 1)
        #expect(try Self.merged([other], &merge)[0] === other)
    }

    @Test func onlySoManyTokensAreRemembered() throws {
        var merge = FleetMerge()
        _ = merge.addStream()
        let tokens = (0..<RequestLog.tokenLimit).map { Self.token("bearer a", hash: UInt64($0)) }
        _ = try Self.merged(tokens, &merge)
        #expect(try Self.merged([Self.token("bearer a", hash: 0)], &merge)[0] === tokens[0])
        _ = try Self.merged([Self.token("bearer a", hash: .max)], &merge)
        #expect(try Self.merged([Self.token("bearer a", hash: 0)], &merge)[0] !== tokens[0])
    }
}
