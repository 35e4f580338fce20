import Testing

@testable import MockAPNSCore

/// The log of a killed replica has what its frames lack.
@Suite("The log of a replica")
struct ReplicaLogTests {
    private static let member = FleetMember(
        fleet: "f", replica: "a", started: 1_700_000_000_000, epoch: StreamID(milliseconds: 3, number: 4))
    private static let scenario =
        #""rules": [{"when": {"topic": "com.example.slow"}, "then": {"pass": true, "delay": "1s"}}, {"when": {"device": "bob"}, "then": {"pass": true, "delay": "1s"}}],"#

    private static func event(_ content: OtherEvent.Content) -> [UInt8] {
        var line: [UInt8] = []
        OtherEvent(content, at: GatewayRig.now, after: 0).appendLine(to: &line)
        return line
    }

    private static let start = event(
        .effect(
            .scenario(ScenarioEvent(state: .started, clock: GatewayRig.now, scenario: nil, seed: 1))))
    private static let joined = event(.joined(member))

    private static func read(
        _ bytes: [UInt8], after position: ReplicaLog.Position = .init(), limit: Int = 5000, pieces: Int = 1000
    ) throws -> ReplicaLog {
        var log = ReplicaLog(of: member, after: position, limit: limit)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            try log.read(bytes.span.extracting(start..<min(start + pieces, bytes.count)))
        }
        try log.finish()
        return log
    }

    /// Does a bit of everything; `step` says what.
    private static func work(
        _ replica: inout ReplicaRig, _ step: Int, _ connections: inout [Int], _ delayed: inout [PlannedResponse]
    ) throws {
        switch step % 10 {
        case 0: replica.work { $0.send(after: 10) }
        case 1: replica.work { $0.send(to: JudgeRig.bob, after: 10) }
        case 2: replica.work { $0.send(after: 10, token: ExamplePush.bearer(issuedAt: "\(1_795_255_100 - step % 5)")) }
        case 3: replica.work { $0.send(body: "no JSON", topic: nil, after: 10) }
        case 4:
            var facts = ConnectionFacts.example
            facts.serverName = "apns-\(step).example"
            facts.clientCertificate = .init(
                subject: "C", serial: "01", topics: ["com.example.app"], isForSandbox: true, isForProduction: false)
            connections.append(replica.open(facts))
            let connection = connections.last
            replica.work { $0.send(after: 10, on: connection) }
        case 5:
            try replica.change("bob") { $0.isOnline = true }
            try replica.change("bob") { ($0.isOnline, $0.savesPower) = (false, true) }
        case 6: if let connection = connections.popLast() { replica.close(connection, pings: 2) }
        case 7:
            // The answer comes later.
            replica.control { gateway, now in
                guard let change = delayed.popLast().flatMap({ gateway.abandon($0) }) else { return [] }
                return [.update(sequence: change.sequence, change.update, clock: now)]
            }
            replica.work { rig in
                delayed += [rig.send(topic: "com.example.slow", after: 10).response].compactMap(\.self)
            }
        case 9: replica.work { $0.send(.publish(to: "AAAA")) }
        default:
            try replica.change("bob") { change in
                change.registration = step % 2 == 0 ? .unregistered(at: nil, acceptFor: 90_000) : .registered
            }
            // To bob, it may be delayed by the scenario, which the admin API does not wait for.
            for device in [JudgeRig.alice, JudgeRig.bob] {
                var change: RecordChange?
                replica.work { change = $0.sendAsAdmin(to: device) }
                replica.control { _, now in
                    change.map { [.update(sequence: $0.sequence, $0.update, clock: now)] } ?? []
                }
            }
        }
    }

    private static func whole(_ collector: borrowing CollectorRig) throws -> [String] {
        var texts = collector.gateway.log.snapshot.texts
        texts.append("\(collector.gateway.log.open.records.map(\.requestOnConnection))")
        for connection in collector.gateway.connections.all {
            var line: [UInt8] = []
            ConnectionEvent.appendOpened(connection, to: &line)
            ConnectionEvent.appendClosed(connection, to: &line)
            texts.append(String(decoding: line, as: UTF8.self))
        }
        let totals = collector.gateway.statistics.growth(since: Statistics()) {
            collector.gateway.devices.topics.text($0)
        }
        for list in [totals.statuses, totals.reasons, totals.outcomes, totals.latencies] {
            texts.append("\(list.map { "\($0.key): \($0.count)" }.sorted())")
        }
        texts.append("\(totals.topics.map { "\(String(decoding: $0.topic, as: UTF8.self)) \($0.count)" }.sorted())")
        texts.append("\(totals.requests) \(totals.requestsByAdmin) \(totals.latencySum) \(totals.latencyMaximum)")
        var device = collector.gateway.devices.next(after: nil)
        while let known = device {
            var json: [UInt8] = []
            var views = [collector.gateway.view(of: known, at: GatewayRig.now)]
            DeviceView.complete(&views, from: collector.gateway.log.snapshot)
            views[0].appendJSON(to: &json)
            texts.append(String(decoding: json, as: UTF8.self))
            device = collector.gateway.devices.next(after: known)
        }
        return texts
    }

    /// Whenever it is killed, its log and the frames that came make what all frames would have made.
    @Test(arguments: 0..<12) func itHasWhatWasNotShipped(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        func draw(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        var replica = try ReplicaRig(Self.scenario)
        var all = try CollectorRig("", Self.scenario, replicas: ["a"])
        var some = try CollectorRig("", Self.scenario, replicas: ["a"])
        var position = ReplicaLog.Position()
        var connections: [Int] = []
        var delayed: [PlannedResponse] = []
        let death = draw(60)
        for step in 0..<60 {
            try Self.work(&replica, draw(1000), &connections, &delayed)
            guard draw(4) == 0 || step == 59 else { continue }
            // What is young may be held back, although the totals count it.
            let now = replica.rig.time
            for frame in replica.frames(
                offset: 5, except: step == 59 || draw(2) == 0 ? nil : now.advanced(by: -15)...now)
            {
                try all.take([frame], of: 0)
                guard step < death else { continue }
                try some.take([frame], of: 0)
                position.note(frame)
            }
        }
        var bytes = Self.start + Self.joined + replica.log
        // Whatever comes after belongs to another.
        bytes += Self.start + Self.event(.joined(FleetMember(fleet: "f", replica: "a", started: 1, epoch: .zero)))
        let log = try Self.read(bytes, after: position, pieces: 1 + draw(3000))
        let isFound = log.isFound
        #expect(isFound)
        let rest = log.rest(clockOffset: 5)
        #expect(rest.missing == 0)
        #expect(rest.count == replica.rig.gateway.log.latestSequence - position.sequence)
        some.merge.takeRecorded(rest.frames, of: 0, in: 0, at: 0)
        all.proceed()
        some.proceed()
        let (expected, found) = (try Self.whole(all), try Self.whole(some))
        for (one, other) in zip(expected, found) where one != other { Issue.record("\(other)\ninstead of\n\(one)") }
        #expect(found.count == expected.count)
        #expect(expected.count > 40)
    }

    private static func push(_ count: Int) throws -> [UInt8] {
        var replica = try ReplicaRig()
        for _ in 0..<count { replica.work { $0.send(after: 10) } }
        return replica.log
    }

    private static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        bytes.split(separator: UInt8(ascii: "\n")).map { $0 + [UInt8(ascii: "\n")] }
    }

    private static func found(
        _ bytes: [UInt8], after sequence: Int = 0, limit: Int = 5000
    ) throws -> (isFound: Bool, rest: ReplicaLog.Rest) {
        var position = ReplicaLog.Position()
        position.sequence = sequence
        let log = try read(bytes, after: position, limit: limit)
        return (log.isFound, log.rest(clockOffset: 0))
    }

    @Test func aLogOfAnotherHasNothing() throws {
        for other in [
            FleetMember(fleet: "g", replica: "a", started: 1_700_000_000_000, epoch: Self.member.epoch),
            FleetMember(fleet: "f", replica: "b", started: 1_700_000_000_000, epoch: Self.member.epoch),
            FleetMember(fleet: "f", replica: "a", started: 1_700_000_000_001, epoch: Self.member.epoch),
            FleetMember(fleet: "f", replica: "a", started: 1_700_000_000_000, epoch: .zero),
        ] {
            let found = try Self.found(Self.start + Self.event(.joined(other)) + Self.push(3))
            #expect(!found.isFound, "\(other)")
        }
        #expect(try !Self.found(Self.start + Self.push(3)).isFound)
    }

    /// Each run begins with a line that says so; what was before belongs to another.
    @Test func onlyItsOwnRunCounts() throws {
        let run = try Self.push(3)
        let other = Self.event(.joined(FleetMember(fleet: "f", replica: "a", started: 9, epoch: .zero)))
        let reset = Self.event(.reset)
        let before = try Self.found(Self.start + other + run + reset + Self.joined + Self.push(2))
        #expect(before.isFound && before.rest.count == 2)
        let after = try Self.found(Self.start + Self.joined + Self.push(2) + reset + other + run)
        #expect(after.isFound && after.rest.count == 2)
        // Requests of the run may come before the line that says whose it is.
        let late = try Self.found(Self.start + run + reset + Self.push(2) + Self.joined)
        #expect(late.isFound && late.rest.count == 2)
        // What a server wrote that plays another scenario is the same run.
        let played = Self.event(
            .effect(.scenario(ScenarioEvent(state: .played, clock: GatewayRig.now, scenario: "x", seed: 1))))
        let lines = Self.lines(run)
        let whole = try Self.found(
            Self.start + Self.joined + lines[...1].joined() + played + lines[2...].joined())
        #expect(whole.rest.count == 3)
        // A run belongs to the one who is named first.
        let twice = try Self.found(Self.start + Self.joined + other + run)
        #expect(twice.isFound && twice.rest.count == 3)
        let restarted = try Self.found(Self.start + Self.joined + Self.push(2) + Self.start + other + run)
        #expect(restarted.isFound && restarted.rest.count == 2)
        let request = String(decoding: lines[1], as: UTF8.self)
        let session = Array(request.replacing("}\n", with: #","session":"s"}"# + "\n").utf8)
        #expect(try Self.found(Self.start + Self.joined + lines[0] + session).rest.count == 0)
        let end = Array("{\"event\":\"requ".utf8) + Self.event(.reset).dropLast(1) + lines[3]
        #expect(try Self.found(Self.start + Self.joined + lines[...2].joined() + end).rest.count == 2)
        // Whoever wrote it again.
        #expect(try Self.found(Self.start + Self.joined + lines.joined() + lines[2]).rest.count == 3)
    }

    /// Without all frames, nobody knows which events came: those after the latest request have not.
    @Test func afterAHoleOnlyLaterEventsAreTaken() throws {
        var replica = try ReplicaRig()
        for isOnline in [true, false, true] {
            replica.work { $0.send(after: 10) }
            try replica.change("bob") { $0.isOnline = isOnline }
        }
        for (sequence, expected) in [(0, [1, 2, 3]), (2, [3]), (3, [])] {
            var position = ReplicaLog.Position()
            (position.sequence, position.isComplete) = (sequence, false)
            let rest = try Self.read(Self.start + Self.joined + replica.log, after: position).rest(clockOffset: 0)
            #expect(rest.frames.flatMap { $0.events.map(\.after) } == expected)
        }
    }

    @Test func framesAreNoLargerThanOthers() throws {
        var replica = try ReplicaRig()
        replica.work { rig in for _ in 0..<1000 { rig.send(after: 1) } }
        replica.work { rig in for _ in 0..<24 { rig.send(after: 1) } }
        try replica.change("bob") { $0.isOnline = true }
        replica.work { $0.send(after: 1) }
        for _ in 0..<ReplicaFrame.eventLimit + 1 {
            replica.note(
                .effect(.update(sequence: 1, RequestUpdate(delivery: .discardedExpired), clock: GatewayRig.now)))
        }
        let found = try Self.found(Self.start + Self.joined + replica.log)
        #expect(found.rest.frames.map(\.recordCount) == [1024, 1, 0])
        // The first event is that a connection was opened.
        #expect(found.rest.frames.map(\.events.count) == [2, 4096, 1])
        #expect(found.rest.frames.map(\.totals.requests) == [0, 0, 1025])
        let plain = try Self.found(Self.start + Self.joined + Self.push(1025))
        #expect(plain.rest.frames.map(\.recordCount) == [1024, 1])
    }

    @Test func whatIsNotThereIsMissing() throws {
        let lines = Self.lines(try Self.push(8))
        // The first one is that of the connection.
        let cut = lines[0] + lines[1] + lines[4...].joined()
        let gap = try Self.found(Self.start + Self.joined + cut)
        #expect(gap.rest.missing == 2 && gap.rest.count == 6)
        // Those were shipped.
        let known = try Self.found(Self.start + Self.joined + cut, after: 2)
        #expect(known.rest.missing == 1 && known.rest.count == 5)
        let none = try Self.found(Self.start + Self.joined + cut, after: 8)
        #expect(none.rest.missing == 0 && none.rest.count == 0)
        // The last line was not written to its end.
        let torn = try Self.found(Self.start + Self.joined + Array(lines.joined().dropLast(40)))
        #expect(torn.rest.missing == 0 && torn.rest.count == 7 && torn.rest.frames.last?.lostEvents == 0)
        let whole = try Self.found(Self.start + Self.joined + Array(Array(lines.joined()).dropLast(1)))
        #expect(whole.rest.count == 8)
        // Nobody knows what stood on a line that is torn within the file.
        let event = try Self.found(Self.start + Self.joined + lines[0].dropLast(9) + [UInt8(ascii: "\n")] + lines[1])
        #expect(event.rest.count == 1 && event.rest.missing == 0 && event.rest.frames.last?.lostEvents == 1)
        let within = lines[...3].joined() + lines[4].dropLast(40) + [UInt8(ascii: "\n")] + lines[5...].joined()
        let middle = try Self.found(Self.start + Self.joined + within)
        #expect(middle.rest.missing == 1 && middle.rest.frames.last?.lostEvents == 0)
        var lost: [UInt8] = []
        LogFileEvent.lost(lines: 3).appendLine(at: GatewayRig.now, to: &lost)
        let full = try Self.found(Self.start + Self.joined + cut + lost)
        #expect(full.rest.missing == 2 && full.rest.frames.last?.lostEvents == 1)
    }

    /// A killed process may have left a line unfinished; another one then starts in the middle of it.
    @Test func aLineCutOffByTheEndIsNotLost() throws {
        let lines = Self.lines(try Self.push(3))
        let run = Self.start + Self.joined + lines[...2].joined()
        let next = Self.start + Self.event(.joined(FleetMember(fleet: "f", replica: "a", started: 9, epoch: .zero)))
        for end in [lines[3].dropLast(40) + next, lines[3].dropLast(40) + [UInt8(ascii: "\n")] + next] {
            let found = try Self.found(run + end)
            #expect(found.rest.count == 2 && found.rest.frames.last?.lostEvents == 0)
        }
        // Something of its own follows.
        let found = try Self.found(
            run + lines[3].dropLast(40)
                + Self.event(
                    .effect(
                        .update(
                            sequence: 1, RequestUpdate(delivery: .discardedExpired), clock: GatewayRig.now))))
        #expect(found.rest.count == 2 && found.rest.frames.last?.lostEvents == 1)
    }

    @Test func anOldCopyEndsBeforeTheFrames() throws {
        var replica = try ReplicaRig()
        var position = ReplicaLog.Position()
        for _ in 0..<3 { replica.work { $0.send(after: 1500) } }
        for frame in replica.frames() { position.note(frame) }
        let lines = Self.lines(replica.log)
        for (count, isBehind) in [(0, true), (1, true), (2, false), (3, false)] {
            let log = try Self.read(Self.start + Self.joined + lines[...count].joined(), after: position)
            let found = log.isBehindFrames
            #expect(found == isBehind, "\(count)")
        }
    }

    /// What was shipped is written two seconds later at most.
    @Test(arguments: [(2000 as Int64, false), (2001, true)])
    func anOldCopyIsOlderThanALateLine(milliseconds: Int64, isBehind: Bool) throws {
        var replica = try ReplicaRig()
        var position = ReplicaLog.Position()
        for _ in 0..<2 { replica.work { $0.send(after: milliseconds) } }
        for frame in replica.frames() { position.note(frame) }
        let lines = Self.lines(replica.log)[...1].joined()
        let found = try Self.read(Self.start + Self.joined + lines, after: position).isBehindFrames
        #expect(found == isBehind)
    }

    private static func shipped(
        _ replica: inout ReplicaRig
    ) throws -> (position: ReplicaLog.Position, log: [UInt8]) {
        replica.work { $0.send(after: 10) }
        var position = ReplicaLog.Position()
        for frame in replica.frames() { position.note(frame) }
        return (position, Self.start + Self.joined + replica.log)
    }

    @Test func whatWasShippedLeavesNothing() throws {
        var replica = try ReplicaRig()
        let (position, log) = try Self.shipped(&replica)
        #expect(try Self.read(log, after: position).rest(clockOffset: 0).frames.isEmpty)
    }

    @Test func anEventAloneIsLeft() throws {
        var replica = try ReplicaRig()
        let (position, _) = try Self.shipped(&replica)
        try replica.change("bob") { $0.isOnline = true }
        let rest = try Self.read(Self.start + Self.joined + replica.log, after: position).rest(clockOffset: 0)
        #expect(rest.frames.map(\.events.count) == [1] && rest.count == 0)
    }

    /// Nobody knows which events they were.
    @Test(arguments: [1, 3]) func lostLinesAreNamedThoughNothingIsLeft(count: Int) throws {
        var replica = try ReplicaRig()
        let (position, log) = try Self.shipped(&replica)
        var lost: [UInt8] = []
        LogFileEvent.lost(lines: count).appendLine(at: GatewayRig.now, to: &lost)
        let rest = try Self.read(log + lost, after: position).rest(clockOffset: 0)
        #expect(rest.frames.map(\.lostEvents) == [count] && rest.frames.allSatisfy(\.isEmpty))
        // So is a torn line, whatever follows.
        let torn = Array("{\"event\":\"req\n".utf8)
        let more = try Self.read(log + torn + lost, after: position).rest(clockOffset: 0)
        #expect(more.frames.map(\.lostEvents) == [count + 1])
    }

    /// Frames may have come further than the log, and their totals further than they.
    @Test func aLogThatLacksEventsDoesNotGoBack() throws {
        var frame = ReplicaFrame()
        frame.totals.coveredEvents = 7
        var position = ReplicaLog.Position()
        position.note(frame)
        position.events = 5
        let rest = try Self.read(Self.start + Self.joined + Self.push(1), after: position).rest(clockOffset: 0)
        #expect(rest.position.events == 5 && rest.position.counted.events == 7)
    }

    /// Pushes through the admin API are counted by themselves.
    @Test func theOutcomeOfAPushThroughTheAdminAPIIsNotCounted() throws {
        var replica = try ReplicaRig()
        replica.work { _ = $0.sendAsAdmin() }
        replica.note(.effect(.update(sequence: 1, RequestUpdate(outcome: .cancelled), clock: GatewayRig.now)))
        let rest = try Self.read(Self.start + Self.joined + replica.log).rest(clockOffset: 0)
        #expect(rest.frames.last?.totals.outcomes.map(\.count) == Outcome.allCases.map { _ in 0 })
    }

    /// A run may be in several files: the latest request before a part and the seed tell.
    @Test func aPartContinuesWhereAnotherEnds() throws {
        let lines = Self.lines(try Self.push(3))
        func reopened(after sequence: Int, seed: UInt64 = 1) -> [UInt8] {
            var line: [UInt8] = []
            LogFileEvent.reopened(after: sequence, scenario: nil, seed: seed)
                .appendLine(at: GatewayRig.now, to: &line)
            return line
        }
        // What another run has done later does not matter.
        let other = Self.event(
            .effect(.scenario(ScenarioEvent(state: .started, clock: GatewayRig.now, scenario: nil, seed: 2))))
        let first = try Self.read(Self.start + Self.joined + lines[...2].joined() + other)
        for (part, continues) in [
            (reopened(after: 2) + lines[3], true),
            (reopened(after: 1) + lines[3], false),
            (reopened(after: 2, seed: 2) + lines[3], false),
            (Self.start + lines.joined(), false),
            // What begins a run, or has requests before, is no part.
            (Self.start + Self.joined + reopened(after: 2) + lines[3], false),
            (lines[1] + reopened(after: 2) + lines[3], false),
        ] {
            let found = try Self.read(part).continues(first)
            #expect(found == continues, "\(String(decoding: part, as: UTF8.self))")
        }
    }

    /// A log that grows is read on from where it ended, and nothing counts twice.
    @Test func whatIsReadTwiceCountsOnce() throws {
        let lines = Self.lines(try Self.push(9))
        var collector = try CollectorRig(replicas: ["a"])
        var position = ReplicaLog.Position()
        for count in [3, 3, 7, 10] {
            let bytes = Self.start + Self.joined + lines[..<count].joined()
            let rest = try Self.read(bytes, after: position).rest(clockOffset: 0)
            collector.merge.takeRecorded(rest.frames, of: 0, in: 0, at: 0)
            position = rest.position
            collector.proceed()
            #expect(collector.gateway.log.latestSequence == count - 1)
            #expect(collector.gateway.statistics.requests == count - 1)
            #expect(collector.gateway.connections.all.map(\.requests) == [count - 1])
        }
    }

    /// It is shipped from memory, and may be written a moment later, or never.
    @Test(arguments: [0...2, 4...9, 0...9])
    func whatWasShippedMayNotBeWritten(kept: ClosedRange<Int>) throws {
        var replica = try ReplicaRig()
        var collector = try CollectorRig(replicas: ["a"])
        var position = ReplicaLog.Position()
        for number in 1...9 {
            replica.work { $0.send(after: 10) }
            guard number == 5 else { continue }
            for frame in replica.frames() {
                try collector.take([frame], of: 0)
                position.note(frame)
            }
        }
        let lines = Self.lines(replica.log)[kept].joined()
        let rest = try Self.read(Self.start + Self.joined + lines, after: position).rest(clockOffset: 0)
        #expect(rest.count == (kept.upperBound == 9 ? 4 : 0) && rest.missing == 0)
        #expect(rest.frames.count == (rest.count > 0 ? 1 : 0))
        collector.merge.takeRecorded(rest.frames, of: 0, in: 0, at: 0)
        collector.proceed()
        let count = 5 + rest.count
        #expect(collector.gateway.log.latestSequence == count && collector.gateway.statistics.requests == count)
        #expect(
            collector.gateway.statistics.busiestTopics(9).map { collector.gateway.statistics.count(of: $0) } == [count])
    }

    @Test func aLogThatContinuesAnother() throws {
        let lines = Self.lines(try Self.push(4))
        var reopened: [UInt8] = []
        LogFileEvent.reopened(after: 2, scenario: nil, seed: 1).appendLine(at: GatewayRig.now, to: &reopened)
        #expect(try !Self.found(reopened + lines[3...].joined()).isFound)
        let joined = try Self.found(Self.start + Self.joined + lines[...2].joined() + reopened + lines[3...].joined())
        #expect(joined.isFound && joined.rest.count == 4 && joined.rest.missing == 0)
        // Part of another run.
        reopened = []
        LogFileEvent.reopened(after: 1, scenario: nil, seed: 2).appendLine(at: GatewayRig.now, to: &reopened)
        let other = try Self.found(Self.start + Self.joined + lines[...3].joined() + reopened + lines[4])
        #expect(other.isFound && other.rest.count == 3)
    }

    @Test func onlyTheLatestAreKept() throws {
        let found = try Self.found(Self.start + Self.joined + Self.push(3000), limit: 1000)
        let first = try #require(found.rest.frames.first)
        #expect(first.firstSequence > 1 && first.firstSequence <= 2001)
        #expect(found.rest.count == 3000 - first.firstSequence + 1)
        #expect(found.rest.frames.dropLast().allSatisfy { $0.totals.requests == 0 })
        #expect(found.rest.frames.last?.totals.requests == 3000)
    }

    @Test func mistakesHaveTheirPlace() throws {
        for (line, message) in [
            (#"{"event":"fleet","time":"2026-11-21T10:00:00.000Z"}"#, "2:1: the key \"state\" is missing"),
            (
                #"{"event":"fleet","state":"joined","fleet":"f","replica":"a","started":1,"epoch":"x"}"#,
                #"2:81: "epoch" is "x"; expected the id of an entry, such as "0-0""#
            ),
            (#"{"event":"request","sequence":"x"}"#, #"2:31: "sequence" is "x"; expected a whole number"#),
        ] {
            let mistake = #expect(throws: RecordedLog.Mistake.self) {
                _ = try Self.read(Self.start + Array("\(line)\n".utf8))
            }
            #expect(
                "\(mistake.map(String.init(describing:)) ?? "")".hasPrefix(message), "\(String(describing: mistake))")
        }
        let line = String(decoding: Self.lines(try Self.push(1))[1], as: UTF8.self)
        let beyond = line.replacing(#""sequence":1,"#, with: #""sequence":1000002,"#)
        let mistake = #expect(throws: RecordedLog.Mistake.self) {
            _ = try Self.read(Self.start + Self.joined + Array(beyond.utf8))
        }
        #expect(mistake?.message == #""sequence" is 1000002; expected 1"#)
        let far = #"{"event":"fleet","state":"left"}"# + "\n"
        #expect(try Self.found(Self.start + Self.joined + Array(far.utf8) + Self.push(1)).rest.count == 1)
    }
}
