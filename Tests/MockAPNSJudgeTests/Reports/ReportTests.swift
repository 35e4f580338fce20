import GatewayRigs
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// Reports of a verification with one expectation that holds and two that failed.
@Suite struct ReportTests {
    private static func report(_ more: (inout Report) -> Void = { _ in }) -> Report {
        var scenario = Scenario()
        scenario.name = "tour <1>"
        scenario.description = "Alice is *offline*.\nBob | too."
        let miss = NearMiss(
            sequence: 3, differences: [.init(field: "topic", expected: "\"a\"", found: "\"b\u{1}\"")])
        var report = Report(
            Verification([
                ExpectationResult(name: "first", passed: true, expected: "exactly 1 request", seen: "1 request"),
                ExpectationResult(
                    name: "one & \"only\"", passed: false, expected: "a | b\nc", seen: "]]> \u{0}\r\u{FFFE}",
                    nearMisses: [miss]),
                ExpectationResult(name: "first", passed: false, expected: "no request", seen: "2 requests"),
            ]), of: scenario)
        more(&report)
        return report
    }

    @Test("JUnit: a test case for each expectation, every text escaped, no name twice")
    func junit() {
        let report = Self.report {
            $0.startedAt = Timestamp("2026-11-21T10:00:00.123Z")
            $0.milliseconds = 61_007
            $0.remarks = ["Not <complete>."]
        }
        #expect(
            report.junit == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="mock-apns" tests="3" failures="2" errors="0" time="61.007">
                  <testsuite name="tour &lt;1&gt;" tests="3" failures="2" errors="0" skipped="0" time="61.007" \
                timestamp="2026-11-21T10:00:00">
                    <testcase name="first" classname="tour &lt;1&gt;" time="0.000"/>
                    <testcase name="one &amp; &quot;only&quot;" classname="tour &lt;1&gt;" time="0.000">
                      <failure type="expectation" message="expected a | b\\nc; seen: ]]&gt; \\0\\r\\u{FFFE}">\
                FAILED  one &amp; &quot;only&quot;
                  expected  a | b\\nc
                  seen      ]]&gt; \\0\\r\\u{FFFE}
                  nearest   request 3: topic is &quot;b\\u{01}&quot;, not &quot;a&quot;
                </failure>
                    </testcase>
                    <testcase name="first (2)" classname="tour &lt;1&gt;" time="0.000">
                      <failure type="expectation" message="expected no request; seen: 2 requests">FAILED  first
                  expected  no request
                  seen      2 requests
                </failure>
                    </testcase>
                    <system-out>Not &lt;complete&gt;.</system-out>
                  </testsuite>
                </testsuites>

                """)
    }

    @Test("Markdown: a table of all, details of what failed, no text that means something else")
    func markdown() {
        let report = Self.report { $0.remarks = ["Not complete."] }
        #expect(
            report.markdown == """
                ## ❌ tour &lt;1&gt;

                Alice is \\*offline\\*. Bob \\| too.

                **2 of 3 expectations failed.**

                - Not complete.

                | | Expectation | Expected | Seen |
                |---|---|---|---|
                | ✅ | first | exactly 1 request | 1 request |
                | ❌ | one &amp; "only" | a \\| b\\\\nc | \\]\\]&gt; \\\\0\\\\r\\\\u{FFFE} |
                | ❌ | first (2) | no request | 2 requests |

                ### ❌ one &amp; "only"

                - **Expected:** a \\| b\\\\nc
                - **Seen:** \\]\\]&gt; \\\\0\\\\r\\\\u{FFFE}
                - **Nearest:** request 3: topic is "b\\\\u{01}", not "a"

                ### ❌ first (2)

                - **Expected:** no request
                - **Seen:** 2 requests

                """)
    }

    @Test("Where no request came, both reports say why")
    func whyNoRequest() {
        #expect(Report.whyNoRequest([]) == "There were no requests and no connections.")
        let why = Report.whyNoRequest([(4, "A."), (5, "B."), (6, "A."), (7, nil), (8, "D."), (9, "A."), (10, "E.")])
        #expect(
            why
                == "No request arrived. Connection 4 (and 2 others like it): A. Connection 5: B. "
                + "Connection 7: No request was sent on it. There were 2 further connections.")
        let report = Self.report { $0.whyNoRequest = "No request arrived. Connection 1: <x>." }
        #expect(report.markdown.contains("failed.**\n\nNo request arrived. Connection 1: &lt;x&gt;.\n\n|"))
        #expect(
            report.junit.contains(#"seen: 2 requests">No request arrived. Connection 1: &lt;x&gt;.\#nFAILED  first"#))
    }

    @Test("Both reports say what was wrong with connections, equal faults once")
    func connectionFaults() {
        let faults = Report.connectionFaults([(4, "A <b>."), (5, "C."), (6, "A <b>.")])
        #expect(faults == ["Connection 4 (and 1 other like it): A <b>.", "Connection 5: C."])
        let report = Self.report { $0.connectionFaults = faults }
        let first = "Connection 4 (and 1 other like it): A &lt;b&gt;."
        #expect(report.markdown.contains("\n\n- \(first)\n- Connection 5: C.\n\n"))
        #expect(report.junit.contains("<system-out>\(first)\nConnection 5: C.</system-out>"))
    }

    @Test("The totals of a server stand in both; a scenario without a name has the program's")
    func totals() {
        let rig = GatewayRig()
        var report = Report(Verification([]), of: Scenario())
        let totals = rig.gateway.summary(at: GatewayRig.now).text
        report.totals = totals
        #expect(
            report.markdown
                == "## ✅ mock-apns\n\n**Nothing was expected: \"expect\" is missing or empty.**\n\n"
                + "### Totals\n\n```text\n\(totals)```\n")
        #expect(report.junit.contains("<system-out>\(totals)</system-out>"))
        #expect(report.junit.contains(#"<testsuite name="mock-apns" tests="0" failures="0""#))
    }

    @Test("A run that went wrong has failed, whatever came of the expectations")
    func error() {
        let result = ExpectationResult(name: "the run", passed: true, expected: "1 request", seen: "1 request")
        var report = Report(Verification([result]), of: Scenario())
        report.error = "It failed with <4>."
        #expect(
            report.markdown == """
                ## ❌ mock-apns

                **It failed with &lt;4&gt;.**

                **The expectation holds.**

                | | Expectation | Expected | Seen |
                |---|---|---|---|
                | ✅ | the run (2) | 1 request | 1 request |

                """)
        #expect(
            report.junit == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites name="mock-apns" tests="2" failures="0" errors="1" time="0.000">
                  <testsuite name="mock-apns" tests="2" failures="0" errors="1" skipped="0" time="0.000">
                    <testcase name="the run" classname="mock-apns" time="0.000">
                      <error type="run" message="It failed with &lt;4&gt;.">It failed with &lt;4&gt;.</error>
                    </testcase>
                    <testcase name="the run (2)" classname="mock-apns" time="0.000"/>
                  </testsuite>
                </testsuites>

                """)
        #expect(Report(error: "It did not begin.").markdown == "## ❌ mock-apns\n\n**It did not begin.**\n")
    }
}
