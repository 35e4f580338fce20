import Foundation
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// The article on lint has every rule of the table, with the first bad and the first good example of its tests.
@Suite struct LintDocumentationTests {
    private static let begin = "<!-- rules -->\n"
    private static let end = "<!-- end of rules -->\n"

    /// With the variable `MOCK_APNS_WRITE_LINT_ARTICLE` the article is written anew instead.
    @Test func theArticleHasTheTableAndTheExamples() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        let path = "\(root)/Sources/MockAPNS/MockAPNS.docc/Reference/Lint.md"
        let bytes = try #require(FileManager.default.contents(atPath: path))
        let article = String(decoding: bytes, as: UTF8.self)
        let start = try #require(article.range(of: Self.begin))
        let end = try #require(article.range(of: Self.end))
        if ProcessInfo.processInfo.environment["MOCK_APNS_WRITE_LINT_ARTICLE"] != nil {
            let text = article[..<start.upperBound] + Self.rules + article[end.lowerBound...]
            try Data(text.utf8).write(to: URL(filePath: path))
        } else {
            #expect(
                article[start.upperBound..<end.lowerBound] == Self.rules,
                "the article differs; write it anew with MOCK_APNS_WRITE_LINT_ARTICLE=1")
        }
    }

    @Test func theArticleHasTheThresholds() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        let bytes = FileManager.default.contents(atPath: "\(root)/Sources/MockAPNS/MockAPNS.docc/Reference/Lint.md")
        let article = String(decoding: try #require(bytes), as: UTF8.self)
        for threshold in LintThreshold.all {
            let usual = threshold.kind == .duration ? DurationText.text(threshold.usual) : "\(threshold.usual)"
            #expect(article.contains("| `\(threshold.name)` | \(usual) | `\(threshold.rule?.id ?? "")` |"))
        }
    }

    @Test func theSchemaHasTheRulesAndTheThresholds() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        let bytes = FileManager.default.contents(atPath: "\(root)/scenarios/scenario.schema.json")
        let schema = try JSONText.read(Array(try #require(bytes)))
        let lint = try #require(schema["properties"]?["lint"]?["properties"])
        let keys = lint["rules"]?["propertyNames"]?["enum"]?.array?.compactMap(\.string)
        #expect(keys == ["$comment"] + LintRule.all.map(\.id))
        let thresholds = lint["thresholds"]?["properties"]?.object?.map(\.key)
        #expect(thresholds == ["$comment"] + LintThreshold.all.map(\.name))
        let kinds: [LintThreshold.Kind: String] = [
            .duration: "Duration", .percentage: "Percentage", .count: "Count", .time: "Time",
        ]
        for rule in LintRule.all {
            let reference = lint["rules"]?["properties"]?[rule.id]?["$ref"]?.string
            let kind = rule.thresholds.first.flatMap { kinds[$0.kind] }
            #expect(reference == kind.map { "#/$defs/lintRuleWith\($0)" }, "\(rule.id)")
        }
    }

    private static var rules: String {
        LintRule.families.map { family in
            "\n### \(family.title)\n\n\(family.rules.map(text).joined(separator: "\n"))"
        }.joined()
    }

    private static func text(_ rule: LintRule) -> String {
        guard let example = LintExample.all.first(where: { $0.rule == rule }) else { return run(rule) }
        let sources = rule.sources.map { source in source.address.map { "[\(source.title)](\($0))" } ?? source.title }
        return """
            #### \(rule.id)

            \(rule.severity.rawValue.capitalized): \(rule.finds). \(rule.effect)

            - bad: \(text(example.bad[0].sample))
            - good: \(text(example.good[0]))
            - source: \(sources.joined(separator: "; "))

            """
    }

    private static func run(_ rule: LintRule) -> String {
        guard let example = ProviderExample.all.first(where: { $0.rule == rule }) else { return "" }
        let sources = rule.sources.map { source in source.address.map { "[\(source.title)](\($0))" } ?? source.title }
        return """
            #### \(rule.id)

            \(rule.severity.rawValue.capitalized): \(rule.finds). \(rule.effect)

            Bad\(text(example.bad[0].run))

            Good\(text(example.good[0]))

            Source: \(sources.joined(separator: "; "))

            """
    }

    private static func text(_ run: LintRun) -> String {
        let scenario = run.scenario.map { ", with the scenario `\($0)`" } ?? ""
        return "\(scenario):\n\n```text\n\(run.lines.joined(separator: "\n"))\n```"
    }

    private static func text(_ sample: LintSample) -> String {
        var text = "`\(sample.shown ?? String(decoding: sample.body, as: UTF8.self))`"
        if !sample.headers.isEmpty { text += ", with " + sample.headers.map { "`\($0)`" }.joined(separator: " and ") }
        for earlier in sample.earlier { text += ", after `\(earlier)`" }
        if let clock = sample.clock { text += ", when the clock is at \(clock)" }
        if let scenario = sample.scenario {
            let words = scenario.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
            text += ", and the scenario `\(words)`"
        }
        return text
    }
}
