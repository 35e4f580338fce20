import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

@Suite("The verdict of a collector")
struct CollectorVerdictTests {
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
        _ expectations: String = expectations, seed: UInt64
    ) throws -> (one: [ExpectationResult], fleet: [ExpectationResult], summaries: (Summary, Summary)) {
        var one = try JudgeRig(expectations, more)
        let other = one.gateway.openConnection(.example, at: one.time)
        var a = try ReplicaRig(more, expectations: expectations)
        var b = try ReplicaRig(more, expectations: expectations)
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
            one.results, collector.gateway.verificationInput(at: GatewayRig.now).verify().results,
            (one.gateway.summary(at: one.time), collector.gateway.summary(at: one.time))
        )
    }

    // MARK: Verdicts

    @Test(arguments: [1, 2, 3, 4, 5, 6])
    func theVerdictIsThatOfOneServer(seed: UInt64) throws {
        let (one, fleet, summaries) = try Self.compare(seed: seed)
        #expect(one.count == fleet.count && one.contains { !$0.passed } && one.contains { $0.passed })
        for (own, merged) in zip(one, fleet) {
            #expect(merged.passed == own.passed, "\(own)\n\(merged)")
            if own.passed { #expect(merged.seen == own.seen) }
        }
        let (s, t) = summaries
        #expect((s.requests, s.byStatus, s.connectionsOpened) == (t.requests, t.byStatus, t.connectionsOpened))
        #expect((s.peakPerSecond, s.perSecond) == (t.peakPerSecond, t.perSecond))
    }

    /// Whatever is expected and sent.
    @Test(arguments: 1...40)
    func anyVerdictIsThatOfOneServer(seed: UInt64) throws {
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
        let (one, fleet, _) = try Self.compare(list.joined(separator: ","), seed: seed)
        for (own, merged) in zip(one, fleet) { #expect(own.passed == merged.passed, "\(own)\n\(merged)") }
    }

    /// A connection from before counts as soon as requests come on it.
    @Test func connectionsFromBeforeTheScenario() throws {
        let next = try JudgeRig(#"{"connections": 1}"#).gateway.scenario
        var a = try ReplicaRig()
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
