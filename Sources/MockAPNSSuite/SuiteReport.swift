package import MockAPNSCore
import MockAPNSJudge

/// The result of a suite: the result of each story, and the counts.
package struct SuiteReport: Sendable {
    /// The driver's command.
    package var driver: [String]
    /// The stories in order.
    package var stories: [StoryResult]
    /// When the suite began, in real time.
    package var startedAt: Timestamp
    /// How long it took, in milliseconds.
    package var milliseconds: Int64

    /// Creates a report.
    package init(driver: [String], stories: [StoryResult], startedAt: Timestamp, milliseconds: Int64) {
        self.driver = driver
        self.stories = stories
        self.startedAt = startedAt
        self.milliseconds = milliseconds
    }

    /// Whether stories were played, and all that were have passed.
    package var passed: Bool { count("passed") > 0 && count("failed") == 0 }

    /// The count, for people.
    package var total: String {
        var parts = ["\(count("passed")) passed", "\(count("failed")) failed"]
        if count("skipped") > 0 { parts.append("\(count("skipped")) skipped") }
        let tenths = (milliseconds + 50) / 100
        let stories = stories.count == 1 ? "1 story" : "\(stories.count) stories"
        return "\(parts.joined(separator: ", ")) of \(stories) in \(tenths / 10).\(tenths % 10) s"
    }

    /// The number of stories with this outcome.
    func count(_ word: String) -> Int { stories.count { $0.outcome.word == word } }

    /// The report as JSON: `{"driver", "startedAt", "milliseconds", "passed", "failed", "skipped", "stories": [{"name",
    /// "outcome", "reason", "milliseconds", "results", "unusedRules", "driverErrors": [{"id", "error"}]}]}`, where the
    /// results are those of `POST /api/v1/verify`.
    package var json: [UInt8] {
        var json = Array(#"{"driver":["#.utf8)
        for (index, word) in driver.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            json.appendJSON(word)
        }
        json.append(contentsOf: #"],"startedAt":"#.utf8)
        json.appendJSON(startedAt)
        json.append(contentsOf: ",\"milliseconds\":\(milliseconds)".utf8)
        for word in ["passed", "failed", "skipped"] { json.append(contentsOf: ",\"\(word)\":\(count(word))".utf8) }
        json.append(contentsOf: #","stories":["#.utf8)
        for (index, story) in stories.enumerated() {
            json.append(contentsOf: (index > 0 ? ",\n{\"name\":" : "\n{\"name\":").utf8)
            json.appendJSON(story.name)
            json.append(contentsOf: ",\"outcome\":\"\(story.outcome.word)\",\"reason\":".utf8)
            json.appendJSON(story.outcome.reason)
            json.append(contentsOf: ",\"milliseconds\":\(story.milliseconds),\"results\":[".utf8)
            for (index, result) in (story.verification?.results ?? []).enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                result.appendJSON(to: &json)
            }
            json.append(UInt8(ascii: "]"))
            (story.verification?.unusedRules ?? UnusedRules()).appendMembers(to: &json)
            json.append(contentsOf: #","driverErrors":["#.utf8)
            for (index, error) in story.errors.enumerated() {
                json.append(contentsOf: (index > 0 ? #",{"id":"# : #"{"id":"#).utf8)
                json.appendJSON(error.id)
                json.append(contentsOf: #","error":"#.utf8)
                json.appendJSON(error.text)
                json.append(UInt8(ascii: "}"))
            }
            json.append(contentsOf: "]}".utf8)
        }
        json.append(contentsOf: "\n]}\n".utf8)
        return json
    }

    /// The report as JUnit XML: one test case per story.
    package var junit: String {
        let totals = #"tests="\#(stories.count)" failures="\#(count("failed"))" errors="0""#
        let time = #"time="\#(Self.seconds(milliseconds))""#
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<testsuites name="mock-apns suite" \#(totals) \#(time)>"#,
            #"  <testsuite name="mock-apns suite" \#(totals) skipped="\#(count("skipped"))" \#(time) "#
                + #"timestamp="\#(startedAt.text.prefix(19))">"#,
        ]
        for story in stories {
            let start =
                #"    <testcase name="\#(XMLText.attribute(story.name))" classname="mock-apns suite" "#
                + #"time="\#(Self.seconds(story.milliseconds))""#
            switch story.outcome {
            case .passed:
                guard let unused = story.unusedRules else {
                    lines.append(start + "/>")
                    continue
                }
                lines += [
                    start + ">", "      <system-out>\(XMLText.content(unused))</system-out>", "    </testcase>",
                ]
            case .skipped(let reason):
                lines += [start + ">", #"      <skipped message="\#(XMLText.attribute(reason))"/>"#, "    </testcase>"]
            case .failed(let reason):
                lines += [
                    start + ">",
                    #"      <failure type="story" message="\#(XMLText.attribute(reason))">"#
                        + XMLText.content(story.details) + "</failure>", "    </testcase>",
                ]
            }
        }
        lines += ["  </testsuite>", "</testsuites>"]
        return lines.map { $0 + "\n" }.joined()
    }

    /// The report as Markdown for a job summary: the count, a table of all stories, and details of those that failed.
    package var markdown: String {
        var blocks = ["## \(passed ? "✅" : "❌") mock-apns suite", "**\(MarkdownText.line(total))**"]
        let rows = stories.map { story in
            let sign = ["passed": "✅", "failed": "❌"][story.outcome.word] ?? "➖"
            let reason = [story.outcome.reason, story.unusedRules].compactMap(\.self).joined(separator: "; ")
            return "| \(sign) | \(MarkdownText.line(story.name)) | \(MarkdownText.line(reason)) |"
        }
        blocks.append((["| | Story | Reason |", "|---|---|---|"] + rows).joined(separator: "\n"))
        for story in stories where story.outcome.word == "failed" && !story.details.isEmpty {
            blocks.append("### ❌ \(MarkdownText.line(story.name))\n\n\(MarkdownText.block(story.details))")
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }

    private static func seconds(_ milliseconds: Int64) -> String {
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
    }
}

extension StoryResult {
    /// Everything known about a failure, in several lines.
    package var details: String {
        let expectations = verification.map { $0.passed ? "" : $0.description } ?? ""
        return expectations + PrintableText.text(driverLines)
    }
}
