import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario

/// Lint of a recorded log: of all its runs and sessions.
@Suite struct RecordedLintTests {
    private static let badge = #"{"aps":{"badge":"1"}}"#
    private static let good = #"{"aps":{"alert":{"title":"Game","body":"Your turn"}}}"#

    private static func push(_ body: String) -> ExamplePush { ExamplePush { $0.body = Array(body.utf8) } }

    /// The lines of a server that gets these pushes, from its start on.
    private static func run(_ bodies: [String], session: String? = nil) throws -> [UInt8] {
        var rig = try RecordedRig("", payloadRulesOnly())
        rig.start()
        for body in bodies { rig.send(push(body)) }
        guard let session else { return rig.lines }
        let lines = String(decoding: rig.lines, as: UTF8.self).split(separator: "\n")
        return Array(lines.map { "\($0.dropLast()),\"session\":\"\(session)\"}\n" }.joined().utf8)
    }

    private static func lint(
        _ lines: [UInt8], session: String? = nil, _ part: RecordedLog.LintScope = .all, failOn: String = "error"
    ) throws -> (verdict: LintVerdict, remarks: [String]) {
        let text = "{\(payloadRulesOnly(#", "failOn": "\#(failOn)""#).dropLast())}"
        let scenario = try #require(Scenario.read(Array(text.utf8)).0)
        var log = RecordedLog(of: scenario, session: session, linting: part)
        try log.read(lines.span)
        try log.finish(lintsOnly: true)
        return (log.lint(), log.lintRemarks)
    }

    @Test("All runs of a log are judged, not only the last: of servers that were started one after the other")
    func allStarts() throws {
        let lines = try Self.run([Self.good, Self.badge]) + Self.run([Self.badge]) + Self.run([Self.good])
        let (verdict, remarks) = try Self.lint(lines)
        #expect(verdict.fails && verdict.headline == "Lint failed: 1 error in 4 pushes.")
        let line = try #require(verdict.report.lines.first)
        #expect(line.hasPrefix("push 2 before \(GatewayRig.now.text), when the server was started again: error: "))
        #expect(line.hasSuffix(" (2 times) [badge-type]"))
        #expect(remarks == ["The log holds 3 runs; lint has judged each."])
    }

    @Test("All runs of a log are judged, not only the last: those before a reset and before another scenario")
    func allResets() throws {
        var rig = try RecordedRig("", payloadRulesOnly())
        rig.start()
        rig.send(Self.push(Self.badge))
        rig.work { $0.gateway.reset(at: $0.time) }
        LogEvent.reset.appendLine(at: rig.rig.time, to: &rig.lines)
        rig.send(Self.push(#"{"aps":{"sound":7}}"#))
        rig.work { rig in
            let next = rig.gateway.scenario
            rig.gateway.play(next, next.configuration(seed: 1, defaultTeams: GatewayRig.teams), at: rig.time)
        }
        rig.send(Self.push(#"{"aps":{"category":7}}"#))
        let (verdict, _) = try Self.lint(rig.lines)
        let time = rig.rig.time.text
        #expect(verdict.report.findings.map(\.rule) == [.badgeType, .soundType, .stringKeyType])
        #expect(verdict.report.lines[0].hasPrefix("push 1 before \(time), when the scenario was reset: error"))
        #expect(verdict.report.lines[1].hasPrefix("push 1 before \(time), when another scenario replaced it: error"))
        #expect(verdict.report.findings[2].end == nil)
        #expect(verdict.report.judged?.pushes == 3)
    }

    @Test(
        "When a scenario is replaced, a push that failed is lost only if its provider had a moment to connect again",
        arguments: [(Int64(50), 0), (1500, 1)])
    func cutShort(after pause: Int64, _ findings: Int) throws {
        var rig = try RecordedRig("", #""rules": [{"then": {"reject": "TooManyRequests"}}],"#)
        rig.start()
        rig.send(Self.push(Self.good))
        rig.close(rig.rig.connection)
        rig.rig.time.milliseconds += pause
        rig.work { rig in
            let next = rig.gateway.scenario
            rig.gateway.play(next, next.configuration(seed: 1, defaultTeams: GatewayRig.teams), at: rig.time)
        }
        var log = RecordedLog(of: rig.rig.gateway.scenario, linting: .all)
        try log.read(rig.lines.span)
        try log.finish()
        #expect(log.lint().report.findings.count { $0.rule == .neverRetried } == findings)
    }

    @Test("All sessions of a log are judged, and their findings name them, in JSON and SARIF as well")
    func allSessions() throws {
        let lines =
            try Self.run([Self.good]) + Self.run([Self.badge, Self.badge], session: "a")
            + Self.run([Self.badge], session: "b") + Self.run([Self.good], session: "b")
        let (verdict, remarks) = try Self.lint(lines)
        #expect(verdict.headline == "Lint failed: 2 errors in 5 pushes.")
        #expect(verdict.report.findings.map(\.session) == ["a", "b"])
        #expect(verdict.report.lines[0].hasPrefix("session a: push 1: error: "))
        #expect(verdict.report.lines[1].hasPrefix("session b: push 1 before "))
        #expect(remarks == ["The log holds 4 runs, 2 sessions included; lint has judged each."])
        let json = try JSONText.read(Array(verdict.report.json.utf8))
        #expect(json["findings"]?.array?.map { $0["session"]?.string } == ["a", "b"])
        #expect(json["findings"]?.array?[1]["before"]?.string == GatewayRig.now.text)
        #expect(json["pushes"]?.int64 == 5)
        let sarif = try JSONText.read(Array(verdict.report.sarif.utf8))
        let results = sarif["runs"]?.array?.first?["results"]?.array ?? []
        #expect(results.map { $0["properties"]?["session"]?.string } == ["a", "b"])
        #expect(results[0]["message"]?["text"]?.string?.hasPrefix("session a: /aps/badge is") == true)
    }

    @Test("One session can be chosen, or the server itself")
    func oneSession() throws {
        let lines = try Self.run([Self.badge]) + Self.run([Self.good], session: "a") + Self.run([Self.badge])
        #expect(try Self.lint(lines, session: "a", .one).verdict.headline == "Lint: no findings in 1 push.")
        #expect(try Self.lint(lines, .one).verdict.headline == "Lint failed: 1 error in 2 pushes.")
        #expect(throws: RecordedLog.Mistake.self) { try Self.lint(lines, session: "b", .one) }
        // A log may have sessions alone.
        let alone = try Self.run([Self.badge], session: "a")
        #expect(try Self.lint(alone).verdict.headline == "Lint failed: 1 error in 1 push.")
        #expect(throws: RecordedLog.Mistake.self) { try Self.lint(alone, .one) }
    }

    @Test("A log without any push fails, unless nothing can fail it")
    func noPush() throws {
        let lines = try Self.run([]) + Self.run([], session: "a")
        let verdict = try Self.lint(lines).verdict
        #expect(verdict.fails)
        #expect(verdict.headline == "Lint failed: no push was recorded, so there was nothing to judge.")
        let lenient = try Self.lint(lines, failOn: "never").verdict
        #expect(!lenient.fails && lenient.headline == "Lint: no push was recorded, so there was nothing to judge.")
        #expect(try !Self.lint(lines + Self.run([Self.good])).verdict.fails)
    }

    @Test("A log is told apart from a payload by its first line")
    func isLog() throws {
        #expect(RecordedLog.isLog(try Self.run([Self.good])))
        #expect(RecordedLog.isLog(try Self.run([Self.good], session: "a")))
        for payload in [
            "", "\n", "{", Self.good, #"{"aps":{},"event":"request","time":"2026-01-01T00:00:00Z"}"#,
            #"{"event":"start","time":1767225600}"#, #"{"event":"goal","time":"late"}"#,
        ] { #expect(!RecordedLog.isLog(Array(payload.utf8)), "\(payload)") }
    }
}
