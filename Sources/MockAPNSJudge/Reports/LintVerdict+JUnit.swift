import MockAPNSCore

/// The findings of lint as a test suite of JUnit XML: one test case for each rule with findings, which fails if the run
/// fails by it. One test case stands for all rules if none has found anything.
struct LintSuite {
    /// The number of test cases.
    let tests: Int
    /// The number of test cases that failed.
    let failures: Int
    /// The lines, without line feeds.
    let lines: [String]

    /// Maximum number of findings of a rule that are written.
    private static let limit = 100
    /// The test case when nothing was found.
    private static let nothing = "all rules"

    init(_ verdict: LintVerdict, named name: String) {
        let rules = LintRule.all.compactMap { rule -> [LintFinding]? in
            let findings = verdict.report.findings.filter { $0.rule == rule }
            return findings.isEmpty ? nil : findings
        }
        tests = max(1, rules.count)
        failures = rules.count { $0.contains(where: \.fails) } + (verdict.lacksPushes ? 1 : 0)
        let suite = XMLText.attribute("\(name): lint")
        let totals = #"tests="\#(tests)" failures="\#(failures)" errors="0" skipped="0""#
        var lines = [#"  <testsuite name="\#(suite)" \#(totals) time="0.000">"#]
        func start(_ name: String) -> String {
            #"    <testcase name="\#(name)" classname="\#(suite)" time="0.000""#
        }
        if verdict.lacksPushes {
            let message = XMLText.attribute(verdict.headline)
            lines += [
                start(Self.nothing) + ">", #"      <failure type="lint" message="\#(message)"/>"#, "    </testcase>",
            ]
        } else if rules.isEmpty {
            lines.append(start(Self.nothing) + "/>")
        }
        for findings in rules {
            lines.append(start(findings[0].rule.id) + ">")
            let text = XMLText.content(Self.text(findings))
            if let failing = findings.first(where: \.fails) {
                let message = XMLText.attribute(failing.message)
                lines.append(#"      <failure type="lint" message="\#(message)">\#(text)</failure>"#)
            } else {
                lines.append("      <system-out>\(text)</system-out>")
            }
            lines.append("    </testcase>")
        }
        lines.append("    <system-out>\(XMLText.content(verdict.headline))</system-out>")
        self.lines = lines + ["  </testsuite>"]
    }

    private static func text(_ findings: [LintFinding]) -> String {
        // Findings by which the run fails must not be left out.
        let sorted = findings.filter(\.fails) + findings.filter { !$0.fails }
        var lines = sorted.prefix(limit).map(\.line)
        if sorted.count > limit { lines.append("\(sorted.count - limit) more") }
        return lines.joined(separator: "\n")
    }
}
