import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// What providers did, by the log of a gateway.
@Suite struct ProviderLogTests {
    private static func findings(_ gateway: borrowing Gateway, after milliseconds: Int64 = 0) -> [LintFinding] {
        var input = VerificationInput(scenario: gateway.scenario, log: gateway.log.snapshot)
        let run = gateway.lintedRun(at: Timestamp(milliseconds: GatewayRig.now.milliseconds + milliseconds))
        input.run = { run }
        return input.linting().finish().report.findings
    }

    private static func push(_ fields: (String, String)..., change: (inout ExamplePush) -> Void = { _ in })
        -> ExamplePush
    {
        ExamplePush {
            $0.fields = [("apns-push-type", "alert")] + fields
            $0.body = Array(#"{"aps":{"alert":{"title":"Game","body":"Your turn"}}}"#.utf8)
            change(&$0)
        }
    }

    // MARK: What few records have

    @Test func aRefusedStreamIsKnownByItsCode() {
        var rig = ScriptRig("")
        rig.send(Self.push())
        rig.send(Self.push { ($0.body, $0.fault) = ([], .refused) })
        #expect(Self.findings(rig.gateway).map(\.rule) == [.streamLimitIgnored])
        var other = ScriptRig("")
        other.send(Self.push { ($0.body, $0.fault) = ([], .malformed("MAX")) })
        #expect(Self.findings(other.gateway).isEmpty)
    }

    /// A client that ends a stream before its request is complete has sent no payload that could be judged.
    @Test func whatWasCutOffIsNotJudged() {
        var rig = ScriptRig("")
        rig.send(Self.push { ($0.body, $0.fault) = (Array(#"{"aps":{"al"#.utf8), .cancelled) })
        #expect(Self.findings(rig.gateway).isEmpty)
    }

    @Test(arguments: [
        #"{"reject": "TooManyRequests", "retryAfter": 30}"#,
        #"{"respond": {"status": 503}, "retryAfter": 30, "delay": "5ms"}"#,
        #"{"outage": {"reason": "ServiceUnavailable", "for": "20s"}, "retryAfter": 30}"#,
        #"{"respond": {"status": 429, "headers": {"retry-after": "30"}}}"#,
    ])
    func retryAfterIsInTheRecord(step: String) {
        var rig = ScriptRig(#"{"name": "busy", "times": 1, "then": \#(step)}"#)
        rig.send(Self.push())
        rig.now = Moment(real: Timestamp(milliseconds: GatewayRig.now.milliseconds + 25_000))
        rig.send(Self.push())
        let found = Self.findings(rig.gateway).filter { $0.rule == .retryAfterIgnored }
        #expect(found.map(\.firstSequence) == [2], "\(rig.gateway.log.snapshot.record("1") ?? [])")
        #expect(found.first?.message.contains("came 25 s after push 1") == true)
    }

    @Test(arguments: [("REFUSED_STREAM", 1), ("CANCEL", 0)])
    func aScriptedResetIsKnownByItsCode(code: String, count: Int) {
        var rig = ScriptRig(#"{"times": 1, "then": {"resetStream": "\#(code)"}}"#)
        rig.send(Self.push())
        #expect(Self.findings(rig.gateway, after: 120_000).count { $0.rule == .goawayLost } == count)
    }

    // MARK: What only the connections say

    @Test func connectionsAreKnownOnARunningServer() {
        var rig = ScriptRig("")
        for number in 0..<10 {
            let now = Timestamp(milliseconds: GatewayRig.now.milliseconds + Int64(number) * 100)
            let connection = rig.gateway.openConnection(.example, at: now)
            rig.gateway.closeConnection(connection, by: .client, counters: .init(), at: now)
        }
        let found = Self.findings(rig.gateway)
        #expect(found.map(\.rule) == [.connectionChurn] && found.first?.firstSequence == nil)
        let json = found.first.map { String(decoding: $0.json, as: UTF8.self) } ?? ""
        #expect(!json.contains("equence") && json.contains(#""count":1"#))
    }

    @Test func runsEndAWhileAfterAllConnectionsClose() {
        var rig = ScriptRig(#"{"times": 1, "then": {"goAway": {"lastStream": "previous"}}}"#)
        rig.send(Self.push())
        #expect(!Self.findings(rig.gateway, after: 2000).contains { $0.rule == .goawayLost })
        rig.gateway.closeConnection(rig.connection, by: .goAway, counters: .init(), at: GatewayRig.now)
        #expect(!Self.findings(rig.gateway, after: 500).contains { $0.rule == .goawayLost })
        #expect(Self.findings(rig.gateway, after: 2000).contains { $0.rule == .goawayLost })
    }

    @Test func runsEndWithTheCommand() {
        var rig = ScriptRig(#"{"times": 1, "then": {"goAway": {"lastStream": "previous"}}}"#)
        rig.send(Self.push())
        rig.gateway.noteEndOfProviders()
        #expect(!Self.findings(rig.gateway).contains { $0.rule == .goawayLost })
        rig.gateway.closeConnection(rig.connection, by: .goAway, counters: .init(), at: GatewayRig.now)
        #expect(Self.findings(rig.gateway).contains { $0.rule == .goawayLost })
        let connection = rig.gateway.openConnection(.example, at: GatewayRig.now)
        rig.gateway.closeConnection(connection, by: .client, counters: .init(), at: GatewayRig.now)
        #expect(!Self.findings(rig.gateway).contains { $0.rule == .goawayLost })
    }

    @Test func aRunIsPutTogetherOnlyForLint() throws {
        let rig = ScriptRig("")
        #expect(rig.gateway.verificationInput(at: GatewayRig.now).run == nil)
        #expect(rig.gateway.verificationInput(isLinted: true, at: GatewayRig.now).run != nil)
        let asking = try JudgeRig(#"{"lint": {}, "count": 0}"#)
        #expect(asking.gateway.verificationInput(at: GatewayRig.now).run != nil)
        let expectations = asking.gateway.scenario.expectations
        #expect(rig.gateway.verificationInput(for: expectations, at: GatewayRig.now).run != nil)
    }

    @Test("A finding tells about the first of the worst pushes")
    func theWorstPushIsTold() throws {
        let run = LintRun(
            #"{"at": "56m", "times": 2, "every": "1m", "signed": "0s"}"#,
            #"{"at": "61m", "times": 2, "every": "1m", "signed": "0s"}"#)
        let finding = try #require(run.findings.first { $0.rule == .providerTokenOld })
        #expect(finding.severity == .error && finding.message.contains("of push 3 is 61 min old"))
        #expect(finding.line.hasPrefix("push 3: error: The provider token of push 3 is"))
        #expect(finding.line.hasSuffix("(4 times, first in push 1, last in push 4) [provider-token-old]"))
        let json = String(decoding: finding.json, as: UTF8.self)
        #expect(json.contains(#""sequence":3,"#) && json.contains(#""firstSequence":1,"lastSequence":4"#))
    }

    // MARK: Good providers

    /// A day of a good provider: renewed tokens, a GOAWAY, an outage, a device that is gone, background pushes.
    @Test func aGoodProviderHasNothingAboveANote() throws {
        let updates = (0..<24).map { hour in
            """
            {"at": "\(hour)h", "times": 10, "every": "5m", "token": "d*", "providerToken": \(hour + 1), "signed": "\(hour)h", \
            "inFlight": 3, "expiration": \(LintRun.start.seconds + 200_000), "connection": \(hour < 12 ? 1 : 2), \
            "push": "\(hour)-*"}
            """
        }
        var run = LintRun()
        run.lines = updates
        run.lines.insert(
            #"{"at": "11h", "push": "last", "outcome": "goAway", "providerToken": 12, "signed": "11h"}"#, at: 12)
        run.lines.insert(
            #"{"at": "12h", "push": "last", "providerToken": 13, "connection": 2, "signed": "12h"}"#, at: 14)
        run.lines += [
            #"{"at": "24h", "connection": 2, "token": "gone", "reason": "Unregistered", "providerToken": 25, "signed": "24h"}"#,
            #"{"at": "24h", "connection": 2, "push": "b", "apnsID": "1", "reason": "ServiceUnavailable", "providerToken": 25, "signed": "24h"}"#,
            #"{"at": "1455m", "connection": 2, "push": "b", "apnsID": "1", "reason": "ServiceUnavailable", "providerToken": 25, "signed": "24h"}"#,
            #"{"at": "1485m", "connection": 2, "push": "b", "apnsID": "1", "providerToken": 25, "signed": "24h"}"#,
            """
            {"at": "1486m", "connection": 2, "times": 3, "every": "2m", "priority": 5, "pushType": "background", \
            "payload": {"aps": {"content-available": 1}}, "providerToken": 25, "signed": "24h"}
            """,
            #"{"at": "1499m", "event": "connection", "state": "closed", "connection": 2, "closedBy": "client"}"#,
        ]
        let found = try run.findings
        #expect(found.filter { $0.severity > .note }.isEmpty, "\(found.map(\.line))")
    }

    // MARK: Queries

    @Test func aQueryChoosesAmongTheFindings() throws {
        let run = LintRun(
            #"{"at": "0s", "times": 3, "every": "1m", "pushType": null}"#, #"{"at": "3m", "expiration": 3600}"#)
        func found(_ name: String, _ value: String) throws -> [String] {
            try run.judged(LintQuery(parameters: [(name, value)])).report.findings.map {
                "\($0.rule.id) \($0.count)"
            }
        }
        #expect(try found("rule", "push-type-missing") == ["push-type-missing 3"])
        #expect(try found("severity", "error") == ["expiration-unit 1"])
        #expect(try found("sequence", "2") == ["push-type-missing 1"])
        #expect(try found("sequence", "4") == ["expiration-unit 1"])
    }

    @Test func thresholdsOfTheScenarioCount() throws {
        var run = LintRun(
            #"{"at": "0s", "push": "A", "apnsID": "1", "reason": "TooManyRequests"}"#,
            #"{"at": "40ms", "push": "A", "apnsID": "1"}"#)
        #expect(try run.findings.map(\.rule) == [.retryWithoutBackoff])
        for lint in [
            #"{"thresholds": {"retryBackoff": "30ms"}}"#,
            #"{"rules": {"retry-without-backoff": {"threshold": "30ms"}}}"#,
        ] {
            run.scenario = #"{"lint": \#(lint)}"#
            #expect(try run.findings.isEmpty)
        }
    }

    /// Only as many pushes, devices and connections are remembered as there is room for.
    @Test func aTableForgetsTheOldest() {
        var table = RecentTable<Int>(limit: 3)
        for number in 1...3 { #expect(table.insert(number, for: UInt64(number)) == nil) }
        #expect(table.insert(4, for: 4) == 1)
        #expect(table[1] == nil && table[2] == 2)
        table.remove(3)
        #expect(table.insert(5, for: 5) == nil)
        #expect(table.insert(20, for: 2) == nil && table[2] == 20)
        #expect(table.insert(6, for: 6) == 20)
        var all: [Int] = []
        table.forEach { all.append($0) }
        #expect(all.sorted() == [4, 5, 6])
    }
}
