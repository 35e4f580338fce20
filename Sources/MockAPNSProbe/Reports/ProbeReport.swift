package import MockAPNSCore
import MockAPNSJudge

/// The result of a run of probes.
package struct ProbeReport: Sendable {
    /// The server's host and port.
    package var server: String
    package var results: [ProbeResult]
    /// The name of the answers to compare with, if not the expectations.
    package var comparedWith: String?
    package var startedAt: Timestamp
    package var milliseconds: Int64
    /// The signal that ended the run before the last probe; `nil` if none did.
    package var endedBySignal: Int32?

    /// Creates a report.
    package init(
        server: String, results: [ProbeResult], comparedWith: String? = nil, startedAt: Timestamp, milliseconds: Int64
    ) {
        self.server = server
        self.results = results
        self.comparedWith = comparedWith
        self.startedAt = startedAt
        self.milliseconds = milliseconds
    }

    /// Whether something was asked, and nothing differs but guesses.
    package var passed: Bool { count(.differs) == 0 && !isEmpty }

    /// Whether nothing was asked: all probes were skipped.
    package var isEmpty: Bool { results.allSatisfy { $0.outcome == .skipped } }

    /// The number of probes with this outcome.
    package func count(_ outcome: ProbeResult.Outcome) -> Int { results.count { $0.outcome == outcome } }

    /// The count, for people.
    package var total: String {
        var parts = ["\(count(.agrees)) agree", "\(count(.differs)) differ"]
        if count(.note) > 0 { parts.append("\(count(.note)) differ from a guess") }
        if count(.skipped) > 0 { parts.append("\(count(.skipped)) skipped") }
        let tenths = (milliseconds + 50) / 100
        let all = results.count == 1 ? "1 probe" : "\(results.count) probes"
        return "\(parts.joined(separator: ", ")), of \(all), in \(tenths / 10).\(tenths % 10) s"
    }

    /// Maximum number of probes in a report that does not list those that differ again at the end.
    private static let screenful = 20

    /// The probes by which a server that takes any device token for a device, and any topic for the team's, differs.
    static let ofUnknownDevices: Set = [
        "checks/device-unknown", "checks/topic-of-others", "broadcast/topic-of-others",
        "broadcast/topic-of-others-published",
    ]

    /// The closing lines after all probes: which of them differ, if those were too many to be still in sight, and why a
    /// mock without a scenario does; `nil` if there is nothing to say.
    package var closing: String? {
        let different = results.filter { $0.outcome == .differs || $0.outcome == .note }
        var lines: [String] = []
        if results.count > Self.screenful, !different.isEmpty {
            lines.append(comparedWith.map { "What differs from \($0):" } ?? "What differs:")
            for result in different {
                let guess = result.outcome == .note ? " (a guess)" : ""
                let expected = result.expectation + guess
                lines.append("  \(result.probe.path): expected \(expected); answered \(result.answer)")
            }
        }
        let expected = different.map(\.probe.path).filter(Self.ofUnknownDevices.contains)
        if comparedWith == nil, !expected.isEmpty {
            lines.append(
                "A server of mock-apns serve takes any device token for a device, and any topic for the team's, unless its "
                    + "scenario says otherwise, so \(expected.count == 1 ? "this differs" : "these differ") there: "
                    + expected.joined(separator: ", ") + ".")
        }
        return lines.isEmpty ? nil : PrintableText.text(lines)
    }

    /// The report as JSON, with the answers, for `--against`.
    package var json: String {
        let head = JSONText.Value.object([
            ("server", .text(server)), ("startedAt", .text(startedAt.text)),
            ("milliseconds", .number(Int(milliseconds))),
            ("comparedWith", comparedWith.map { .text($0) } ?? .null),
        ]).text.dropLast()
        let counts = ProbeResult.Outcome.allCases.map { #","\#($0.rawValue)":\#(count($0))"# }.joined()
        return head + counts + ",\"probes\":[\n" + results.map(\.json.text).joined(separator: ",\n") + "\n]}\n"
    }

    /// The report as JUnit XML: one test case per probe.
    package var junit: String {
        let totals =
            #"tests="\#(results.count)" failures="\#(count(.differs))" errors="0" skipped="\#(count(.skipped))""#
        let time = #"time="\#(Self.seconds(milliseconds))""#
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<testsuites name="mock-apns probe" tests="\#(results.count)" failures="\#(count(.differs))" errors="0" \#(time)>"#,
            #"  <testsuite name="mock-apns probe" \#(totals) \#(time) timestamp="\#(startedAt.text.prefix(19))">"#,
        ]
        for result in results {
            let start =
                #"    <testcase name="\#(XMLText.attribute(result.probe.name))" "#
                + #"classname="probe.\#(result.probe.group.rawValue)" time="\#(Self.seconds(result.milliseconds))""#
            switch result.outcome {
            case .agrees: lines.append(start + "/>")
            case .skipped:
                lines += [
                    start + ">", #"      <skipped message="\#(XMLText.attribute(result.reason ?? ""))"/>"#,
                    "    </testcase>",
                ]
            case .differs:
                lines += [
                    start + ">",
                    #"      <failure type="probe" message="\#(XMLText.attribute("answered \(result.answer)"))">"#
                        + XMLText.content(result.text) + "</failure>", "    </testcase>",
                ]
            case .note:
                lines += [
                    start + ">", "      <system-out>" + XMLText.content(result.text) + "</system-out>",
                    "    </testcase>",
                ]
            }
        }
        lines += ["  </testsuite>", "</testsuites>"]
        return lines.map { $0 + "\n" }.joined()
    }

    /// The report as Markdown: the count, what differs, and a table of all probes.
    package var markdown: String {
        var blocks = [
            "## \(passed ? "✅" : "❌") mock-apns probe", "**\(MarkdownText.line(server)): \(MarkdownText.line(total))**",
        ]
        for result in results where result.outcome == .differs || result.outcome == .note {
            let sign = result.outcome == .differs ? "❌" : "❕"
            blocks.append("### \(sign) \(MarkdownText.line(result.probe.path))\n\n\(MarkdownText.block(result.text))")
        }
        let rows = results.map { result in
            let sign = ["agrees": "✅", "differs": "❌", "note": "❕"][result.outcome.rawValue] ?? "➖"
            let rest = result.reason ?? result.answer
            return "| \(sign) | \(MarkdownText.line(result.probe.path)) | \(MarkdownText.line(result.probe.title)) | "
                + "\(result.probe.fact.mark.rawValue) | \(MarkdownText.line(rest)) |"
        }
        blocks.append(
            (["| | Probe | Expected | Mark | Answered |", "|---|---|---|---|---|"] + rows).joined(separator: "\n"))
        return blocks.joined(separator: "\n\n") + "\n"
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
    }
}

extension ProbeResult {
    /// The result for people: what was sent, what was expected and why, and what was answered.
    package var text: String {
        var lines = ["\(probe.path): \(outcome.word)\(reason.map { ", \($0)" } ?? "")", "  \(probe.title)"]
        guard outcome != .skipped else { return PrintableText.text(lines) }
        lines.append("  sent:     \(probe.sends)")
        lines.append(
            "  expected: \(expectation) (\(probe.fact.mark.rawValue)\(probe.source.isEmpty ? "" : ": \(probe.source)"))"
        )
        lines.append("  answered: \(answer)")
        return PrintableText.text(lines)
    }

    fileprivate var json: JSONText.Value {
        .object([
            ("name", .text(probe.name)), ("group", .text(probe.group.rawValue)), ("title", .text(probe.title)),
            ("mark", .text(probe.fact.mark.rawValue)), ("source", .text(probe.source)),
            ("sends", .text(probe.sends)),
            ("outcome", .text(outcome.rawValue)), ("reason", reason.map { .text($0) } ?? .null),
            ("expected", .text(expectation)), ("answered", outcome == .skipped ? .null : .text(answer)),
            ("milliseconds", .number(Int(milliseconds))),
            ("answers", .list(answers.map { $0 ?? .null })),
        ])
    }
}

extension ProbeResult.Outcome {
    fileprivate var word: String {
        switch self {
        case .agrees, .differs, .skipped: rawValue
        case .note: "differs from a guess"
        }
    }
}
