import Foundation
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// The article on lint has a table of all rules, and other articles have their examples. With the variable
/// `MOCK_APNS_WRITE_LINT_ARTICLE` they are written anew instead.
@Suite struct LintDocumentationTests {
    private static let begin = "<!-- rules -->\n"
    private static let end = "<!-- end of rules -->\n"
    private static let isWriting = ProcessInfo.processInfo.environment["MOCK_APNS_WRITE_LINT_ARTICLE"] != nil

    @Test func theArticleHasTheTable() throws {
        let article = try LintArticle.read("Lint")
        let start = try #require(article.range(of: Self.begin))
        let end = try #require(article.range(of: Self.end))
        let rules = LintArticle.all.map(\.table).joined()
        if Self.isWriting {
            let text = article[..<start.upperBound] + rules + article[end.lowerBound...]
            try Data(text.utf8).write(to: URL(filePath: LintArticle.path("Lint")))
        } else {
            #expect(
                article[start.upperBound..<end.lowerBound] == rules,
                "the article differs; write it anew with MOCK_APNS_WRITE_LINT_ARTICLE=1")
        }
    }

    @Test(arguments: LintArticle.all)
    func anArticleHasTheExamples(article: LintArticle) throws {
        if Self.isWriting {
            try Data(article.markdown.utf8).write(to: URL(filePath: LintArticle.path(article.name)))
        } else {
            #expect(
                try LintArticle.read(article.name) == article.markdown,
                "the article differs; write it anew with MOCK_APNS_WRITE_LINT_ARTICLE=1")
        }
    }

    @Test func everyFamilyIsInAnArticle() {
        #expect(LintArticle.all.flatMap(\.families) == LintRule.families.map(\.title))
    }

    @Test func theArticleHasTheThresholds() throws {
        let article = try LintArticle.read("LintSettings")
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
}
