import Testing

@testable import MockAPNSCore

@Suite("Records that replicas do not ship")
struct UnshippedRecordsTests {
    private static let stranger = String(repeating: "c1", count: 32)

    /// Expectations of all kinds, whether they hold or not.
    private static let expectations = """
        {"requests": {"status": 200}, "count": {"atLeast": 20}}, {"requests": {"status": 429}, "count": 2},
        {"requests": {}, "count": {"atLeast": 3}, "distinct": "token"},
        {"requests": {"status": 200}, "count": {"atLeast": 1}, "each": "token"},
        {"requests": {"status": 200}, "count": {"atMost": 9}, "each": "token"},
        {"requests": {"payload": {"/n": {"exists": true}}}, "count": 8, "distinct": "/n"},
        {"requests": {}, "count": {"atMost": 3}, "distinct": "/n", "each": "token"},
        {"requests": {"delivery": {"prefix": "Stored"}}, "count": 0},
        {"requests": {"delivery": {"prefix": "Delivered"}}, "count": {"atLeast": 12}},
        {"providerTokens": 2}, {"providerTokens": 3}, {"connections": 2},
        {"requests": {"matches": "x"}, "count": 0},
        {"inOrder": [{"status": 429}, {"status": 200}]}, {"inOrder": [{"device": "alice"}, {"token": "\(stranger)"}]},
        {"spacing": {"requests": {"status": 200}, "atMost": "1s"}}, {"spacing": {"requests": {"status": 429}, "atLeast": "1ms"}},
        {"requests": {"connection": 1}, "count": {"atLeast": 4}}, {"requests": {}, "count": {"atLeast": 4}, "each": "connection"},
        {"requests": {}, "count": 2, "distinct": "connection"},
        {"device": "alice", "displayed": []}, {"device": "bob", "stored": 0}, {"nothingElse": true}
        """.replacing(#"{"requests": {"matches": "x"}, "count": 0},"#, with: "")
    private static let more =
        #""rules": [{"name": "busy", "when": {"payload": {"/n": 1}}, "then": {"reject": "TooManyRequests"}}],"#

    /// Sends the same random pushes to a server by itself and to two replicas.
    private static func compare(
        _ shipped: (ShippedRecords, ShippedRecords), _ expectations: String = expectations, seed: UInt64
    ) throws -> (one: [ExpectationResult], fleet: [ExpectationResult], summaries: (Summary, Summary)) {
        var one = try JudgeRig(expectations, more)
        let other = one.gateway.openConnection(.example, at: one.time)
        var a = try ReplicaRig(more, expectations: expectations, shipping: shipped.0)
        var b = try ReplicaRig(more, expectations: expectations, shipping: shipped.1)
        var collector = try CollectorRig(expectations, more, replicas: ["a", "b"])
        var random = SeededRandom(seed: seed)
        func move(_ milliseconds: Int64) {
            one.time.milliseconds += milliseconds
            a.rig.time = one.time
            b.rig.time = one.time
        }
        try collector.take(a.frames(), of: 0)
        try collector.take(b.frames(), of: 1)
        for number in 1...60 {
            move(Int64.random(in: 1...900, using: &random))
            let devices = [JudgeRig.alice, stranger, String(repeating: "c2", count: 32), "none"]
            let isOfA = Bool.random(using: &random)
            // What is stored is stored in one order by all replicas; here one receives all of it.
            let device =
                isOfA && number % 5 == 0 ? JudgeRig.bob : devices[Int.random(in: 0..<devices.count, using: &random)]
            let body = #"{"aps":{"alert":"x"},"n":\#(Int.random(in: 0...7, using: &random))}"#
            let token = ExamplePush.bearer(issuedAt: Bool.random(using: &random) ? "1795255100" : "1795255101")
            one.send(to: device, body: body, on: isOfA ? nil : other, token: token)
            if isOfA {
                a.work { $0.send(to: device, body: body, token: token) }
            } else {
                b.work { $0.send(to: device, body: body, token: token) }
            }
            guard number % 7 == 0 else { continue }
            try collector.take(a.frames(), of: 0)
            try collector.take(b.frames(), of: 1)
            collector.proceed()
        }
        try one.change("bob") { $0.isOnline = true }
        try a.change("bob") { $0.isOnline = true }
        try b.change("bob") { $0.isOnline = true }
        try collector.take(a.frames(), of: 0)
        try collector.take(b.frames(), of: 1)
        collector.proceed()
        return (
            one.results, collector.gateway.evidence(at: GatewayRig.now).verify().results,
            (one.gateway.summary(at: one.time), collector.gateway.summary(at: one.time))
        )
    }

    // MARK: Verdicts

    @Test(arguments: ShippedRecords.allCases, [1, 2, 3, 4, 5, 6])
    func theVerdictIsThatOfOneServer(_ shipped: ShippedRecords, seed: UInt64) throws {
        for other in ShippedRecords.allCases {
            let (one, fleet, summaries) = try Self.compare((shipped, other), seed: seed)
            #expect(one.count == fleet.count && one.contains { !$0.passed } && one.contains { $0.passed })
            for (own, merged) in zip(one, fleet) where !merged.seen.hasPrefix("unknown: ") {
                #expect(merged.passed == own.passed, "\(own)\n\(merged)")
                if own.passed { #expect(merged.seen == own.seen) }
            }
            let unknown = fleet.indices.filter { fleet[$0].seen.hasPrefix("unknown: ") }
            #expect(unknown.allSatisfy { !fleet[$0].passed })
            // What depends on order, on the number of a connection, or on devices.
            let isKnown = shipped != .none && other != .none
            #expect(isKnown ? unknown.isEmpty : unknown == Array(unknown.first!..<fleet.count), "\(unknown)")
            #expect(isKnown || unknown.first! >= 12)
            let (s, t) = summaries
            #expect((s.requests, s.byStatus, s.connectionsOpened) == (t.requests, t.byStatus, t.connectionsOpened))
            #expect((s.peakPerSecond, s.perSecond) == (t.peakPerSecond, t.perSecond))
        }
    }

    /// Whatever is expected and sent, nothing holds because records were not shipped.
    @Test(arguments: 1...40)
    func nothingHoldsThatWouldFail(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let matches = [
            "{}", #"{"status": 200}"#, #"{"status": {"not": 200}}"#, #"{"device": "alice"}"#, #"{"connection": 2}"#,
            #"{"token": "\#(Self.stranger)"}"#, #"{"payload": {"/n": 3}}"#, #"{"delivery": {"prefix": "Stored"}}"#,
        ]
        func match() -> String { matches[Int.random(in: 0..<matches.count, using: &random)] }
        func bound() -> String {
            let number = Int.random(in: 0...30, using: &random)
            return [#"{"atMost": \#(number)}"#, "\(number % 3)", #"{"atLeast": \#(number)}"#][number % 3]
        }
        var list: [String] = []
        for _ in 0..<12 {
            switch Int.random(in: 0...6, using: &random) {
            case 0: list.append(#"{"inOrder": [\#(match()), \#(match())]}"#)
            case 1: list.append(#"{"spacing": {"requests": \#(match()), "atMost": "2s"}}"#)
            case 2: list.append(#"{"requests": \#(match()), "count": \#(bound()), "each": "connection"}"#)
            case 3: list.append(#"{"requests": \#(match()), "count": \#(bound()), "distinct": "token"}"#)
            case 4: list.append(#"{"inOrder": [\#(match())], "each": "token"}"#)
            case 5: list.append(#"{"nothingElse": true}"#)
            default: list.append(#"{"requests": \#(match()), "count": \#(bound())}"#)
            }
        }
        list.append(#"{"lint": {}, "count": 0}"#)
        for shipped in ShippedRecords.allCases {
            let (one, fleet, _) = try Self.compare((shipped, .none), list.joined(separator: ","), seed: seed)
            for (own, merged) in zip(one, fleet) { #expect(own.passed || !merged.passed, "\(own)\n\(merged)") }
            #expect(fleet.last?.passed == false)
        }
    }

    @Test func expectationsAskedForLaterAreNotJudged() throws {
        var a = try ReplicaRig(shipping: .noted)
        var collector = try CollectorRig(replicas: ["a"])
        a.work { $0.send(to: Self.stranger) }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        let list = #"[{"requests": {"status": 429}, "count": 0}, {"device": "alice", "displayed": []}, {"pings": 0}]"#
        let others = try #require(
            collector.gateway.scenario.expectations(from: try JSONText.read(Array(list.utf8))).0)
        let results = collector.gateway.evidence(for: others, at: GatewayRig.now).verify(others).results
        #expect(results.map(\.passed) == [false, true, true])
        #expect(results[0].seen == "unknown: 1 request that the replicas have not shipped (--fleet-records)")
    }

    /// Which connection is which, only the replica knows; and so, which requests nothing else expects.
    @Test func whatNamesAConnectionIsUnknown() throws {
        let list = #"""
            {"nothingElse": true}, {"requests": {"connection": 1}, "count": 0}, {"requests": {}, "count": 2},
            {"nothingElse": true}
            """#
        var a = try ReplicaRig(expectations: list, shipping: .none)
        var collector = try CollectorRig(list, replicas: ["a"])
        a.work { rig in for _ in 0..<2 { rig.send(to: Self.stranger) } }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        let seen = collector.gateway.evidence(at: GatewayRig.now).verify().results.map(\.seen)
        let unknown = "unknown: 2 requests that the replicas have not shipped (--fleet-records)"
        #expect(seen == ["2 other requests", unknown, "2 requests", unknown])
    }

    @Test func whatDependsOnOrderIsUnknownForEachRequestThatItIsAbout() throws {
        let list = #"{"inOrder": [{"status": 200}]}, {"spacing": {"requests": {"status": 429}, "atMost": "1s"}}"#
        var a = try ReplicaRig(expectations: list, shipping: .none)
        var collector = try CollectorRig(list, replicas: ["a"])
        a.work { rig in for _ in 0..<2 { rig.send(to: Self.stranger) } }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        let seen = collector.gateway.evidence(at: GatewayRig.now).verify().results.first?.seen
        #expect(seen == "unknown: 2 requests that the replicas have not shipped (--fleet-records)")
    }

    /// What a replica cannot know, for example which connection is which.
    @Test(
        arguments: [
            (#"{"requests": {"connection": 2}, "count": 0}"#, true),
            (#"{"inOrder": [{"connection": 2}, {"status": 429}]}"#, true),
            (#"{"inOrder": [{"status": 410}, {"status": 429}]}"#, false),
            (#"{"lint": {}, "count": 0}"#, true), (#"{"requests": {"status": 410}, "count": 0}"#, false),
        ])
    func whatNeedsEveryRecord(_ expectation: String, needsThem: Bool) throws {
        var a = try ReplicaRig(expectations: expectation, shipping: .noted)
        a.work { rig in for _ in 0..<2 { rig.send(to: Self.stranger) } }
        #expect(a.frames().map(\.sequences) == [needsThem ? [1, 2] : []])
    }

    @Test func countsForAnotherScenarioAreNotCounted() throws {
        let none = #"{"requests": {"status": 200}, "count": 0}"#
        var a = try ReplicaRig(expectations: #"{"nothingElse": true}"#, shipping: .none)
        var collector = try CollectorRig(none, replicas: ["a"])
        #expect(collector.passed == [true])
        a.work { $0.send(to: Self.stranger) }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        let result = try #require(collector.gateway.evidence(at: GatewayRig.now).verify().results.first)
        #expect(!result.passed)
        #expect(result.seen.hasSuffix("(--fleet-records); the replicas play another scenario"))
    }

    /// A replica may be the first to play the next scenario.
    @Test func whatIsCountedAheadCountsOnceTheScenarioIsPlayed() throws {
        let next = try JudgeRig(#"{"requests": {}, "count": 2}, {"nothingElse": true}"#).gateway.scenario
        var a = try ReplicaRig(expectations: #"{"requests": {}, "count": 1}"#, shipping: .none)
        var collector = try CollectorRig(#"{"requests": {}, "count": 1}"#, replicas: ["a"])
        func play(_ gateway: inout Gateway) {
            gateway.play(next, gateway.configuration, at: GatewayRig.now)
            _ = gateway.takeEffects()
        }
        try collector.take(a.frames(), of: 0)
        a.work { $0.send(to: Self.stranger) }
        play(&a.rig.gateway)
        a.work { rig in for _ in 0..<2 { rig.send(to: Self.stranger) } }
        let frames = a.frames()
        #expect(frames.map(\.unshippedCount) == [1, 2] && frames.map(\.latestSequence) == [1, 3])
        try collector.take(Array(frames[..<1]), of: 0)
        collector.proceed()
        #expect(collector.passed == [true])
        try collector.take(Array(frames[1...]), of: 0)
        collector.proceed()
        #expect(collector.passed == [false])
        play(&collector.gateway)
        #expect(collector.passed == [true, true])
    }

    /// A connection from before counts as soon as requests come on it.
    @Test func connectionsFromBeforeTheScenario() throws {
        let next = try JudgeRig(#"{"connections": 1}"#).gateway.scenario
        for shipped in ShippedRecords.allCases {
            var a = try ReplicaRig(shipping: shipped)
            var collector = try CollectorRig(replicas: ["a"])
            _ = a.open()
            try collector.take(a.frames(), of: 0)
            collector.proceed()
            for isCollector in [false, true] {
                func play(_ gateway: inout Gateway) { gateway.play(next, gateway.configuration, at: GatewayRig.now) }
                if isCollector { play(&collector.gateway) } else { play(&a.rig.gateway) }
            }
            #expect(collector.passed == [false])
            a.work { $0.send(to: Self.stranger) }
            try collector.take(a.frames(), of: 0)
            collector.proceed()
            #expect(collector.passed == [true])
            #expect(collector.gateway.connections.all.map(\.requests).sorted() == [0, 1])
        }
    }

    @Test func lintSaysWhatItHasNotSeen() throws {
        var a = try ReplicaRig(shipping: .none)
        var collector = try CollectorRig(replicas: ["a"])
        a.work { rig in for _ in 0..<2 { rig.send(to: Self.stranger) } }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        let evidence = collector.gateway.evidence(at: GatewayRig.now)
        var verdict = LintVerdict()
        verdict.add(evidence.linting().finish(), in: evidence)
        #expect(verdict.headline.hasSuffix(" The replicas have not shipped 2 requests (--fleet-records)."))
    }

    // MARK: Which records

    @Test func whatIsNoted() throws {
        var a = try ReplicaRig(
            Self.more, expectations: #"{"inOrder": [{"payload": {"/n": 5}}]}, {"requests": {}, "count": 9}"#,
            shipping: .noted)
        a.work { rig in
            rig.send(to: Self.stranger)
            rig.send(to: JudgeRig.alice)
            rig.send(to: JudgeRig.bob)
            rig.send(to: Self.stranger, body: #"{"n":1}"#)
            rig.send(to: Self.stranger, body: #"{"n":5}"#)
            rig.send(to: "none")
            rig.send(to: Self.stranger)
            rig.send(.publish(to: "none"))
            rig.sendAsAdmin()
        }
        let frames = a.frames()
        #expect(frames.map(\.sequences) == [[2, 3, 4, 5, 6, 8, 9]])
        #expect(frames[0].unshippedCount == 2 && frames[0].latestSequence == 9 && frames[0].decided == 9)
        let none = try ReplicaFrame(frames[0].bytes.span)
        #expect(none.sequences == frames[0].sequences && none.unshippedCount == 2 && none.latestSequence == 9)
    }

    /// Each of these differs from an ordinary push in one thing.
    @Test func whatIsNotOrdinary() throws {
        var a = try ReplicaRig(
            #""rules": [{"when": {"payload": {"/n": 2}}, "then": {"pass": true}}],"#, shipping: .noted)
        let carol = String(repeating: "c3", count: 32)
        try a.control { gateway, now in
            var device = DeclaredDevice(token: try #require(DeviceToken(hex: carol)))
            device.name = "carol"
            return gateway.declare(device, at: now)?.1 ?? []
        }
        a.work { rig in
            rig.send(to: Self.stranger)
            rig.send(to: Self.stranger, body: #"{"n":2}"#)
            rig.sendAsAdmin(to: Self.stranger)
            rig.send(to: carol)
            rig.send(to: Self.stranger)
            rig.gateway.log.update(5, with: RequestUpdate(outcome: .cancelled))
            rig.send(to: Self.stranger)
        }
        let known = try #require(DeviceToken(hex: Self.stranger))
        let found = a.rig.gateway.devices.find(known)
        a.change(try #require(found)) { $0.isOnline = false }
        a.work { $0.send(to: Self.stranger) }
        #expect(a.frames().map(\.sequences) == [[2, 3, 4, 5, 7]])
    }

    @Test func aPushToADeviceThatIsDeclaredWithoutANameIsNoted() throws {
        let text = #"{"devices": [{"token": "\#(Self.stranger)"}]}"#
        let scenario = try #require(Scenario.read(Array(text.utf8)).0)
        var a = try ReplicaRig(shipping: .noted)
        a.rig.gateway.play(scenario, a.rig.gateway.configuration, at: GatewayRig.now)
        a.work { rig in
            rig.send(to: Self.stranger)
            rig.send(to: String(repeating: "c2", count: 32))
        }
        #expect(a.frames().map(\.sequences) == [[1]])
    }

    @Test func whatIsSaidOfRecordsThatAreLeftOut() throws {
        var a = try ReplicaRig(shipping: .none)
        a.work { rig in
            rig.send(to: Self.stranger)
            rig.send(to: Self.stranger)
            rig.send(to: JudgeRig.bob)
            rig.sendAsAdmin(to: Self.stranger)
            rig.send(to: Self.stranger)
        }
        #expect(a.rig.gateway.deleteRecords([2], foundIn: a.rig.gateway.log.snapshot) == 1)
        try a.change("bob") { $0.isOnline = true }
        let frames = a.frames()
        let unshipped = try #require(frames.first?.unshipped)
        // Neither the push to a declared device nor that of the admin API is an ordinary one.
        #expect((unshipped.count, unshipped.special, unshipped.latestSequence) == (4, 2, 5))
        #expect(unshipped.connections == [UInt32(a.rig.connection): 3])
        #expect(unshipped.seconds == [GatewayRig.now.seconds: 3])
        // Nor is it said what became of them.
        let updates = frames.flatMap(\.events).count { if case .update = $0.content { true } else { false } }
        #expect(updates == 0)
    }

    @Test(arguments: [ShippedRecords.noted, .none])
    func whatCameBeforeTheScenarioIsNotCounted(_ shipped: ShippedRecords) throws {
        let list = #"{"requests": {}, "count": 1}, {"inOrder": [{"token": "\#(Self.stranger)"}]}"#
        let next = try JudgeRig(list).gateway.scenario
        var a = try ReplicaRig(shipping: shipped)
        a.work { rig in for _ in 0..<2 { rig.send(to: Self.stranger) } }
        a.rig.gateway.play(next, a.rig.gateway.configuration, at: GatewayRig.now)
        a.work { $0.send(to: Self.stranger) }
        let frames = a.frames()
        #expect(frames.map(\.sequences) == [shipped == .noted ? [3] : []])
        let counted = frames[0].unshipped?.tallies.expectations.first?.counts?.all.requests
        #expect(counted == (shipped == .noted ? 0 : 1))
    }

    @Test func countsAreKeptForSixteenOtherScenarios() {
        var counts = UnshippedCounts()
        func keep(_ scenario: UInt64, requests: Int) {
            var (records, tally) = (UnshippedRecords(), ExpectationJudge.Tally())
            (records.scenario, records.count, tally.others) = (scenario, requests, requests)
            counts.keep(ExpectationJudge.Tallies(expectations: [tally]), records)
        }
        for scenario in 1...16 as ClosedRange<UInt64> { keep(scenario, requests: 2) }
        keep(16, requests: 3)
        keep(17, requests: 5)
        keep(18, requests: 1)
        #expect(counts.uncounted == 41)
        // Of two scenarios it is not known what their requests count for.
        #expect(counts.begin(16)?.expectations.map(\.others) == [5] && counts.uncounted == 6)
        #expect(counts.begin(17) == nil && counts.uncounted == 0)
        keep(17, requests: 5)
        #expect(counts.begin(17)?.expectations.map(\.others) == [5] && counts.uncounted == 0)
    }

    /// Nothing of a million requests but counts.
    @Test func aFrameMayStandForManyRecords() throws {
        var a = try ReplicaRig(logLimit: 10_000, expectations: #"{"requests": {}, "count": 3000}"#, shipping: .none)
        var collector = try CollectorRig(#"{"requests": {}, "count": 3000}"#, replicas: ["a"])
        a.work { rig in for _ in 0..<3000 { rig.send(to: Self.stranger, after: 1) } }
        let frames = a.frames()
        #expect(frames.map(\.unshippedCount) == [3000] && frames[0].bytes.count < 1000)
        #expect(a.source.lost.records == 0)
        try collector.take(frames, of: 0)
        collector.proceed()
        #expect(collector.passed == [true] && collector.gateway.log.latestSequence == 0)
    }

    @Test(arguments: [#""count": 1, "each": "apnsID""#, #""count": 2500, "distinct": "apnsID""#])
    func aFrameWithValuesStandsForOneSegmentAtMost(_ values: String) throws {
        let each = #"{"requests": {}, \#(values)}"#
        var a = try ReplicaRig(logLimit: 10_000, expectations: each, shipping: .none)
        var collector = try CollectorRig(each, replicas: ["a"])
        a.work { rig in for id in 0..<2500 { rig.send(to: Self.stranger, id: id) } }
        let frames = a.frames()
        #expect(frames.map(\.unshippedCount) == [1024, 1024, 452])
        try collector.take(frames, of: 0)
        collector.proceed()
        #expect(collector.passed == [true])
        a.work { $0.send(to: Self.stranger, id: values.contains("each") ? 7 : 2500) }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        #expect(collector.passed == [false])
    }

    /// However many records come between that are not shipped, the collector knows which one changes.
    @Test func aNotedRecordIsChangedMuchLater() throws {
        var a = try ReplicaRig(logLimit: 100_000, shipping: .noted)
        var collector = try CollectorRig(logLimit: 100, replicas: ["a"])
        a.work { $0.send(to: JudgeRig.bob) }
        for _ in 0..<5 {
            a.work { rig in for _ in 0..<1000 { rig.send(to: Self.stranger) } }
            try collector.take(a.frames(), of: 0)
        }
        try a.change("bob") { $0.isOnline = true }
        try collector.take(a.frames(), of: 0)
        collector.proceed()
        let record = try JSONText.read(try #require(collector.gateway.log.snapshot.record(1)))
        #expect(record["delivery"]?.string == "Delivered to Device (From Storage)")
        #expect(collector.gateway.log.latestSequence == 1)
    }

    @Test func recordsThatTheLogHasDroppedAreMissing() throws {
        var a = try ReplicaRig(logLimit: 10, shipping: .none)
        a.work { rig in for _ in 0..<25 { rig.send(to: Self.stranger) } }
        let frames = a.frames()
        #expect(frames.map(\.firstSequence) == [16] && frames.map(\.unshippedCount) == [10])
        #expect(a.source.lost.records == 15)
    }
}
