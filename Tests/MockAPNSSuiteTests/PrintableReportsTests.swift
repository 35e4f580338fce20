import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSScenario
@testable import MockAPNSSuite

/// One hostile text for each kind of report.
@Suite struct PrintableReportsTests {
    /// What a terminal, Markdown and XML would take for their own, and lines that look like results.
    private static let hostile =
        "evil\u{1B}[2J\u{7}\u{8}\r\u{0}\u{7F}\u{9B}31m\u{85}\u{202A}\u{202E}\u{2066}\u{2069}\u{200E}\u{200F}\u{61C}\u{2028}"
        + "\u{2029}\u{FEFF}\u{FFFE}|`*_[x](y)<b>&]]>\"'\npassed   forged\nFAILED  forged\n\n```\n## forged"

    /// The text as a value of JSON.
    private static func json(_ text: String) -> String { JSONText.Value(offset: 0, content: .string(text)).text }

    private static let verification = {
        var result = ExpectationResult(name: hostile, passed: false, expected: hostile, seen: hostile)
        result.nearMisses = [
            NearMiss(
                sequence: 1, log: hostile,
                differences: [.init(field: hostile, expected: hostile, found: json(hostile))],
                explanation: hostile)
        ]
        return Verification([result])
    }()

    private static let verdict = {
        var finding = LintFinding(.apsMissing, .error, hostile, hostile, offset: 0)
        (finding.session, finding.sequence, finding.file, finding.fails) = (hostile, 1, hostile, true)
        var report = LintReport()
        report.add(finding)
        return LintVerdict(report, by: LintSettings())
    }()

    private static func report() -> Report {
        var scenario = Scenario()
        (scenario.name, scenario.description) = (hostile, hostile)
        var report = Report(verification, of: scenario)
        report.error = PrintableText.line(hostile)
        (report.whyNoRequest, report.remarks, report.lint) = (hostile, [hostile], verdict)
        return report
    }

    private static func suite() -> SuiteReport {
        var told = DriverStatuses()
        told.note(DriverLine.Answer(id: hostile, error: hostile), of: WorkloadEntry.Push(token: JudgeRig.alice))
        var failed = StoryResult(hostile, verification, reported: told)
        failed.driverErrors = [hostile]
        return SuiteReport(
            driver: [hostile],
            stories: [failed, StoryResult(hostile, failed: hostile), StoryResult(hostile, skipped: hostile)],
            startedAt: Timestamp(milliseconds: 0), milliseconds: 1)
    }

    private static let outputs: [(String, String)] = [
        ("terminal: expectations", verification.description), ("terminal: lint", verdict.description),
        (
            "terminal: mistakes",
            ScenarioMistake.lines(
                [ScenarioMistake(offset: 0, pointer: hostile, message: hostile)], file: hostile, []
            ).joined(separator: "\n")
        ),
        ("terminal: suite", PrintableText.line(suite().stories[0].line)), ("Markdown", report().markdown),
        ("Markdown: suite", suite().markdown), ("JUnit", report().junit), ("JUnit: suite", suite().junit),
        ("SARIF", verdict.report.sarif), ("JSON: lint", verdict.report.json),
        ("JSON: suite", String(decoding: suite().json, as: UTF8.self)),
        ("JSON: expectations", String(decoding: verification.json, as: UTF8.self)),
    ]

    @Test("None of its control characters arrives in any kind of report", arguments: outputs)
    func report(kind: String, text: String) {
        #expect(text.contains("evil"))
        for scalar in text.unicodeScalars where !scalar.isPrintable && scalar != "\n" {
            Issue.record("\(kind) has U+\(String(scalar.value, radix: 16, uppercase: true))")
        }
        let starts = ["passed   forged", "FAILED  forged", "## forged", "```"]
        for line in text.split(separator: "\n") {
            // The only fence is that around all of the driver's lines, and no line of theirs is one.
            if line.hasPrefix("```"), kind == "Markdown: suite", line.allSatisfy({ "`text".contains($0) }) { continue }
            #expect(!starts.contains(where: line.hasPrefix), "\(kind): \(line)")
        }
    }

    @Test("JUnit XML has no reference to a control character, and no text that is markup")
    func xml() {
        for text in [Self.report().junit, Self.suite().junit] {
            #expect(!text.contains("&#") && !text.contains("<b>") && !text.contains("]]>"))
        }
    }

    @Test("What SARIF says is printable once it is read, too")
    func sarif() throws {
        let result = try #require(try JSONText.read(Array(Self.verdict.report.sarif.utf8))["runs"]?[0]?["results"]?[0])
        #expect(result["message"]?["text"]?.string == PrintableText.line("session \(Self.hostile): \(Self.hostile)"))
        let location = try #require(result["locations"]?[0])
        #expect(
            location["logicalLocations"]?[0]?["fullyQualifiedName"]?.string == PrintableText.line(Self.hostile))
    }

    @Test("A line of the log has the data as it came, and nothing in it that is not printable")
    func log() throws {
        var push = RecordedPush(body: "no JSON \(Self.hostile)\u{E0041}")
        push.add("x-odd", Self.hostile)
        push.add("apns-topic", Self.hostile) { $0.topic = $1 }
        let line = try push.line()
        #expect(line.unicodeScalars.allSatisfy { $0.isPrintable || $0 == "\n" })
        let record = try JSONText.read(Array(line.utf8))
        #expect(record["payloadText"]?.string == "no JSON \(Self.hostile)\u{E0041}")
        #expect(record["headers"]?[0]?[1]?.string == Self.hostile)
        #expect(record["topic"]?.string == Self.hostile)
    }
}
