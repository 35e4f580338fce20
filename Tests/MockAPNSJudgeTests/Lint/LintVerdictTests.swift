import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// Lint of a whole run, and its reports.
@Suite struct LintVerdictTests {
    private static let badge = #"{"aps":{"badge":"1"}}"#
    private static let text = #"{"aps":{"alert":"Hello <b>"}}"#

    private static func verdict(_ rig: borrowing JudgeRig) -> LintVerdict {
        let input = rig.gateway.verificationInput(at: GatewayRig.now)
        var verdict = LintVerdict()
        verdict.add(input.linting().finish(), in: input)
        return verdict
    }

    @Test("What is as bad as failOn fails the run")
    func failOn() throws {
        for (failOn, fails) in [("error", false), ("warning", true), ("note", true), ("never", false)] {
            var rig = try JudgeRig("", payloadRulesOnly(#", "failOn": "\#(failOn)""#))
            rig.send(body: #"{"aps":{"alert":{"title":"Game"},"sound":"Default"}}"#)
            let verdict = Self.verdict(rig)
            #expect(verdict.fails == fails)
            #expect(verdict.headline == "Lint\(fails ? " failed" : ""): 1 warning in 1 push.")
        }
        var report = Report(Verification([]), of: Scenario())
        #expect(report.passed)
        var rig = try JudgeRig("", payloadRulesOnly())
        #expect(Self.verdict(rig).lacksPushes)
        rig.send(body: Self.badge)
        report.lint = Self.verdict(rig)
        #expect(!report.passed)
    }

    @Test("The parts of a run are one report: before a reset, by another scenario, in sessions")
    func parts() throws {
        var rig = try JudgeRig("", payloadRulesOnly())
        rig.gateway.keepRequestsForLint()
        rig.send(body: Self.badge)
        rig.send(body: Self.badge)
        rig.gateway.reset(at: rig.time)
        // Nothing has come since, so there is nothing to lint.
        rig.gateway.reset(at: rig.time)
        rig.send(body: Self.badge)
        let lenient = try #require(
            Scenario.read(Array("{\(payloadRulesOnly(#", "failOn": "never""#).dropLast())}".utf8)).0)
        rig.gateway.play(lenient, lenient.configuration(seed: 1, defaultTeams: GatewayRig.teams), at: rig.time)
        rig.send(body: #"{"aps":{"badge":-1}}"#)
        let ended = rig.gateway.takeEndedExpectations()
        #expect(ended.count == 2 && ended.allSatisfy { $0.verify().isEmpty })
        var verdict = LintVerdict()
        for part in ended { verdict.add(part.lint()) }
        let rest = Self.verdict(rig)
        #expect(rest.report.findings.map(\.rule) == [.badgeNotWhole] && !rest.fails)
        verdict.add(rest)
        verdict.add(rest, session: "mine")
        #expect(verdict.headline == "Lint failed: 3 errors in 5 pushes.")
        let lines = verdict.report.lines
        #expect(lines[0].hasPrefix("push 1 before \(rig.time.text), when the scenario was reset: error: /aps/badge is"))
        #expect(lines[0].hasSuffix(" (3 times) [badge-type]"))
        #expect(lines[1].hasPrefix("push 2: error: "))
        #expect(lines[2].hasPrefix("session mine: push 2: error: ") && lines.count == 3)
        #expect(verdict.report.findings.map(\.fails) == [true, false, false])
    }

    @Test("Without being asked to, a gateway keeps no requests of which nothing is expected")
    func nothingKept() throws {
        var rig = try JudgeRig("", payloadRulesOnly())
        rig.send()
        rig.gateway.reset(at: rig.time)
        #expect(rig.gateway.takeEndedExpectations().isEmpty)
    }

    @Test("Findings before resets are told in the order of the resets, in whatever order they are linted")
    func order() throws {
        var rig = try JudgeRig("", payloadRulesOnly())
        rig.gateway.keepRequestsForLint()
        for body in [Self.badge, #"{"aps":{"sound":7}}"#, #"{"aps":{"category":7}}"#] {
            rig.send(body: body)
            rig.gateway.reset(at: rig.time)
        }
        var earlier = EarlierResults()
        earlier.add(rig.gateway.takeEndedExpectations())
        let entries = earlier.unsettled
        for index in [2, 0, 1] { earlier.settle(entries[index].id, [], entries[index].ended.lint()) }
        #expect(earlier.lint.report.findings.map(\.rule) == [.badgeType, .soundType, .stringKeyType])
        earlier.settle(entries[0].id, [], entries[0].ended.lint())
        #expect(earlier.lint.report.findings.map(\.count) == [1, 1, 1] && earlier.all.isEmpty)
    }

    @Test("A log that has dropped requests says so")
    func dropped() throws {
        var rig = try JudgeRig("", payloadRulesOnly(), logLimit: 1)
        for _ in 0..<3 { rig.send(body: Self.badge) }
        #expect(
            Self.verdict(rig).headline
                == "Lint failed: 1 error in 1 push. The log had dropped 2 requests; --log-limit keeps more.")
    }

    @Test("Of merged logs, each finding has the number of its push in its own log")
    func merged() throws {
        var first = try RecordedRig("", payloadRulesOnly())
        var second = try RecordedRig("", payloadRulesOnly())
        func push(_ body: String) -> ExamplePush { ExamplePush { $0.body = Array(body.utf8) } }
        first.send(push(Self.text))
        second.rig.time.milliseconds += 1000
        second.send(push(Self.badge))
        second.rig.time.milliseconds += 1000
        second.send(push(Self.badge))
        first.rig.time.milliseconds += 5000
        first.send(push(Self.text))
        second.rig.time.milliseconds += 5000
        second.send(push(Self.text))
        let scenario = first.rig.gateway.scenario
        let input = MergedLogs(
            [
                try RecordedHistory(named: "a.jsonl", of: scenario, first.lines),
                try RecordedHistory(named: "b.jsonl", of: scenario, second.lines),
            ], of: scenario
        ).input
        var verdict = LintVerdict()
        verdict.add(input.linting().finish(), in: input)
        let lines = verdict.report.lines
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("a.jsonl: push 1: note: ") && lines[0].hasSuffix("(3 times) [alert-is-string]"))
        #expect(lines[1].hasPrefix("b.jsonl: push 1: error: "))
        #expect(lines[1].hasSuffix("(2 times, last in push 2) [badge-type]"))
    }

    @Test("A report is read back from the JSON of the API")
    func json() throws {
        var rig = try JudgeRig("", payloadRulesOnly())
        for body in [Self.badge, Self.text, Self.badge] { rig.send(body: body) }
        let report = Self.verdict(rig).report
        let read = try #require(LintReport(try JSONText.read(Array(report.json.utf8))))
        #expect(read.lines == report.lines)
        #expect(LintReport(try JSONText.read(Array(#"{"findings": [{"rule": "x"}]}"#.utf8))) == nil)
        let verdict = LintVerdict(read, by: LintSettings())
        #expect(verdict.fails && verdict.headline == "Lint failed: 1 error, 1 note in 3 pushes.")
    }

    @Test("JUnit: a test case for each rule that has found something, failed if the run fails by it")
    func junit() throws {
        var rig = try JudgeRig("", payloadRulesOnly())
        for body in [Self.badge, Self.text, Self.badge] { rig.send(body: body) }
        var report = Report(
            Verification([ExpectationResult(name: "one", passed: true, expected: "1", seen: "1")]), of: Scenario())
        report.lint = Self.verdict(rig)
        #expect(
            report.junit == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="mock-apns" tests="3" failures="1" errors="0" time="0.000">
                  <testsuite name="mock-apns" tests="1" failures="0" errors="0" skipped="0" time="0.000">
                    <testcase name="one" classname="mock-apns" time="0.000"/>
                  </testsuite>
                  <testsuite name="mock-apns: lint" tests="2" failures="1" errors="0" skipped="0" time="0.000">
                    <testcase name="alert-is-string" classname="mock-apns: lint" time="0.000">
                      <system-out>push 2: note: /aps/alert is the string &quot;Hello &lt;b&gt;&quot;. It becomes the \
                body; an object can also have a title. [alert-is-string]</system-out>
                    </testcase>
                    <testcase name="badge-type" classname="mock-apns: lint" time="0.000">
                      <failure type="lint" message="/aps/badge is the string &quot;1&quot;; expected a number. It is \
                ignored; APNs cannot count up.">push 1: error: /aps/badge is the string &quot;1&quot;; expected a \
                number. It is ignored; APNs cannot count up. (2 times, last in push 3) [badge-type]</failure>
                    </testcase>
                    <system-out>Lint failed: 1 error, 1 note in 3 pushes.</system-out>
                  </testsuite>
                </testsuites>

                """)
        report.lint = LintVerdict()
        #expect(report.junit.contains(#"<testsuites name="mock-apns" tests="2" failures="0" errors="0""#))
        #expect(report.junit.contains(#"<testcase name="all rules" classname="mock-apns: lint" time="0.000"/>"#))
        report.error = "It failed."
        #expect(report.junit.contains(#"<testsuites name="mock-apns" tests="3" failures="0" errors="1""#))
    }

    @Test("Markdown: a table, the worst first")
    func markdown() throws {
        var rig = try JudgeRig("", payloadRulesOnly())
        for body in [Self.text, Self.badge, Self.badge] { rig.send(body: body) }
        var report = Report(Verification([]), of: Scenario())
        report.lint = Self.verdict(rig)
        #expect(
            report.markdown == """
                ## ❌ mock-apns

                **Nothing was expected: "expect" is missing or empty.**

                ### ❌ Lint failed: 1 error, 1 note in 3 pushes.

                | Severity | Rule | Push | Found |
                |---|---|---|---|
                | ❌ error | badge-type | push 2 (2 times, last in push 3) | /aps/badge is the string "1"; expected a \
                number. It is ignored; APNs cannot count up. |
                | note | alert-is-string | push 1 | /aps/alert is the string "Hello &lt;b&gt;". It becomes the body; \
                an object can also have a title. |

                """)
        report.lint = LintVerdict()
        #expect(report.markdown.contains("### ✅ Lint: no push was recorded, so there was nothing to judge.\n"))
    }

    @Test("A run without a push fails, in all reports, unless nothing can fail it")
    func noPush() throws {
        let text = "Lint failed: no push was recorded, so there was nothing to judge."
        var report = Report(Verification([]), of: Scenario())
        report.lint = Self.verdict(try JudgeRig("", payloadRulesOnly()))
        #expect(report.lint?.description == text + "\n" && !report.passed)
        #expect(report.markdown.contains("### ❌ \(text)\n"))
        #expect(report.junit.contains(#"<testsuites name="mock-apns" tests="1" failures="1" errors="0""#))
        #expect(report.junit.contains(#"<failure type="lint" message="\#(text)"/>"#))
        #expect(!Self.verdict(try JudgeRig("", payloadRulesOnly(#", "failOn": "never""#))).fails)
        // A server of before said nothing of pushes.
        let unknown = try #require(LintReport(try JSONText.read(Array(#"{"findings": []}"#.utf8))))
        #expect(!LintVerdict(unknown, by: LintSettings()).fails)
        let none = try #require(
            LintReport(try JSONText.read(Array(#"{"findings": [], "pushes": 0, "channelCalls": 0}"#.utf8))))
        #expect(LintVerdict(none, by: LintSettings()).fails)
        let calls = try #require(
            LintReport(try JSONText.read(Array(#"{"findings": [], "pushes": 0, "channelCalls": 2}"#.utf8))))
        #expect(LintVerdict(calls, by: LintSettings()).headline == "Lint: no findings in 2 calls about channels.")
        #expect(!LintVerdict(calls, by: LintSettings()).fails)
        // Pushes of a session, or before a reset, are enough.
        var verdict = Self.verdict(try JudgeRig("", payloadRulesOnly()))
        var rig = try JudgeRig("", payloadRulesOnly())
        rig.send(body: #"{"aps":{"alert":{"title":"Game"}}}"#)
        verdict.add(Self.verdict(rig), session: "mine")
        #expect(!verdict.fails && verdict.headline == "Lint: no findings in 1 push.")
    }

    @Test("Reports have a hundred findings of each rule, and those by which the run fails first")
    func limits() throws {
        var rig = try JudgeRig("", payloadRulesOnly(#", "failOn": "note""#, rules: #", "aps-nested": "note""#))
        let keys = (0..<120).map { #""x\#($0)":{"aps":{"badge":1}}"# }
        rig.send(body: #"{"aps":{"alert":{"title":"Game"}},\#(keys.joined(separator: ","))}"#)
        var report = Report(Verification([]), of: Scenario())
        report.lint = Self.verdict(rig)
        #expect(report.lint?.report.findings.count == 120)
        #expect(report.junit.contains("[aps-nested]\n20 more</failure>"))
        #expect(report.markdown.contains("| | | | 20 more |\n"))
    }
}
