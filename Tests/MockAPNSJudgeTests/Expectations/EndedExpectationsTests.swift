import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// Expectations that are in force no more before the run is over: by a reset, or by another scenario.
@Suite struct EndedExpectationsTests {
    private static let one = #"{"name": "one", "requests": {"status": 200}, "count": 1}"#

    /// What came of the expectations that have ended, in a few words each.
    private static func ended(_ rig: inout JudgeRig) -> [String] {
        rig.gateway.takeEndedExpectations().map { ended in
            let results = ended.verify().map { "\($0.name) \($0.passed ? "passed" : "failed: \($0.seen)")" }
            return "\(ended.end.cause): " + results.joined(separator: "; ")
        }
    }

    private static func play(_ expectations: String, anew: Bool = false, _ rig: inout JudgeRig) throws {
        let text = #"{"clock": {"manual": "now"}, "expect": [\#(expectations)]}"#
        let scenario = try #require(Scenario.read(Array(text.utf8)).0)
        let configuration = scenario.configuration(seed: 1, defaultTeams: GatewayRig.teams)
        if anew {
            rig.gateway.restart(scenario, configuration, at: rig.time)
        } else {
            rig.gateway.play(scenario, configuration, at: rig.time)
        }
    }

    @Test("A reset judges what was expected until then, with its time; they go on to be in force")
    func reset() throws {
        var rig = try JudgeRig(Self.one)
        rig.send()
        rig.send(after: 250)
        rig.gateway.reset(at: rig.time)
        let ended = rig.gateway.takeEndedExpectations()
        let result = try #require(ended.first?.verify().first)
        #expect(ended.count == 1 && !result.passed)
        #expect(result.seen == "2 requests, numbers 1 and 2")
        #expect(result.end == EarlyEnd(cause: .reset, time: rig.time))
        #expect(result.description.contains("  judged    \(rig.time.text), when the scenario was reset\n"))
        #expect(rig.results.map(\.seen) == ["0 requests"])
        #expect(rig.results[0].end == nil)
        #expect(rig.gateway.takeEndedExpectations().isEmpty)
    }

    @Test("Nothing is judged at a reset before any request has come; who waits knows since when")
    func idle() throws {
        var rig = try JudgeRig(Self.one)
        #expect(rig.gateway.idleSince == nil)
        rig.gateway.reset(at: rig.time)
        #expect(Self.ended(&rig).isEmpty)
        #expect(rig.gateway.idleSince == EarlyEnd(cause: .reset, time: rig.time))
        rig.send()
        #expect(rig.gateway.idleSince == nil)
        rig.gateway.reset(at: rig.time)
        rig.gateway.reset(at: rig.time)
        #expect(Self.ended(&rig) == ["reset: one passed"])
    }

    @Test(
        "Another scenario ends what was expected, whether everything begins anew or the log goes on",
        arguments: [true, false])
    func replaced(anew: Bool) throws {
        var rig = try JudgeRig(Self.one)
        rig.send()
        try Self.play(#"{"name": "two", "requests": {}, "count": 2}"#, anew: anew, &rig)
        rig.send()
        try Self.play("", anew: anew, &rig)
        #expect(
            Self.ended(&rig) == [
                "replacement: one passed", "replacement: two failed: 1 request, number \(anew ? 1 : 2)",
            ])
    }

    @Test("What was dropped before it was ever judged has failed")
    func dropped() throws {
        var rig = try JudgeRig(Self.one)
        rig.gateway.reset(at: rig.time)
        try Self.play(#"{"name": "other", "requests": {}, "count": 0}"#, &rig)
        #expect(
            Self.ended(&rig) == [
                "replacement: one failed: no request arrived before it was dropped, so it was never judged"
            ])
        // Nor are others of the same devices the same, nor the same of others.
        try Self.play(#"{"name": "third", "requests": {}, "count": 0}"#, &rig)
        #expect(
            Self.ended(&rig) == [
                "replacement: other failed: no request arrived before it was dropped, so it was never judged"
            ])
        var another = try JudgeRig(Self.one)
        try Self.play(Self.one, &another)
        #expect(Self.ended(&another).count == 1)
        try Self.play(#"{"name": "other", "requests": {}, "count": 0}"#, &rig)
        _ = Self.ended(&rig)
        // The same expectations of the same devices are not dropped; what was judged once may be dropped later.
        try Self.play(#"{"name": "other", "requests": {}, "count": {"atMost": 0}}"#, &rig)
        #expect(Self.ended(&rig).isEmpty)
        rig.send()
        rig.gateway.reset(at: rig.time)
        try Self.play("", &rig)
        #expect(Self.ended(&rig) == ["reset: other failed: 1 request, number 1"])
        // Where nothing is expected, nothing is dropped.
        try Self.play("", &rig)
        #expect(Self.ended(&rig).isEmpty)
    }

    @Test("What was judged at a reset is not judged again when nothing comes after it")
    func judgedToTheEnd() throws {
        var rig = try JudgeRig(Self.one)
        #expect(rig.gateway.isJudgedToTheEnd == false)
        rig.gateway.reset(at: rig.time)
        #expect(rig.gateway.isJudgedToTheEnd == false)
        rig.send()
        #expect(rig.gateway.isJudgedToTheEnd == false)
        for _ in 1...2 {
            rig.gateway.reset(at: rig.time)
            #expect(rig.gateway.isJudgedToTheEnd == true)
        }
        rig.send()
        #expect(rig.gateway.isJudgedToTheEnd == false)
        rig.gateway.reset(at: rig.time)
        rig.gateway.restart(rig.gateway.scenario, rig.gateway.configuration, at: rig.time)
        #expect(rig.gateway.isJudgedToTheEnd == true)
        // Others were never judged.
        try Self.play(#"{"name": "other", "requests": {}, "count": 0}"#, &rig)
        #expect(rig.gateway.isJudgedToTheEnd == false)
    }

    @Test("Who connects after a reset and pushes nothing is judged")
    func connectedAfterReset() throws {
        var rig = try JudgeRig(Self.one)
        rig.send()
        rig.gateway.reset(at: rig.time)
        #expect(rig.gateway.isJudgedToTheEnd == true)
        _ = rig.gateway.openConnection(.example, at: rig.time)
        #expect(rig.gateway.isJudgedToTheEnd == false)
        rig.gateway.reset(at: rig.time)
        #expect(rig.gateway.isJudgedToTheEnd == true)
    }

    @Test("Devices are judged as they were, before another scenario takes their mail")
    func devices() throws {
        var rig = try JudgeRig(#"{"device": "bob", "stored": 1}, {"device": "alice", "displayed": [{}]}"#)
        rig.send(to: JudgeRig.bob)
        rig.send()
        try Self.play("", anew: true, &rig)
        #expect(Self.ended(&rig) == ["replacement: expect[0] passed; expect[1] passed"])
    }

    @Test("Earlier results keep their order, whoever is judged first; of very many only the failures are counted")
    func results() throws {
        var rig = try JudgeRig(Self.one)
        for count in [1, 2] {
            for _ in 0..<count { rig.send() }
            rig.gateway.reset(at: rig.time)
        }
        var earlier = EarlierResults()
        earlier.add(rig.gateway.takeEndedExpectations())
        for (id, ended) in earlier.unsettled.reversed() { earlier.settle(id, ended.verify()) }
        #expect(earlier.all.map(\.passed) == [true, false])
        #expect(earlier.unsettled.isEmpty)

        rig.send()
        rig.gateway.reset(at: rig.time)
        let ended = rig.gateway.takeEndedExpectations()
        let failure = ExpectationResult(name: "x", passed: false, expected: "", seen: "")
        var last: [String?] = []
        for count in Array(repeating: 1000, count: EarlierResults.limit / 1000 - 1) + [998, 1, 1] {
            earlier.add(ended)
            earlier.settle(earlier.unsettled[0].id, Array(repeating: failure, count: count))
            last.append(earlier.all.last?.seen)
        }
        #expect(earlier.all.count == EarlierResults.limit + 1)
        #expect(
            last.suffix(3) == [
                "", "1 expectation failed after 10000 had been judged",
                "2 expectations failed after 10000 had been judged",
            ])
    }

    @Test("Reports say when it was")
    func reports() throws {
        var rig = try JudgeRig(Self.one)
        rig.send()
        rig.send()
        rig.gateway.reset(at: rig.time)
        let results = rig.gateway.takeEndedExpectations()[0].verify()
        let report = Report(Verification(results + rig.results), of: rig.gateway.scenario)
        let text = "judged \(rig.time.text), when the scenario was reset"
        #expect(report.junit.contains("seen: 2 requests, numbers 1 and 2; \(text)\""))
        #expect(report.junit.contains(#"<testcase name="one (2)""#))
        #expect(report.markdown.contains("- **Judged:** \(rig.time.text), when the scenario was reset\n"))
    }
}
