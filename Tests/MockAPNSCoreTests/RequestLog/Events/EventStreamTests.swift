import GatewayRigs
import Testing

@testable import MockAPNSCore

/// What streams of events tell, in which order, and what they leave out.
@Suite struct EventStreamTests {
    /// A log and other events, and one stream of both.
    private struct Rig {
        var log: RequestLog
        var others = LatestEvents()
        var stream: EventStream
        var time: Int64 = 0
        let push = RecordedPush.ordinary()

        init(limit: Int = GatewayConfiguration.defaultLogLimit) {
            log = RequestLog(limit: limit)
            stream = EventStream(after: EventPosition(), in: EventSnapshot(log: log.snapshot, others: others))
        }

        var snapshot: EventSnapshot { EventSnapshot(log: log.snapshot, others: others) }

        mutating func send(_ count: Int = 1) { push.append(to: &log, times: count) }

        mutating func happen(_ event: LogEvent) {
            others.append(LoggedEvent(event, at: Timestamp(milliseconds: 0), after: log.latestSequence))
        }

        mutating func update(_ sequence: Int) {
            happen(.update(UpdateEvent(of: sequence, RequestUpdate(replacedBy: 9), clock: .init(milliseconds: 0))))
        }

        mutating func moveClock() {
            happen(.clock(ClockEvent(from: Timestamp(milliseconds: 0), to: Timestamp(milliseconds: 1))))
        }

        mutating func reset() {
            log = RequestLog(limit: log.limit, removals: log.removals + 1)
            happen(.reset)
        }

        /// What the stream tells some time later: ids and names, as in `17-3 request`; of a request its number, too.
        mutating func told(after milliseconds: Int64 = 50) throws -> [String] {
            time += milliseconds
            var bytes: [UInt8] = []
            let canAppend = stream.canAppend(upTo: snapshot.latest, at: time)
            repeat { stream.append(from: snapshot, at: time, to: &bytes) } while stream.hasMore
            let text = try #require(String(validating: bytes, as: UTF8.self))
            #expect(canAppend || text.isEmpty)
            guard !text.isEmpty else { return [] }
            #expect(text.hasSuffix("\n\n"))
            return try text.dropLast(2).split(separator: "\n\n").map { block in
                let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
                try #require(lines.count == 3 && lines[0].hasPrefix("id: ") && lines[2].hasPrefix("data: "))
                let data = try parse(String(lines[2].dropFirst(6)))
                let name = try #require(data["event"] as? String)
                #expect(lines[1] == "event: \(name)")
                let id = lines[0].dropFirst(4)
                switch name {
                case "request": return "\(id) request \(try #require(data["sequence"] as? Int))"
                case "lagged":
                    let range = [data["from"], data["to"], data["skipped"]].map { ($0 as? Int).map { "\($0)" } ?? "-" }
                    return "\(id) lagged \(range.joined(separator: " "))"
                default: return "\(id) \(name)"
                }
            }
        }
    }

    @Test func requestsAndLatestEventsComeInTheirOrder() throws {
        var rig = Rig()
        #expect(try rig.told() == [])
        rig.moveClock()
        rig.send(2)
        rig.update(1)
        rig.update(2)
        rig.send()
        #expect(
            try rig.told() == [
                "0-1 clock", "1-1 request 1", "2-1 request 2", "2-2 update", "2-3 update", "3-3 request 3",
            ])
        #expect(try rig.told() == [])
        rig.moveClock()
        #expect(try rig.told() == ["3-4 clock"])
    }

    @Test func anEventIsTheLineOfTheLog() throws {
        var rig = Rig()
        rig.send()
        var bytes: [UInt8] = []
        rig.stream.append(from: rig.snapshot, at: 0, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "id: 1-0\nevent: request\ndata: \(try rig.log.line(of: 1))\n")
    }

    @Test func aStreamGoesOnWhereAnotherEnded() throws {
        var rig = Rig()
        rig.send(2)
        rig.moveClock()
        rig.send(2)
        let all = try rig.told()
        #expect(all.count == 5)
        for (place, event) in all.enumerated() {
            let id = try #require(event.split(separator: " ").first)
            let position = try #require(EventPosition(String(id)))
            #expect(position.description == id)
            rig.stream = EventStream(after: position, in: rig.snapshot)
            #expect(try rig.told() == Array(all[(place + 1)...]))
        }
    }

    @Test(arguments: ["", "-", "1", "1-", "-1", "1-2-3", "+1-2", "1--2", "a-b", "99999999999999999999-1", " 1-2"])
    func noOtherTextIsAPosition(text: String) { #expect(EventPosition(text) == nil) }

    @Test(arguments: [EventPosition(sequence: 9, number: 0), EventPosition(sequence: 0, number: 9)])
    func aPositionOfAnotherRunMeansNothing(position: EventPosition) throws {
        var rig = Rig()
        rig.send()
        rig.moveClock()
        rig.stream = EventStream(after: position, in: rig.snapshot)
        #expect(try rig.told() == ["1-0 request 1", "1-1 clock"])
    }

    // MARK: Too much

    @Test func tellsAThousandPerSecondAndNamesGaps() throws {
        var rig = Rig()
        rig.send(600)
        #expect(try rig.told().count == 600)
        rig.send(600)
        let second = try rig.told()
        #expect(second.count == 400 && second.last == "1000-0 request 1000")
        rig.moveClock()
        rig.send(5000)
        #expect(try rig.told() == [])
        #expect(try rig.told(after: 849) == [])
        rig.update(3)
        // The first 600 are a second ago now.
        #expect(
            try rig.told(after: 51) == ["6200-0 lagged 1001 6200 5200", "6200-1 clock", "6200-2 update"])
        rig.send(597)
        #expect(try rig.told(after: 1).count == 597)
        rig.send()
        #expect(try rig.told(after: 1) == [])
        rig.send()
        // 400 more may be told now, which is not enough to begin again.
        #expect(try rig.told(after: 48) == [])
        #expect(try rig.told(after: 951) == ["6799-2 lagged 6798 6799 2"])
    }

    @Test("The log is not read for a stream that has nothing new, or has to pause")
    func looksOnlyWhenItCanTell() throws {
        var rig = Rig()
        func canAppend(after milliseconds: Int64) -> Bool {
            rig.stream.canAppend(upTo: rig.snapshot.latest, at: rig.time + milliseconds)
        }
        #expect(!canAppend(after: 0))
        rig.send(1200)
        #expect(canAppend(after: 0))
        #expect(try rig.told().count == 1000)
        // It has told all that it may, and 200 wait until half of that is a second ago.
        #expect(!canAppend(after: 0) && !canAppend(after: 999) && canAppend(after: 1000))
        #expect(try rig.told(after: 1000) == ["1200-0 lagged 1001 1200 200"])
        #expect(!canAppend(after: 5000))
    }

    @Test func noSecondHasMoreThanAThousand() throws {
        var rig = Rig()
        var random = SeededRandom(seed: 7)
        var told: [(time: Int64, count: Int)] = []
        var next = 1
        for _ in 0..<400 {
            rig.send(Int(random.next() % 150))
            if random.next() % 8 == 0 { rig.moveClock() }
            let events = try rig.told()
            told.append((rig.time, events.count))
            // Nothing is lost without a word.
            for event in events {
                let words = event.split(separator: " ")
                if words[1] == "request" {
                    #expect(words[2] == "\(next)")
                    next += 1
                } else if words[1] == "lagged" {
                    #expect(words[2] == "\(next)")
                    next = try #require(Int(words[3])) + 1
                }
            }
            #expect(told.reduce(0) { $1.time > rig.time - 1000 ? $0 + $1.count : $0 } <= EventStream.limit)
        }
        #expect(next > 20_000)
    }

    @Test func ofManyLatestEventsTheLatestAreTold() throws {
        var rig = Rig()
        rig.send(10)
        for _ in 0..<1500 { rig.update(4) }
        #expect(try rig.told().count == 1000)
        rig.update(2)
        for _ in 0..<1200 { rig.moveClock() }
        let events = try rig.told(after: 1000)
        // 510 updates were left, one more came, then 1200 others, of which there is time for 999.
        #expect(events.first == "10-1702 lagged 2 4 712")
        #expect(events.count == 1000 && events.last == "10-2701 clock")
    }

    @Test func recordsNoLongerKeptAreLeftOut() throws {
        var rig = Rig(limit: 100)
        rig.send(250)
        let events = try rig.told()
        #expect(events.first == "150-0 lagged 1 150 150")
        #expect(events.dropFirst().first == "151-0 request 151" && events.count == 101)
    }

    @Test func otherEventsAreBoundedInNumber() throws {
        var rig = Rig()
        rig.send(3)
        for _ in 0..<25_000 { rig.moveClock() }
        let kept = rig.others.latestNumber - rig.others.firstNumber + 1
        #expect((LatestEvents.defaultLimit..<LatestEvents.defaultLimit + 512).contains(kept))
        #expect(try rig.told().first == "0-\(25_000 - kept) lagged 1 3 \(25_000 - kept)")
    }

    @Test func deletedRequestsAreNotTold() throws {
        var rig = Rig()
        rig.send(5)
        rig.log.remove([2, 3])
        #expect(try rig.told() == ["1-0 request 1", "4-0 request 4", "5-0 request 5"])
    }

    // MARK: Rows and rates

    @Test func rowsComeNoFasterThanAskedFor() throws {
        var rig = Rig()
        rig.stream = EventStream(after: EventPosition(), in: rig.snapshot, as: .row, atMost: 10)
        rig.send(7)
        #expect(try rig.told().count == 7)
        rig.send(1000)
        #expect(try rig.told().last == "10-0 request 10")
        rig.moveClock()
        #expect(try rig.told(after: 900) == [])
        // Of the first second all may be told again now.
        #expect(try rig.told(after: 100) == ["1007-0 lagged 11 1007 997", "1007-1 clock"])
        rig.send(3)
        #expect(try rig.told().count == 3)
    }

    @Test(arguments: [1, 2, 3, 50])
    func noSecondHasMoreThanAskedFor(rate: Int) throws {
        var rig = Rig()
        rig.stream = EventStream(after: EventPosition(), in: rig.snapshot, as: .row, atMost: rate)
        var told: [(time: Int64, count: Int)] = []
        var (next, lines) = (1, 0)
        for _ in 0..<200 {
            rig.send(20)
            let events = try rig.told()
            told.append((rig.time, events.count))
            for event in events {
                let words = event.split(separator: " ")
                #expect(words[2] == "\(next)", "nothing is lost without a word")
                if words[1] == "request" { lines += 1 }
                next = try #require(Int(words[words[1] == "lagged" ? 3 : 2])) + 1
            }
            #expect(told.reduce(0) { $1.time > rig.time - 1000 ? $0 + $1.count : $0 } <= rate)
        }
        // Some are told in each two seconds, however few may be.
        #expect(lines >= 5 && next > 3000)
    }

    @Test func aRowIsShort() throws {
        var rig = Rig()
        rig.stream = EventStream(after: EventPosition(), in: rig.snapshot, as: .row)
        rig.send()
        var bytes: [UInt8] = []
        rig.stream.append(from: rig.snapshot, at: 0, to: &bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("id: 1-0\nevent: request\ndata: {\"event\":\"request\",\"sequence\":1,"))
        #expect(text.hasSuffix("}\n\n") && !text.contains("headers") && !text.contains("payload"))
        #expect(text.contains(#""title":"Hello""#))
    }

    // MARK: Resets

    @Test func aResetDoesNotEndAStream() throws {
        var rig = Rig()
        rig.send(5)
        #expect(try rig.told().count == 5)
        rig.send(2)
        rig.update(6)
        rig.reset()
        rig.send(2)
        rig.moveClock()
        #expect(
            try rig.told() == ["5-1 update", "0-2 reset", "1-2 request 1", "2-2 request 2", "2-3 clock"])
        rig.reset()
        rig.reset()
        #expect(try rig.told() == ["2-4 reset", "0-5 reset"])
        rig.send()
        #expect(try rig.told() == ["1-5 request 1"])
    }

    @Test func aStreamGoesOnAcrossAReset() throws {
        var rig = Rig()
        rig.send(50)
        rig.reset()
        rig.send(2)
        rig.stream = EventStream(after: EventPosition(sequence: 50, number: 0), in: rig.snapshot)
        #expect(try rig.told() == ["0-1 reset", "1-1 request 1", "2-1 request 2"])
        // After the reset, 50 cannot have been told yet.
        rig.stream = EventStream(after: EventPosition(sequence: 50, number: 1), in: rig.snapshot)
        #expect(try rig.told(after: 1000) == ["0-1 reset", "1-1 request 1", "2-1 request 2"])
    }

    @Test func aResetWhileAStreamIsSilent() throws {
        var rig = Rig()
        rig.send(1001)
        #expect(try rig.told().count == 1000)
        for _ in 0..<3 { rig.moveClock() }
        rig.reset()
        rig.send(4)
        rig.moveClock()
        #expect(try rig.told(after: 1000) == ["0-4 reset", "4-4 lagged 1 4 4", "4-5 clock"])
    }
}
