import MockAPNSCore
import Testing

@testable import MockAPNSProbe

/// What a server answers, in the reports of a run.
@Suite struct HostileAnswerTests {
    private static let hostile =
        "evil\u{1B}[2J\u{7}\r\u{7F}\u{9B}31m\u{85}\u{202E}\u{2066}\u{200F}\u{61C}\u{2028}|`_[x](y)<b>&]]>\""
        + "\nheaders/forged: agrees\n```\n## forged"

    private static let report = {
        let probes = ProbeList.all.probes
        let answer = JSONText.Value(offset: 0, content: .string(hostile))
        let object = JSONText.Value(
            offset: 0, content: .object([.init(key: hostile, keyOffset: 0, value: answer)]))
        let results = [
            ProbeResult(probes[0], answers: [answer], comparedWith: nil),
            ProbeResult(probes[1], answers: [object], comparedWith: nil), ProbeResult(probes[2], skipped: hostile),
        ]
        return ProbeReport(
            server: hostile, results: results, comparedWith: hostile, startedAt: Timestamp(milliseconds: 0),
            milliseconds: 1)
    }()

    @Test(
        "None of its control characters arrives",
        arguments: [report.results.map(\.text).joined(), report.junit, report.markdown, report.json])
    func output(text: String) {
        #expect(text.contains("evil"))
        let unwanted = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalar != "\n"
            default: false
            }
        }
        #expect(unwanted.isEmpty)
        #expect(!text.split(separator: "\n").contains { $0.hasPrefix("headers/forged") || $0.hasPrefix("## forged") })
    }

    @Test("What is listed again at the end is clean, too")
    func closing() throws {
        var report = Self.report
        for probe in ProbeList.all.probes.prefix(30) {
            report.results.append(
                ProbeResult(probe, answers: [.init(offset: 0, content: .string(Self.hostile))], comparedWith: nil))
        }
        let closing = try #require(report.closing)
        #expect(closing.contains("evil") && !closing.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        #expect(closing.split(separator: "\n").allSatisfy { $0.hasPrefix("  ") || $0.hasPrefix("What differs") })
    }
}
