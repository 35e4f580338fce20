import Foundation
import Testing

@testable import MockAPNSCore
@testable import MockAPNSJudge

/// An article with an example of each rule in some families: the first bad and the first good one of the rule's tests.
struct LintArticle: Sendable, CustomTestStringConvertible {
    /// The name of its file, without the extension.
    let name: String
    let title: String
    /// The titles of its families.
    let families: [String]
    /// Whether its rules look at runs, whose examples are lines of a log.
    var isAboutRuns = false

    var testDescription: String { name }

    /// The articles, with the families in their order.
    static let all = [
        LintArticle(
            name: "LintPayloads", title: "payloads and keys", families: ["The body", "The object aps", "Keys"]),
        LintArticle(
            name: "LintAlerts", title: "alerts, badges and sounds",
            families: ["Alerts", "Localized texts", "Identifiers", "Badges", "Sounds"]),
        LintArticle(
            name: "LintPushTypes", title: "push types, Live Activities and secrets",
            families: ["Flags", "Push types", "Interruption level and relevance", "Live Activities", "Secrets"]),
        LintArticle(
            name: "LintConnections", title: "provider tokens and connections",
            families: ["Provider tokens", "Connections"], isAboutRuns: true),
        LintArticle(
            name: "LintRetries", title: "refused pushes and retries",
            families: ["Refused pushes", "Pushes sent again"], isAboutRuns: true),
        LintArticle(name: "LintHeaders", title: "header fields", families: ["Header fields"], isAboutRuns: true),
        LintArticle(
            name: "LintRepeats", title: "repeated pushes and channels",
            families: ["Repeated pushes", "Broadcast channels"], isAboutRuns: true),
    ]

    /// Where an article of the reference is.
    static func path(_ name: String) -> String {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
        return "\(root)/Sources/MockAPNS/MockAPNS.docc/Reference/\(name).md"
    }

    /// The text of an article of the reference.
    static func read(_ name: String) throws -> String {
        String(decoding: try #require(FileManager.default.contents(atPath: path(name))), as: UTF8.self)
    }

    /// Its part of the article on lint: a table of its rules, which leads to their examples.
    var table: String {
        let rows = rules.map { rule in
            "| [`\(rule.id)`](\(name).md#\(rule.id)) | \(rule.severity.rawValue) | \(rule.finds). \(rule.effect) |\n"
        }
        let heading = title.prefix(1).uppercased() + title.dropFirst()
        return "\n### \(heading)\n\n| rule | severity | finds |\n|---|---|---|\n\(rows.joined())"
    }

    /// The whole article.
    var markdown: String {
        let examples = """
             The examples are lines of a log; see
            [Examples of runs](Lint.md#examples-of-runs).
            """
        let parts = sections.map { section in
            "\n## \(section.title)\n\n\(section.rules.map(Self.text).joined(separator: "\n"))"
        }
        return """
            # Lint: \(title)

            What each rule finds, what happens otherwise, a bad and a good example, and its source.

            ## Overview

            [Lint](Lint.md) says how to use these rules, and lists all of them.\(isAboutRuns ? examples : "")
            \(parts.joined())
            """
    }

    private var sections: [(title: String, rules: [LintRule])] {
        LintRule.families.filter { families.contains($0.title) }
    }

    private var rules: [LintRule] { sections.flatMap(\.rules) }

    private static func text(_ rule: LintRule) -> String {
        guard let example = LintExample.all.first(where: { $0.rule == rule }) else { return run(rule) }
        return """
            ### \(rule.id)

            \(rule.severity.rawValue.capitalized): \(rule.finds). \(rule.effect)

            - bad: \(text(example.bad[0].sample))
            - good: \(text(example.good[0]))
            - source: \(sources(rule))

            """
    }

    private static func run(_ rule: LintRule) -> String {
        guard let example = ProviderExample.all.first(where: { $0.rule == rule }) else { return "" }
        return """
            ### \(rule.id)

            \(rule.severity.rawValue.capitalized): \(rule.finds). \(rule.effect)

            Bad\(text(example.bad[0].run))

            Good\(text(example.good[0]))

            Source: \(sources(rule))

            """
    }

    private static func sources(_ rule: LintRule) -> String {
        rule.sources.map { source in source.address.map { "[\(source.title)](\($0))" } ?? source.title }
            .joined(separator: "; ")
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
