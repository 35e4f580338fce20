import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// Expectations of what lint finds.
@Suite struct LintExpectationTests {
    private static let badge = #"{"aps":{"badge":"1"}}"#
    private static let sound = #"{"aps":{"alert":{"title":"Game"},"sound":"Default"}}"#
    private static let good = #"{"aps":{"alert":{"title":"Game"}}}"#
    private static let badgeLine =
        #"error: /aps/badge is the string "1"; expected a number. It is ignored; APNs cannot count up."#

    @Test(
        "The findings are counted, one for each rule and pointer",
        arguments: [
            (#"{}, "count": 3"#, true, "exactly 3 lint findings", "3 lint findings"),
            (
                #"{"severity": "note"}, "count": {"atLeast": 3}"#, true,
                #"at least 3 lint findings with severity "note" or worse"#, "3 lint findings"
            ),
            (
                #"{"severity": "warning"}, "count": 2"#, true,
                #"exactly 2 lint findings with severity "warning" or worse"#, "2 lint findings"
            ),
            (
                #"{"rule": "badge-type", "severity": "error"}, "count": 1"#, true,
                #"exactly 1 lint finding of rule "badge-type" with severity "error""#, "1 lint finding"
            ),
            (
                #"{"rule": "badge-not-whole"}, "count": 0"#, true,
                #"no lint findings of rule "badge-not-whole""#, "0 lint findings"
            ),
            (
                #"{"severity": "error"}, "count": 0"#, false, #"no lint findings with severity "error""#,
                "1 lint finding: push 1: \(badgeLine) (2 times, last in push 4) [badge-type]"
            ),
        ])
    func counts(body: String, passed: Bool, expected: String, seen: String) throws {
        var rig = try JudgeRig(#"{"lint": \#(body)}"#, payloadRulesOnly())
        for body in [Self.badge, Self.sound, #"{"aps":{"alert":"Hello"}}"#, Self.badge] { rig.send(body: body) }
        let result = try #require(rig.results.first)
        #expect(result.passed == passed && result.expected == expected && result.seen == seen, "\(result)")
        #expect(try rig.verify(#"{"lint": \#(body)}"#).map(\.seen) == [seen])
        #expect(result.nearMisses.isEmpty)
    }

    @Test("Where no push came, nothing was judged", arguments: ["0", #"{"atMost": 5}"#])
    func nothing(count: String) throws {
        let rig = try JudgeRig(#"{"lint": {}, "count": \#(count)}"#)
        #expect(rig.passed == [false])
        #expect(rig.results.map(\.seen) == ["0 lint findings, as there was no push to judge"])
    }

    @Test("A report names three findings")
    func three() throws {
        var rig = try JudgeRig(#"{"lint": {}, "count": 0}"#, payloadRulesOnly())
        rig.send(body: #"{"aps":{"alert":"Hello","badge":"1","sound":7,"thread-id":1,"category":2}}"#)
        let seen = try #require(rig.results.first?.seen)
        #expect(seen.hasPrefix("5 lint findings: push 1: ") && seen.hasSuffix("]; 2 more"), "\(seen)")
    }

    @Test("The nearest findings are told when there are too few: of the rule's family, or less bad")
    func nearest() throws {
        var rig = try JudgeRig(
            """
            {"lint": {"rule": "badge-not-whole"}, "count": 1},
            {"lint": {"rule": "sound-default-case", "severity": "error"}, "count": 1},
            {"lint": {"severity": "error"}, "count": 2}
            """, payloadRulesOnly())
        for body in [Self.good, Self.sound, Self.badge] { rig.send(body: body) }
        let results = rig.results
        #expect(results.map(\.passed) == [false, false, false])
        #expect(results[0].nearest == [#"3: lint rule "badge-type", not "badge-not-whole""#])
        #expect(results[1].nearest == [#"2: lint severity "warning", not "error""#])
        #expect(results[2].nearest == [#"2: lint severity "warning", not "error""#])
        #expect(results[2].description.contains(#"  nearest   request 2: lint severity is "warning", not "error""#))
    }

    @Test("The scenario's lint counts: what is off, what is worse")
    func settings() throws {
        let lint = #""lint": {"rules": {"badge-type": "off", "sound-default-case": "error"}},"#
        var rig = try JudgeRig(
            #"{"lint": {"severity": "error"}, "count": 1}, {"lint": {"rule": "badge-type"}, "count": 1}"#, lint)
        for body in [Self.badge, Self.sound] { rig.send(body: body) }
        #expect(rig.passed == [true, false])
        #expect(rig.results[1].seen == "0 lint findings, as the rule is off")
    }

    @Test("Another scenario is judged by the pushes since it is played, others by the whole log, or a part of it")
    func scope() throws {
        let none = #"{"lint": {"severity": "error"}, "count": 0}"#
        var rig = try JudgeRig("")
        rig.send(body: Self.badge)
        let scenario = try #require(Scenario.read(Array(#"{"expect": [\#(none)]}"#.utf8)).0)
        rig.gateway.play(scenario, scenario.configuration(seed: 1, defaultTeams: GatewayRig.teams), at: rig.time)
        rig.send(body: Self.good)
        #expect(rig.passed == [true])
        #expect(try rig.verify(none).map(\.passed) == [false])
        let withoutBadge = #"{"payload": {"/aps/badge": {"exists": false}}}"#
        #expect(try rig.verify(none, within: withoutBadge).map(\.passed) == [true])
        let endless = #"{"payload": {"/aps/alert/title": {"matches": "(a+)+$"}}}"#
        rig.send(body: #"{"aps":{"alert":{"title":"\#(String(repeating: "a", count: 40))!"}}}"#)
        let undecided = try rig.verify(none, within: endless)
        #expect(undecided.map(\.passed) == [false])
        #expect(undecided[0].seen.contains("was undecided for request 3"), "\(undecided)")
    }

    @Test("What the log has dropped cannot be judged")
    func dropped() throws {
        var rig = try JudgeRig(#"{"lint": {}, "count": 0}, {"requests": {}, "count": 3}"#, logLimit: 2)
        for _ in 0..<3 { rig.send(body: Self.good) }
        #expect(rig.passed == [false, true])
        #expect(rig.results[0].seen.hasPrefix("the log had dropped 1 request before this was judged"))
        #expect(try rig.verify(#"{"lint": {}, "count": 0}"#).map(\.passed) == [false])
    }

    @Test("A recorded log is judged like the server; where lines are missing, the verdict is unknown")
    func recorded() throws {
        let expectation = #"{"lint": {"severity": "error"}, "count": 0}"#
        var rig = try RecordedRig(expectation)
        for body in [Self.good, Self.badge, Self.good] {
            rig.send(ExamplePush { $0.body = Array(body.utf8) })
        }
        #expect(try rig.recorded().input.verify().results.map(\.seen) == rig.rig.results.map(\.seen))
        let lines = String(decoding: rig.lines, as: UTF8.self).split(separator: "\n")
        let torn = Array(lines.filter { !$0.contains("badge") }.joined(separator: "\n").utf8) + [UInt8(ascii: "\n")]
        let input = try RecordedLog.read(torn, rig.rig.gateway.scenario).input
        #expect(input.verify().results.map(\.seen) == ["unknown: the log lacks 1 request"])
    }

    @Test("Nothing is counted as requests are decided")
    func lazily() throws {
        let expectations = try JudgeRig(#"{"lint": {}, "count": 0}"#).gateway.scenario.expectations
        let judge = ExpectationCounter(expectations, in: Scenario(), connectionsBefore: 0, PatternContext())
        #expect(!judge.seesRequests)
    }

    @Test("Where too many findings are left out, only a minimum can hold")
    func tooMany() throws {
        var rig = try JudgeRig(
            #"{"lint": {}, "count": {"atLeast": 10000}}, {"lint": {"severity": "error"}, "count": 0}"#)
        for part in 0..<85 {
            let keys = (0..<120).map { #""x\#(part)-\#($0)":{"aps":{"badge":1}}"# }
            rig.send(body: #"{"aps":{"alert":{"title":"Game"}},\#(keys.joined(separator: ","))}"#)
        }
        let results = rig.results
        #expect(results.map(\.passed) == [true, false], "\(results)")
        #expect(results[0].seen.contains("further ones left out"), "\(results[0])")
    }
}
