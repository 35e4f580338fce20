import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge
@testable import MockAPNSSuite

@Suite("The report of a suite")
struct SuiteReportTests {
    private static let failed: StoryResult = {
        var result = ExpectationResult(
            name: "alice has it once", passed: false, expected: "1 request", seen: "none | <0>")
        result.nearMisses = [
            NearMiss(sequence: 3, differences: [.init(field: "status", expected: "200", found: "429")])
        ]
        let good = ExpectationResult(name: "the story took place", passed: true, expected: "1", seen: "1")
        var reported = DriverStatuses()
        reported.note(
            DriverLine.Answer(id: "7", error: "no route"), of: WorkloadEntry.Push(token: JudgeRig.alice))
        var story = StoryResult("unregistered", Verification([good, result]), reported: reported)
        story.milliseconds = 1234
        story.driverErrors = ["timed out"]
        return story
    }()
    private static let passed = StoryResult("tour", Verification([]))
    private static let skipped = StoryResult("retry-after", skipped: "it needs retries")

    private static func report(_ stories: [StoryResult]) -> SuiteReport {
        SuiteReport(
            driver: ["python3", "driver.py"], stories: stories, startedAt: Timestamp(milliseconds: 1_767_225_600_000),
            milliseconds: 2500)
    }

    @Test("One line for each story, with the nearest miss of a failed one")
    func lines() {
        #expect(Self.passed.line == "passed   tour")
        #expect(Self.skipped.line == "skipped  retry-after: it needs retries")
        #expect(
            Self.failed.line == "failed   unregistered: alice has it once: expected 1 request; seen: none | <0>; "
                + "nearest: request 3: status is 429, not 200 (1 of 2 expectations failed)")
    }

    @Test func aStoryWithAnUnusedRuleSaysSoInJUnit() {
        #expect(!Self.report([Self.passed]).junit.contains("<system-out>"))
        let rules = UnusedRules(never: ["busy"], by: .report)
        var verification = Verification([])
        verification.unusedRules = rules
        let story = StoryResult("tour", verification)
        #expect(Self.report([story]).junit.contains("busy</system-out>"))
    }

    @Test("What is wrong with the driver comes before what was expected")
    func driver() {
        let results = Self.failed.verification ?? Verification([])
        let story = StoryResult("unregistered", results, driverFailure: "the driver ended with exit code 1")
        #expect(story.line == "failed   unregistered: the driver ended with exit code 1")
        let silent = StoryResult("unregistered", results, whyNoRequest: "No request came.")
        #expect(silent.line == "failed   unregistered: No request came.")
        // Without a request that was expected the reason is of no use.
        #expect(StoryResult("tour", Verification([]), driverFailure: nil).outcome == .passed)
    }

    @Test("It passes when some were played, and none has failed")
    func total() {
        let report = Self.report([Self.passed, Self.failed, Self.skipped])
        #expect(report.total == "1 passed, 1 failed, 1 skipped of 3 stories in 2.5 s")
        #expect(!report.passed)
        #expect(Self.report([Self.passed, Self.skipped]).passed)
        #expect(!Self.report([Self.skipped]).passed)
        #expect(!Self.report([]).passed)
        #expect(Self.report([Self.passed]).total == "1 passed, 0 failed of 1 story in 2.5 s")
    }

    @Test("The time is rounded to tenths of a second", arguments: [(49, "0.0"), (50, "0.1"), (10_050, "10.1")])
    func time(milliseconds: Int64, shown: String) {
        let report = SuiteReport(
            driver: [], stories: [], startedAt: Timestamp(milliseconds: 0), milliseconds: milliseconds)
        #expect(report.total.hasSuffix("of 0 stories in \(shown) s"))
    }

    @Test("JUnit has a test case for each story")
    func junit() {
        let junit = Self.report([Self.passed, Self.failed, Self.skipped]).junit
        #expect(junit.contains(#"tests="3" failures="1" errors="0" skipped="1" time="2.500""#))
        #expect(junit.contains(#"timestamp="2026-01-01T00:00:00">"#))
        #expect(junit.contains(#"<testcase name="tour" classname="mock-apns suite" time="0.000"/>"#))
        #expect(junit.contains(#"<skipped message="it needs retries"/>"#))
        #expect(junit.contains(#"message="alice has it once: expected 1 request; seen: none | &lt;0&gt;; nearest"#))
        #expect(junit.contains("driver: push 7: no route\ndriver: timed out"))
    }

    @Test("Markdown has a row for each story, and details of those that failed")
    func markdown() {
        let markdown = Self.report([Self.passed, Self.failed, Self.skipped]).markdown
        #expect(markdown.hasPrefix("## ❌ mock-apns suite\n\n**1 passed, 1 failed, 1 skipped of 3 stories in 2.5 s**"))
        let rows = "| ✅ | tour |  |\n| ❌ | unregistered | alice has it once: expected 1 request; seen: none \\|"
        #expect(markdown.contains(rows))
        #expect(markdown.contains("| ➖ | retry-after | it needs retries |"))
        let details = "### ❌ unregistered\n\n```text\n1 of 2 expectations failed.\nFAILED  alice has it once"
        #expect(markdown.contains(details))
        #expect(markdown.contains("driver: push 7: no route\ndriver: timed out"))
    }

    @Test("Markdown has no details of a story that passed, or of which nothing more is known")
    func markdownWithoutDetails() {
        var passed = Self.passed
        passed.driverErrors = ["timed out, then sent again"]
        let failed = StoryResult("tour", Verification([]), driverFailure: "the driver ended with exit code 1")
        let markdown = Self.report([passed, failed]).markdown
        #expect(markdown.contains("| ❌ | tour | the driver ended with exit code 1 |"))
        #expect(!markdown.contains("###") && !markdown.contains("sent again"))
    }

    @Test("Details of a failure do not repeat expectations that were met")
    func details() {
        let met = Verification([ExpectationResult(name: "once", passed: true, expected: "1", seen: "1")])
        let story = StoryResult("tour", met, driverFailure: "the driver ended with exit code 1")
        #expect(story.details.isEmpty)
    }

    @Test("JSON has everything")
    func json() throws {
        let value = try JSONText.read(Self.report([Self.passed, Self.failed, Self.skipped]).json)
        #expect(value["driver"]?.array?.map(\.string) == ["python3", "driver.py"])
        #expect(value["failed"]?.int64 == 1)
        let stories = try #require(value["stories"]?.array)
        #expect(stories.map { $0["name"]?.string } == ["tour", "unregistered", "retry-after"])
        #expect(stories.map { $0["outcome"]?.string } == ["passed", "failed", "skipped"])
        #expect(stories[1]["milliseconds"]?.int64 == 1234)
        #expect(stories[1]["results"]?.array?.map { $0["passed"]?.bool } == [true, false])
        #expect(stories.map { $0["driverErrors"]?.array?.count } == [0, 1, 0])
        #expect(stories[1]["driverErrors"]?.array?[0]["error"]?.string == "no route")
        #expect(stories[2]["reason"]?.string == "it needs retries")
    }

    @Test("JSON has each error of the driver")
    func jsonOfErrors() throws {
        var reported = DriverStatuses()
        for id in 1...3 {
            reported.note(DriverLine.Answer(id: "\(id)", error: "no route"), of: .init(token: JudgeRig.alice))
        }
        let story = StoryResult("tour", Verification([]), driverFailure: "it ended", reported: reported)
        let value = try JSONText.read(Self.report([story]).json)
        let errors = try #require(value["stories"]?.array?.first?["driverErrors"]?.array)
        #expect(errors.map { $0["id"]?.string } == ["1", "2", "3"])
    }
}
