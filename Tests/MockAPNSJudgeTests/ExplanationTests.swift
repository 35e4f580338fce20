import Foundation
import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// Explanations are for people: whatever they say, nothing is judged by them.
@Suite struct ExplanationTests {
    /// Every word by which a reader of explanations might know something.
    private static let other =
        "Rule \"x\" answers TooManyRequests with retry-after 99; reset with REFUSED_STREAM, more than MAX_CONCURRENT_STREAMS."

    private static let scenario = """
        "rules": [
          {"name": "busy", "times": 1, "then": {"reject": "TooManyRequests", "retryAfter": 30}},
          {"name": "late", "times": 1, "then": {"respond": {"status": 503}, "retryAfter": 20, "delay": "5ms"}},
          {"name": "reset", "times": 1, "then": {"resetStream": "REFUSED_STREAM"}},
          {"name": "cancel", "times": 1, "then": {"resetStream": ["CANCEL", "REFUSED_STREAM"]}},
          {"name": "odd", "times": 1, "then": {"resetStream": 4711}},
          {"name": "stall", "times": 1, "then": {"stall": true}},
          {"name": "outage", "times": 1, "then": {"outage": {"reason": "ServiceUnavailable", "for": "2s"}, "retryAfter": 5}}
        ], "broadcast": {},
        """

    /// A run in which much goes wrong, with all that a server writes of it.
    private static func run() throws -> RecordedRig {
        var rig = try RecordedRig(
            #"{"requests": {"status": 200}, "count": 9}, {"requests": {"outcome": "reset"}, "count": 5}, {"nothingElse": true}"#,
            scenario)
        for number in 0..<12 {
            rig.rig.time.milliseconds += 500
            rig.send(
                ExamplePush {
                    $0.stream = UInt32(2 * number + 1)
                    $0.path = "/3/device/" + (number % 3 == 0 ? JudgeRig.bob : JudgeRig.alice)
                    if number == 9 { $0.topic = nil }
                    if number == 10 { ($0.body, $0.fault) = ([], .refused) }
                    if number == 11 { ($0.body, $0.fault) = ([], .malformed("REFUSED_STREAM")) }
                })
        }
        try rig.change("bob") { $0.isOnline = true }
        rig.close(rig.rig.connection)
        return rig
    }

    /// Returns the lines with another explanation, or with none.
    private static func reworded(_ lines: [UInt8], as other: String?) throws -> [UInt8] {
        var count = 0
        let text = try String(decoding: lines, as: UTF8.self).split(separator: "\n").map { line in
            var object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            if let explanation = object["explanation"], !(explanation is NSNull) {
                object["explanation"] = other ?? NSNull()
                count += 1
            }
            return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self) + "\n"
        }
        #expect(count >= 9)
        return Array(text.joined().utf8)
    }

    @Test(arguments: ProviderExample.all) func lintReadsNone(example: ProviderExample) throws {
        // Not all: some are long.
        let telling = (example.bad.map(\.run) + example.good).filter { run in
            run.lines.contains { $0.contains("retryAfter") || $0.contains("resetCode") }
        }
        for run in [example.bad[0].run, example.good[0]] + telling {
            var other = run
            other.explanation = Self.other
            #expect(try other.findings.map(\.line) == run.findings.map(\.line), "\(run.lines)")
        }
    }

    @Test(arguments: [other, nil]) func replayAndExpectationsReadNone(explanation: String?) throws {
        let rig = try Self.run()
        let scenario = rig.rig.gateway.scenario
        let input = try RecordedLog.read(rig.lines, scenario).input
        let other = try RecordedLog.read(Self.reworded(rig.lines, as: explanation), scenario).input
        let (verified, verifiedOther) = (input.verify(), other.verify())
        #expect(verified.results.map(\.passed) == verifiedOther.results.map(\.passed))
        #expect(verified.results.map(\.passed) == [false, true, false])
        let findings = input.linting().finish().report.findings
        #expect(findings.map(\.line) == other.linting().finish().report.findings.map(\.line))
        #expect(Set(findings.map(\.rule)).isSuperset(of: [.retryAfterIgnored, .streamLimitIgnored]), "\(findings)")
        #expect(input.log.texts.count == 12 && other.log.texts.count == 12)
    }

    /// The numbers are those of the answers that were sent, and only such records have them.
    @Test func whatTheWordsSaidIsInMembers() throws {
        let rig = try Self.run()
        let records = try rig.rig.gateway.log.snapshot.texts.map { try JSONText.read(Array($0.utf8)) }
        let pauses: [Int64?] = [30, 20, nil, nil, nil, nil, 5, 5, 5, 5, nil, nil]
        #expect(records.map { $0["retryAfter"]?.int64 } == pauses)
        let codes = records.map { $0["resetCode"]?.string ?? $0["resetCode"]?.int64.map { "\($0)" } }
        #expect(
            codes == [nil, nil, "REFUSED_STREAM", "CANCEL", "4711"] + Array(repeating: nil, count: 5)
                + ["REFUSED_STREAM", nil])
    }
}
