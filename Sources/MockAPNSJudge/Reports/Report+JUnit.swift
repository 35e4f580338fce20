import MockAPNSCore

extension Report {
    /// The report as JUnit XML, in the form that Jenkins, GitLab, GitHub Actions and others read: one test case per
    /// expectation, preceded by one for a run that went wrong.
    ///
    /// The findings of lint are a second test suite. The first one has the time of the run. Test cases have no time of
    /// their own, because they are judged at its end, or together at a reset.
    package var junit: String {
        let results = namedResults
        let failures = results.count { !$0.result.passed }
        let errors = error == nil ? 0 : 1
        func totals(_ tests: Int, _ failures: Int) -> String {
            #"tests="\#(tests)" failures="\#(failures)" errors="\#(errors)""#
        }
        let lint = lint.map { LintSuite($0, named: name) }
        let tests = results.count + errors
        let time = #"time="\#(seconds)""#
        let suite = XMLText.attribute(name)
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<testsuites name="mock-apns" \#(totals(tests + (lint?.tests ?? 0), failures + (lint?.failures ?? 0))) "#
                + "\(time)>",
            #"  <testsuite name="\#(suite)" \#(totals(tests, failures)) skipped="0" \#(time)\#(timestamp)>"#,
        ]
        if let error {
            lines += [
                #"    <testcase name="\#(Self.run)" classname="\#(suite)" time="0.000">"#,
                #"      <error type="run" message="\#(XMLText.attribute(PrintableText.joined(error)))">\#(XMLText.content(error))</error>"#,
                "    </testcase>",
            ]
        }
        for (name, result) in results {
            let start = #"    <testcase name="\#(XMLText.attribute(name))" classname="\#(suite)" time="0.000""#
            guard !result.passed else {
                lines.append(start + "/>")
                continue
            }
            let judged = result.end.map { "; judged \($0)" } ?? ""
            let message = "expected \(result.expected); seen: \(result.seen)\(judged)"
            lines.append(start + ">")
            lines.append(
                #"      <failure type="expectation" message="\#(XMLText.attribute(message))">"#
                    + XMLText.content(PrintableText.text(whyNoRequest.map { [$0] } ?? []) + result.description)
                    + "</failure>")
            lines.append("    </testcase>")
        }
        let output = notes.map(PrintableText.line) + [self.totals].compactMap(\.self)
        if !output.isEmpty {
            lines.append("    <system-out>" + XMLText.content(output.joined(separator: "\n")) + "</system-out>")
        }
        lines.append("  </testsuite>")
        lines += lint?.lines ?? []
        lines.append("</testsuites>")
        return lines.map { $0 + "\n" }.joined()
    }

    private var seconds: String {
        let fraction = String(max(0, milliseconds) % 1000)
        return "\(max(0, milliseconds) / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
    }

    /// UTC without fraction and time zone, because JUnit's schema has neither.
    private var timestamp: String { startedAt.map { #" timestamp="\#($0.text.prefix(19))""# } ?? "" }
}

/// XML 1.0 text. Characters it does not allow (section 2.2 of the specification), such as most control characters,
/// are not printable and never get here.
package enum XMLText {
    /// Escapes an attribute value, on one line.
    package static func attribute(_ text: String) -> String { escape(PrintableText.line(text)) }

    /// Escapes a text of several lines.
    package static func content(_ text: String) -> String { escape(PrintableText.block(text)) }

    private static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
